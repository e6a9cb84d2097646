/** Other layers of undaunted beneath an instance that retries: for each request, only the outermost acts. */

import type { AxiosAdapter, AxiosError, AxiosInstance, AxiosRequestConfig, AxiosStatic } from 'axios';
import * as undici from 'undici';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import { retry } from '../../../src/adapters/undici/index.js';
import { historyOf, type PolicyOptions, suppressRetries } from '../../../src/index.js';
import { countedContext } from '../../counted-context.js';
import { answer, type Lab, rst, silence } from '../../faults/lab.js';
import { setGlobally } from '../global-dispatcher.js';
import { openLab, settled, soon } from '../kit.js';
import { plainCallers } from './callers.js';
import { axios, axiosEdge } from './client.js';
import { openInstance, retryingInstance } from './kit.js';

const patient = { ...soon, maxRetries: 3, budget: false } as const;

const reasonsOf = (result: unknown) => historyOf(result)?.map(({ decision }) => decision.reason);

/** An Agent that retries, over one connection. */
function retryingAgent(interceptor = retry(patient)): undici.Dispatcher {
  const agent = new undici.Agent({ connections: 1 });
  onTestFinished(() => agent.destroy());
  return agent.compose(interceptor);
}

/** Sets the dispatcher for every fetch of this process. */
function useGlobally(dispatcher: undici.Dispatcher): void {
  setGlobally(undici.setGlobalDispatcher, dispatcher);
}

/** Another copy of this package, as another version would be. */
async function anotherCopy(): Promise<{ attachRetry: typeof attachRetry; retry: typeof retry }> {
  vi.resetModules();
  onTestFinished(() => void vi.resetModules());
  const [ofAxios, ofUndici] = await Promise.all([
    import('../../../src/adapters/axios/index.js'),
    import('../../../src/adapters/undici/index.js'),
  ]);
  expect(ofAxios.attachRetry).not.toBe(attachRetry);
  return { attachRetry: ofAxios.attachRetry, retry: ofUndici.retry };
}

/** An adapter through undici's `request`, as people write them. */
function byUndici(dispatcher: undici.Dispatcher): AxiosAdapter {
  return async (config) => {
    const { method = 'get', url = '', data } = config;
    await Promise.resolve();
    const { statusCode, headers, body } = await undici.request(url, {
      dispatcher,
      method: method.toUpperCase(),
      body: data,
    });
    const response = { status: statusCode, statusText: '', headers: { ...headers }, config, request: {} };
    return { ...response, data: await body.text() } as never;
  };
}

/** An adapter through another instance that retries, with its own copy of the configuration. */
function byInstance(inner: AxiosInstance, before: (() => unknown) | undefined): AxiosAdapter {
  return async (config) => {
    if (before !== undefined) await before();
    const { url = '', method = 'get', data } = config;
    return inner.request({ url, method, data, validateStatus: null });
  };
}

const beneath: readonly [string, () => AxiosRequestConfig | Promise<AxiosRequestConfig>][] = [
  [
    'a global dispatcher, by fetch',
    () => {
      useGlobally(retryingAgent());
      return { adapter: 'fetch' };
    },
  ],
  [
    'a global dispatcher, by the first of a list',
    () => {
      useGlobally(retryingAgent());
      return { adapter: ['xhr', 'fetch', 'http'] };
    },
  ],
  [
    'a global dispatcher, by the function that fetch stands for',
    () => {
      useGlobally(retryingAgent());
      return { adapter: axios.getAdapter('fetch') };
    },
  ],
  [
    'a global dispatcher of another copy of the package, by fetch',
    async () => {
      useGlobally(retryingAgent((await anotherCopy()).retry(patient)));
      return { adapter: 'fetch' };
    },
  ],
  ['a dispatcher, by an adapter of the caller', () => ({ adapter: byUndici(retryingAgent()) })],
  ['an instance', () => ({ adapter: byInstance(retryingInstance(patient), undefined) })],
  [
    'an instance that something asynchronous happens before',
    () => ({ adapter: byInstance(retryingInstance(patient), () => new Promise(setImmediate)) }),
  ],
  [
    'an instance with an asynchronous interceptor',
    () => {
      const inner = retryingInstance(patient);
      inner.interceptors.request.use(async (config) => config);
      return { adapter: byInstance(inner, undefined) };
    },
  ],
  [
    'an instance of another copy of the package',
    async () => {
      const copy = await anotherCopy();
      const inner = openInstance();
      copy.attachRetry(inner, patient);
      return { adapter: byInstance(inner, undefined) };
    },
  ],
  [
    'an instance over a global dispatcher',
    () => {
      useGlobally(retryingAgent());
      const inner = retryingInstance(patient, { adapter: 'fetch' });
      return { adapter: byInstance(inner, undefined) };
    },
  ],
];

describe.each(beneath)('over %s:', (_what, open) => {
  async function openOver(
    policy: Parameters<typeof attachRetry>[1],
    script: Parameters<typeof openLab>[0],
  ): Promise<{ lab: Lab; instance: AxiosInstance }> {
    const lab = await openLab(script);
    const config = await open();
    const instance = openInstance(config as object);
    attachRetry(instance, policy);
    return { lab, instance };
  }

  test('a server that is down gets as many attempts as the outermost allows, and the history shows them', async () => {
    const { lab, instance } = await openOver(patient, answer(503));
    const { value, error } = await settled(instance.get(`${lab.origin}/a?b=1#c`));
    expect(lab.requests).toHaveLength(4);
    expect(historyOf(value ?? error)?.map(({ decision }) => decision.reason)).toEqual([
      ...Array(3).fill('transient-status'),
      'retries-spent',
    ]);
  });

  test('a success at once has the history of the outermost', async () => {
    const { lab, instance } = await openOver(patient, answer(200));
    const response = await instance.get(lab.origin);
    expect(historyOf(response)?.map(({ decision }) => decision.reason)).toEqual(['success']);
  });

  test.each([0, 1, 2])('maxRetries: %i, unknown to the innermost', async (maxRetries) => {
    const { lab, instance } = await openOver({ ...patient, maxRetries }, answer(503));
    await settled(instance.get(lab.origin));
    expect(lab.requests).toHaveLength(maxRetries + 1);
  });

  test('a retry that goes to another URL does not multiply either', async () => {
    const beforeRetry: PolicyOptions['beforeRetry'] = (context) => {
      context.url = context.url.replace(/\w*$/, 'elsewhere');
    };
    const { lab, instance } = await openOver({ ...patient, maxRetries: 2, beforeRetry }, answer(503));
    await settled(instance.get(`${lab.origin}/first`));
    expect(lab.requests.map(({ path }) => path)).toEqual(['/first', '/elsewhere', '/elsewhere']);
  });

  test('connections that break do not multiply either', async () => {
    const { lab, instance } = await openOver({ ...patient, maxRetries: 2 }, rst());
    const { error } = await settled(instance.put(lab.origin, 'text'));
    expect(error).toBeInstanceOf(Error);
    expect(lab.requests).toHaveLength(3);
  });

  test('an attempt that takes too long has the history of the outermost', async () => {
    const { lab, instance } = await openOver({ ...patient, maxRetries: 1, attemptTimeoutMs: 50 }, silence());
    const { error } = await settled(instance.get(lab.origin));
    expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT' });
    expect(reasonsOf(error)).toEqual(['attempt-timeout', 'retries-spent']);
  });

  test.each(plainCallers)("a caller's abort has the history of the outermost: %s", async (_who, make) => {
    const caller = make(axios);
    // Not every adapter heeds an abort, but the time limit's own signal ends the attempt.
    const { lab, instance } = await openOver({ ...patient, attemptTimeoutMs: 600_000 }, silence());
    const asked = settled(instance.get(lab.origin, caller.config));
    await lab.until(({ requests }) => requests.length === 1);
    caller.giveUp();
    expect(reasonsOf((await asked).error)).toEqual(['aborted']);
  });

  test('with limits of time and a body that is kept', async () => {
    const times = { ...patient, deadlineMs: 60_000, attemptTimeoutMs: 50_000, idempotencyKey: true };
    const { lab, instance } = await openOver({ ...times, maxRetries: 2 }, answer(503));
    await settled(instance.post(lab.origin, () => 'made'));
    expect(lab.requests).toHaveLength(3);
  });

  test('requests after the first recovery are retried as usual', async () => {
    const { lab, instance } = await openOver(patient, [answer(503), answer(200), answer(503), answer(200)]);
    expect((await instance.get(lab.origin)).status).toBe(200);
    expect((await instance.get(lab.origin)).status).toBe(200);
    expect(lab.requests).toHaveLength(4);
  });
});

describe('axios chooses the adapter', () => {
  /** Wraps the global fetch for the rest of the test. */
  function retryGlobally(): void {
    const before = globalThis.fetch;
    globalThis.fetch = withRetry(before, patient) as typeof fetch;
    onTestFinished(() => {
      globalThis.fetch = before;
    });
  }

  const byFetch: AxiosAdapter = async (config) => {
    const { status, headers } = await fetch(config.url ?? '');
    const response = {
      status,
      statusText: '',
      headers: Object.fromEntries(headers),
      data: '',
      config,
      request: {},
    };
    return response as never;
  };

  test.each<[string, AxiosStatic, AxiosRequestConfig]>([
    ['the adapters by default, where there is no http', axiosEdge, {}],
    ['http, else fetch, where there is no http', axiosEdge, { adapter: ['http', 'fetch'] }],
    ['http, else a function, where there is no http', axiosEdge, { adapter: ['http', byFetch] }],
    ['xhr, else a function', axios, { adapter: ['xhr', byFetch] }],
    ['xhr, else fetch', axios, { adapter: ['xhr', 'fetch', 'http'] }],
    ['no name, where there is no http', axiosEdge, { adapter: null as never }],
  ])('over a global fetch that retries, attempts do not multiply: %s', async (_which, build, config) => {
    retryGlobally();
    const lab = await openLab(answer(503));
    const instance = openInstance(config as object, build);
    attachRetry(instance, patient);
    const { value, error } = await settled(instance.get(lab.origin));
    expect([lab.requests.length, reasonsOf(value ?? error)?.length]).toEqual([4, 4]);
    const shown = (value ?? (error as AxiosError)).config?.adapter;
    expect(shown).toEqual('adapter' in config ? config.adapter : build.defaults.adapter);
  });

  test('and by http, which meets no other layer, no async context is begun', async () => {
    retryGlobally();
    const uses = countedContext();
    const lab = await openLab(answer(503));
    for (const adapter of [undefined, 'http', ['http', 'fetch'], ['xhr', 'http', byFetch]] as const)
      await settled(retryingInstance(patient, { adapter: adapter as never }).get(lab.origin));
    expect([lab.requests.length, uses.run]).toEqual([16, 0]);
  });
});

describe('a different request', () => {
  test('is retried by its own layer, even if an adapter sends it during an attempt', async () => {
    const lab = await openLab(({ path, number }) => answer(path === '/token' && number < 3 ? 503 : 200));
    const others = retryingInstance(patient);
    const adapter: AxiosAdapter = async (config) => {
      await others.get(`${lab.origin}/token`);
      return others.request({ url: config.url ?? '' });
    };
    const instance = openInstance({ adapter });
    attachRetry(instance, { ...patient, maxRetries: 0 });
    expect((await instance.get(`${lab.origin}/thing`)).status).toBe(200);
    expect(lab.requests.map(({ path }) => path)).toEqual(['/token', '/token', '/token', '/thing']);
  });

  test('is retried when it is sent beside it, through the same dispatcher', async () => {
    const lab = await openLab(answer(503));
    useGlobally(retryingAgent());
    const instance = retryingInstance({ ...patient, maxRetries: 0 }, { adapter: 'fetch' });
    await Promise.all([settled(instance.get(`${lab.origin}/ours`)), fetch(`${lab.origin}/alone`)]);
    const sent = (path: string): number => lab.requests.filter((request) => request.path === path).length;
    expect([sent('/ours'), sent('/alone')]).toEqual([1, 4]);
  });

  test('is retried when it is sent later, on a connection that was opened within', async () => {
    const lab = await openLab(({ path }) => answer(path === '/ours' ? 200 : 503));
    const dispatcher = retryingAgent();
    useGlobally(dispatcher);
    const instance = retryingInstance(patient, { adapter: 'fetch' });
    await instance.get(`${lab.origin}/ours`);
    await new Promise<void>((resolve, reject) => {
      const asked = undici.request(`${lab.origin}/first`, { dispatcher, retry: false } as object);
      asked.then(({ body }) => {
        // Called in the socket's async context.
        body.resume().on('end', () => void settled(fetch(`${lab.origin}/second`)).then(() => resolve()));
      }, reject);
    });
    expect(lab.connections).toBe(1);
    expect(lab.requests.map(({ path }) => path)).toEqual(['/ours', '/first', ...Array(4).fill('/second')]);
  });
});

describe('without anything that follows a request, as in browsers,', () => {
  function withoutContext(): void {
    vi.stubGlobal(Symbol.for('undaunted.suppression') as never, undefined);
    const lookup = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
    onTestFinished(() => {
      lookup.mockRestore();
      vi.unstubAllGlobals();
    });
  }

  test('an instance that is asked at once does not multiply', async () => {
    withoutContext();
    const lab = await openLab(answer(503));
    const adapter = byInstance(retryingInstance(patient), undefined);
    await settled(retryingInstance(patient, { adapter }).get(lab.origin));
    expect(lab.requests).toHaveLength(4);
  });
});

test('within suppressRetries, a request has its history beside other instances', async () => {
  const lab = await openLab(answer(503));
  const [instance] = [retryingInstance(patient), retryingInstance(patient)];
  const { error } = await settled(suppressRetries(() => instance.get(lab.origin)));
  expect(reasonsOf(error)).toEqual(['retries-suppressed']);
});

test('within suppressRetries, also on a connection that was opened outside of it', async () => {
  const lab = await openLab(answer(503));
  const dispatcher = retryingAgent();
  const ask = async (more: object): Promise<void> => {
    const { body } = await undici.request(lab.origin, { dispatcher, ...more });
    await body.dump();
  };
  await ask({ retry: false });
  await suppressRetries(() => ask({}));
  expect([lab.connections, lab.requests.length]).toEqual([1, 2]);
});
