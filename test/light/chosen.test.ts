/** The light entries without some parts: the rest works, and what is missing is an error that says what to import. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { getMaxListeners } from 'node:events';
import { Agent, createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import axios from 'axios';
import * as undici from 'undici';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { withRetry as withEverything } from '../../src/adapters/fetch/index.js';
import { allHintSets } from '../../src/core/hints/all-sets.js';
import {
  definePolicy as defineWithAll,
  type PolicyError,
  presets,
  suppressRetries,
} from '../../src/index.js';
import { attachRetry } from '../../src/light/axios.js';
import { withRetry } from '../../src/light/fetch.js';
import { createRetrier, definePolicy, historyOf, parsePolicy } from '../../src/light/index.js';
import * as hints from '../../src/parts/hints.js';
import {
  adaptiveTimeout,
  bodyDeadline,
  channels,
  check,
  concurrency,
  credentials,
  evidence,
  failures,
  gate,
  hedge,
  hold,
  hooks,
  layers,
  node,
  overrides,
  type Part,
  rules,
  slidingWindow,
  streamStart,
  streams,
  wholeAnswers,
} from '../../src/parts/index.js';

const schedule = { kind: 'fixed', waitMs: 1 } as const;
const url = 'https://api.example.com/users/7';

/** As if the types were not looked at: the options come from JavaScript, or from a file. */
function define(options: object, ...list: Part[]): ReturnType<typeof definePolicy> {
  return definePolicy(options, list as readonly Part[]);
}

function failingOnce(headers: HeadersInit = {}): { fetch: typeof fetch; count: () => number } {
  let sent = 0;
  const send = (): Promise<Response> => {
    sent += 1;
    return Promise.resolve(new Response('', sent === 1 ? { status: 503, headers } : { status: 200 }));
  };
  return { fetch: send, count: () => sent };
}

function problemsOf(work: () => unknown): readonly (readonly [path: string, advice: string | undefined])[] {
  try {
    work();
  } catch (error) {
    expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_POLICY' });
    return (error as PolicyError).problems.map(({ path, advice }) => [path, advice] as const);
  }
  throw new Error('It should have thrown');
}

const says = (name: string, entry = ''): string =>
  `${name} needs import { ${name} } from 'undaunted/parts${entry}', given in the list after the policy`;

afterEach(() => {
  vi.unstubAllEnvs();
});

describe.each(['test', 'production'])('in %s', (environment) => {
  const inIt = <T>(work: () => T): T => {
    vi.stubEnv('NODE_ENV', environment);
    return work();
  };

  test('retries, and obeys hints and overrides', async () => {
    const [one, two] = [failingOnce(), failingOnce({ 'retry-after': '60' })];
    const first = await inIt(() => withRetry(one.fetch, { schedule, maxRetries: 1 }))(url);
    const second = await inIt(() => withRetry(two.fetch, {}, [overrides]))(url, {
      retry: { maxHintMs: 1_000 },
    });
    expect([first.status, one.count(), second.status, two.count()]).toEqual([200, 2, 503, 1]);
  });

  const settings: readonly (readonly [part: Part, path: string, options: object])[] = [
    [gate, 'gate', { gate: true }],
    [hold, 'hold', { hold: { minMs: 1 } }],
    [concurrency, 'concurrency', { concurrency: 3 }],
    [slidingWindow, 'budget', { budget: { kind: 'window' } }],
    [hedge, 'hedge', { hedge: { afterMs: 80 } }],
    [adaptiveTimeout, 'attemptTimeoutMs', { attemptTimeoutMs: { maxMs: 5_000 } }],
    [credentials, 'credentials', { credentials: { headers: () => ({}), renew: () => undefined } }],
    [streams, 'bufferBodyBytes', { bufferBodyBytes: 1 }],

    [wholeAnswers, 'wholeBodyBytes', { wholeBodyBytes: 1 }],
    [streamStart, 'streamStart', { streamStart: { maxMs: 100 } }],
  ];

  test.each(settings)('$part: in a policy, a rule, and JSON', (part, path, options) => {
    const { part: name } = part;
    vi.stubEnv('NODE_ENV', environment);
    expect(problemsOf(() => define(options))).toEqual([[path, says(name)]]);
    expect(
      problemsOf(() => define({ rules: [{ match: '/a' }, { match: '/b', ...options }] }, rules)),
    ).toEqual([[`rules[1].${path}`, says(name)]]);
    expect(problemsOf(() => parsePolicy(JSON.parse(JSON.stringify(options))))).toEqual([[path, says(name)]]);
    expect(problemsOf(() => withRetry(fetch, options))).toEqual([[path, says(name)]]);
    expect(() => define(options, part)).not.toThrow();
    expect(() => parsePolicy(options, [part])).not.toThrow();
  });

  test.each([
    ['bufferBodyBytes', 9, 'streams', ''],
    ['hints', ['github'], 'github', '/hints'],
    ['attemptTimeoutMs', { maxMs: 9 }, 'adaptiveTimeout', ''],
  ] as const)('%s: in an override', async (key, option, name, entry) => {
    const retry = { [key]: option };
    const request = inIt(() => withRetry(failingOnce().fetch, {}, [overrides])(url, { retry }));
    await expect(request).rejects.toThrow(`init.retry.${key}: found `);
    // With the check, no override may have the last one, whatever the parts are.
    if (key !== 'attemptTimeoutMs' || environment === 'production')
      await expect(request).rejects.toThrow(says(name, entry));
  });

  test('settings of a single request, but not that it has no retries', async () => {
    const { fetch, count } = failingOnce();
    const retrying = inIt(() => withRetry(fetch, { schedule })) as typeof globalThis.fetch;
    const send = (retry: unknown): Promise<Response> => retrying(url, { retry } as RequestInit);
    for (const settings of [{ maxRetries: 1 }, { retry: false, unref: true }, {}]) {
      await expect(send(settings)).rejects.toThrow(
        `init.retry: found an object; allowed: nothing or false. ${says('overrides')}`,
      );
    }
    await expect(send(null)).rejects.toThrow(
      `init.retry: found null; allowed: nothing or false. ${says('overrides')}`,
    );
    expect(count()).toBe(0);
    expect([(await send(false)).status, count()]).toEqual([503, 1]);
    expect([(await send({ retry: false })).status, count()]).toEqual([200, 2]);
  });

  test.each([
    ['retryIf', { retryIf: () => undefined }],
    ['beforeRetry', { beforeRetry: () => undefined }],
    ['scope', { scope: () => 'a' }],
  ])('a function as %s', (path, options) => {
    expect(problemsOf(() => inIt(() => define(options)))).toEqual([[path, says('hooks')]]);
    const inRule = { rules: [{ match: '/a', ...options }] };
    expect(problemsOf(() => inIt(() => define(inRule, rules)))).toEqual([
      [`rules[0].${path}`, says('hooks')],
    ]);
    expect(() => inIt(() => define(options, hooks))).not.toThrow();
    expect(() => inIt(() => define({ scope: 'a' }))).not.toThrow();
  });

  test('null is no policy', () => {
    const message = '(policy): found null; allowed: an object';
    expect(() => inIt(() => withRetry(fetch, JSON.parse('null')))).toThrow(message);
  });

  test('rules', () => {
    const ruled = { rules: [{ match: '/a', maxRetries: 1 }] };
    expect(problemsOf(() => inIt(() => define(ruled)))).toEqual([['rules', says('rules')]]);
    expect(inIt(() => define({ rules: [] })).rules).toEqual([]);
    const policy = inIt(() => define(ruled, rules));
    const rule = policy.ruleFor({ method: 'GET', origin: undefined, path: '/a', keyed: false });
    expect(rule.settings.maxRetries).toBe(1);
  });

  test('everything at once, where it stands', () => {
    const all = { ...presets.policies.service, rules: [{ match: '/a', hints: ['github', 'azure-openai'] }] };
    expect(problemsOf(() => inIt(() => define(all))).toSorted()).toEqual([
      ['gate', says('gate')],
      ['hold', says('hold')],
      ['rules', says('rules')],
      ['rules[0].hints', says('azureOpenai', '/hints')],
      ['rules[0].hints', says('github', '/hints')],
      ['wholeBodyBytes', says('wholeAnswers')],
    ]);
  });

  test('what is off, and what is a number, needs no part', () => {
    const off = {
      gate: false,
      hold: false,
      hedge: false,
      attemptTimeoutMs: 100,
      bufferBodyBytes: 0,
      wholeBodyBytes: 0,
    };
    expect(inIt(() => define(off)).fallback.settings).toMatchObject(off);
    expect(inIt(() => define({})).fallback.settings.bufferBodyBytes).toBe(0);
    expect(inIt(() => define({}, streams)).fallback.settings.bufferBodyBytes).toBe(65_536);
  });

  test('layers over each other are seen with the part for them, and only with it', async () => {
    const sent: number[] = [];
    for (const list of [[], [layers]] as const) {
      const server = vi.fn((_: string) => Promise.resolve(new Response('', { status: 503 })));
      const inner = inIt(() => withRetry(server, { schedule, maxRetries: 1 }, list));
      const outer = inIt(() => withRetry(inner, { schedule, maxRetries: 1 }, list));
      await outer(url);
      sent.push(server.mock.calls.length);
    }
    expect(sent).toEqual([4, 2]);
  });

  test('a request that fetch refuses to send is known with the part for failures, and only with it', async () => {
    const sent: number[] = [];
    for (const list of [[], [failures]] as const) {
      const refusing = vi.fn((_: string) => Promise.reject(new TypeError('Failed to fetch')));
      const retrying = inIt(() => withRetry(refusing, { schedule, maxRetries: 1 }, list));
      await expect(retrying('mailto:a@example.com')).rejects.toThrow('Failed to fetch');
      sent.push(refusing.mock.calls.length);
    }
    expect(sent).toEqual([2, 1]);
  });

  test('what axios answers a POST in Node proves something with the part for evidence, and only with it', async () => {
    const server = createServer((_, response) => response.writeHead(429).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const sent: number[] = [];
    for (const list of [[], [evidence]] as const) {
      const instance = axios.create({ validateStatus: () => true });
      inIt(() => attachRetry(instance, { schedule, maxRetries: 1 }, list));
      sent.push(historyOf(await instance.post(address, 'a'))?.length ?? 0);
    }
    server.close();
    expect(sent).toEqual([1, 2]);
  });

  test('retries that are suppressed are, with the part for layers', async () => {
    const sent: number[] = [];
    for (const list of [[], [layers]] as const) {
      const { fetch, count } = failingOnce();
      const retrying = inIt(() => withRetry(fetch, { schedule }, list));
      await suppressRetries(() => retrying(url));
      sent.push(count());
    }
    expect(sent).toEqual([2, 1]);
  });

  test('a global fetch that is wrapped later does not lead in a circle', async () => {
    const { fetch, count } = failingOnce();
    vi.stubGlobal('fetch', fetch);
    const retrying = inIt(() => withRetry(undefined, { schedule }));
    vi.stubGlobal('fetch', (input: string) => retrying(input));
    const { status } = await globalThis.fetch(url);
    vi.unstubAllGlobals();
    expect([status, count()]).toEqual([200, 2]);
  });

  test('the channel of the platform hears with the part for channels, and only with it', async () => {
    const heard: unknown[] = [];
    const listen = (message: unknown): void => void heard.push(message);
    subscribe('undaunted:decision', listen);
    for (const list of [[], [channels]] as const)
      await inIt(() => withRetry(failingOnce().fetch, { schedule }, list))(url);
    unsubscribe('undaunted:decision', listen);
    expect(heard).toHaveLength(3);
  });

  test('a policy is frozen, and a copy', () => {
    const options = { maxRetries: 2, deadlineMs: undefined, statuses: [502] } as const;
    const policy = inIt(() => define(options));
    expect(policy.toJSON()).toEqual({ maxRetries: 2, statuses: [502] });
    expect('deadlineMs' in policy.toJSON()).toBe(false);
    expect(Object.isFrozen(policy.toJSON().statuses)).toBe(true);
    expect(Object.isFrozen(options.statuses)).toBe(false);
  });

  test('a stream is sent once without its part, and text is sent again', async () => {
    const got: string[] = [];
    const send: typeof globalThis.fetch = async (input, init) => {
      got.push(await new Request(input, { duplex: 'half', ...init } as RequestInit).text());
      return new Response('', { status: 503 });
    };
    const stream = (): ReadableStream => new Response('abc').body as ReadableStream;
    const options = { schedule, maxRetries: 1 };
    for (const list of [[], [streams]] as const) {
      const retrying = inIt(() => withRetry(send, options, list));
      await retrying(url, { method: 'PUT', body: stream(), duplex: 'half' } as RequestInit);
      await retrying(new Request(url, { method: 'PUT', body: 'def' }));
      await retrying(url, { method: 'PUT', body: 'ghi' });
    }
    expect(got).toEqual(['abc', 'def', 'ghi', 'ghi', 'abc', 'abc', 'def', 'def', 'ghi', 'ghi']);
  });

  test.each([
    ['as in Firefox', { bodyUsed: false }, 2],
    ['as in Firefox, with a body that was sent', { bodyUsed: true }, 1],
    ['that does not tell', {}, 1],
  ])('a Request without `body`, %s', async (_, shape, attempts) => {
    const failing = vi.fn<typeof fetch>(() => Promise.resolve(new Response('', { status: 503 })));
    const retrying = inIt(() => withRetry(failing, { schedule, maxRetries: 1 }));
    await retrying({ url, method: 'DELETE', headers: new Headers(), ...shape } as unknown as Request);
    expect(failing).toHaveBeenCalledTimes(attempts);
  });

  test('a stream of a request that is refused before it is sent is closed', async () => {
    const never = (): Promise<never> => new Promise(() => undefined);
    const options = { concurrency: { limit: 1, maxQueueMs: 1 } };
    for (const list of [[concurrency], [concurrency, streams]] as const) {
      const send = withRetry(never as typeof fetch, options, list);
      const instance = axios.create({ adapter: never });
      attachRetry(instance, options, list);
      void send(url);
      void instance.get(url);
      const bodies = [Readable.from(['one']), Readable.from(['one'])];
      const init = { method: 'POST', body: bodies[0], duplex: 'half' } as unknown as RequestInit;
      const refused = { code: 'ERR_UNDAUNTED_CONCURRENCY' };
      await expect(send(url, init)).rejects.toMatchObject(refused);
      await expect(instance.post(url, bodies[1])).rejects.toMatchObject(refused);
      expect(bodies.map(({ destroyed }) => destroyed)).toEqual([true, true]);
    }
  });

  test('a function that makes a body needs the part for streams', async () => {
    const got: unknown[] = [];
    const send: typeof globalThis.fetch = async (_input, init) => {
      got.push(init?.body);
      return new Response('', { status: 503 });
    };
    const options = { schedule, maxRetries: 1 };
    const put = { method: 'PUT', body: () => 'abc' };
    const lacking = inIt(() => withRetry(send, options));
    const sentence =
      "undaunted: a function as body needs import { streams } from 'undaunted/parts', given in the list after the policy";
    await expect(lacking(url, put as object)).rejects.toThrow(sentence);
    const instance = axios.create({ adapter: () => Promise.reject(new Error('not sent')) });
    inIt(() => attachRetry(instance, options));
    await expect(instance.put(url, put.body)).rejects.toThrow(sentence);
    expect(got).toEqual([]);
    await inIt(() => withRetry(send, options, [streams]))(url, put);
    expect(got).toEqual(['abc', 'abc']);
  });

  test('a deadline for bodies is a part', () => {
    const options = { deadlineMs: 100, deadlineCovers: 'body' } as const;
    expect(problemsOf(() => inIt(() => define(options)))).toEqual([['deadlineCovers', says('bodyDeadline')]]);
    expect(() => inIt(() => define(options, bodyDeadline))).not.toThrow();
    expect(() => inIt(() => define({ ...options, deadlineCovers: 'head' }))).not.toThrow();
  });
});

describe('the check', () => {
  const misspelled = { maxRetrys: 1 };

  test('looks at policies unless they are in production', () => {
    expect(() => define(misspelled)).toThrow(/Did you mean "maxRetries"/);
    vi.stubEnv('NODE_ENV', 'production');
    expect(() => define(misspelled)).not.toThrow();
    expect(() => define(misspelled, check)).toThrow(/Did you mean "maxRetries"/);
  });

  test('looks at what comes from outside in any case', () => {
    vi.stubEnv('NODE_ENV', 'production');
    expect(() => parsePolicy(misspelled)).toThrow(/Did you mean "maxRetries"/);
    expect(() => parsePolicy({ rules: [{ match: 'GET https://a/' }] }, [rules])).toThrow(/https/);
  });

  test('finds what is missing beside what is wrong', () => {
    expect(
      problemsOf(() => define({ gate: true, hints: 'githup', maxRetries: -1 })).map(([path]) => path),
    ).toEqual(expect.arrayContaining(['gate', 'hints', 'maxRetries']));
    expect(problemsOf(() => define({ hints: 'githup' }))).toEqual([['hints', 'Did you mean "github"?']]);
  });

  test('a text in the place of a policy is refused in any case', () => {
    vi.stubEnv('NODE_ENV', 'production');
    try {
      expect(() => definePolicy('service' as never)).toThrow(/found a string "service"; allowed: an object/);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('where there is no process, nothing crashes', () => {
    vi.stubGlobal('process', undefined);
    try {
      expect(() => define(misspelled)).not.toThrow();
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

test('time for which a program stands still is told, since a page is suspended more often than a server', async () => {
  const stalled = await new Promise<number | undefined>((resolve) => {
    createRetrier(define({})).ports.sleep(60, resolve, { judges: 'awake' });
    const end = performance.now() + 200;
    while (performance.now() < end);
  });
  expect(stalled).toBeGreaterThan(50);
});

describe('in Node, without its part and with it', () => {
  const lists = [[], [node]] as const;

  async function served<T>(listener: RequestListener, work: (address: string) => Promise<T>): Promise<T> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    } finally {
      server.close();
    }
  }

  test('a Request that has no body is sent again without the part for streams', async () => {
    const sent: [method: string, text: string][] = [];
    const options = { schedule, maxRetries: 1 };
    await served(
      (request, response) => {
        let text = '';
        request.on('data', (data) => {
          text += data;
        });
        request.on('end', () => {
          sent.push([request.method ?? '', text]);
          response.writeHead(503).end();
        });
      },
      async (address) => {
        const platforms = [
          [globalThis.fetch, globalThis.Request],
          [undici.fetch as unknown as typeof fetch, undici.Request as unknown as typeof Request],
        ] as const;
        for (const [send, Request] of platforms) {
          const retrying = withRetry(send, options);
          for (const method of ['DELETE', 'OPTIONS']) await retrying(new Request(address, { method }));
          await retrying(new Request(address, { method: 'DELETE', body: 'whole' }));
          await retrying(new Request(address, { method: 'DELETE', body: new Uint8Array(3) }));
        }
      },
    );
    const none = ['DELETE', 'OPTIONS'].flatMap((method) => [
      [method, ''],
      [method, ''],
    ]);
    const each = [...none, ['DELETE', 'whole'], ['DELETE', '\0\0\0']];
    expect(sent).toEqual([...each, ...each]);
  });

  test('a deadline that covers the body ends a stream by axios with its error in any case', async () => {
    for (const some of lists) {
      const list = [...some, bodyDeadline] as const;
      await served(
        (_, response) => void response.writeHead(200).write('the first part'),
        async (address) => {
          const instance = axios.create();
          attachRetry(instance, { deadlineMs: 150, deadlineCovers: 'body' }, list);
          const { data } = await instance.get(address, { responseType: 'stream' });
          await expect(new Response(data).text()).rejects.toMatchObject({ code: 'ERR_UNDAUNTED_DEADLINE' });
        },
      );
    }
  });

  test('an incoming request whose forwarding fails keeps the connection to its own client', async () => {
    for (const list of lists) {
      const forward = withRetry(
        (_: string, init?: { body?: object }) => {
          expect(init?.body).toBeDefined();
          return Promise.reject(new TypeError('fetch failed'));
        },
        { schedule },
        list,
      );
      await served(
        (request, response) => {
          forward('http://127.0.0.1:1/', { body: request }).catch(() => response.writeHead(502).end());
        },
        async (address) => {
          const { status } = await fetch(address, { method: 'POST', body: 'a'.repeat(200_000) });
          expect(status).toBe(502);
        },
      );
    }
  });

  test('many requests by fetch may share a signal', async () => {
    const most: number[] = [];
    for (const list of lists) {
      const { signal } = new AbortController();
      await withRetry(failingOnce().fetch, { schedule }, list)(url, { signal });
      most.push(getMaxListeners(signal));
    }
    expect(most).toEqual([10, 1_500]);
  });

  test('a discarded stream by axios leaves no connection open; with the part, the next attempt uses it', async () => {
    const used: number[] = [];
    for (const list of lists) {
      const sockets = new Set<unknown>();
      const closed: Promise<unknown>[] = [];
      const agent = new Agent({ keepAlive: true });
      await served(
        (request, response) => {
          const { socket } = request;
          if (!sockets.has(socket)) closed.push(new Promise((resolve) => socket.once('close', resolve)));
          const status = sockets.size === 0 ? 503 : 200;
          sockets.add(socket);
          response.writeHead(status).end('a rest');
        },
        async (address) => {
          const instance = axios.create({ httpAgent: agent });
          attachRetry(instance, { schedule: { kind: 'fixed', waitMs: 30 }, maxRetries: 1 }, list);
          const { data, status } = await instance.get(address, { responseType: 'stream' });
          expect([status, (await new Response(data).text()) as unknown]).toEqual([200, 'a rest']);
          if (list.length === 0) await closed[0];
        },
      );
      agent.destroy();
      await Promise.all(closed);
      used.push(sockets.size);
    }
    expect(used).toEqual([2, 1]);
  });

  test('nor does one whose length axios limits', async () => {
    for (const list of lists) {
      const closed: Promise<unknown>[] = [];
      await served(
        ({ socket }, response) => {
          if (closed.length > 0) response.end('whole');
          else response.writeHead(503).write('a part');
          closed.push(new Promise((resolve) => socket.once('close', resolve)));
        },
        async (address) => {
          const instance = axios.create({ responseType: 'stream', maxContentLength: 1_000 });
          attachRetry(instance, { schedule, maxRetries: 1 }, list);
          const { data } = await instance.get(address);
          expect(await new Response(data).text()).toBe('whole');
          await closed[0];
        },
      );
    }
  });

  test('an upload that is answered early does not keep its connection from the retry', async () => {
    for (const list of lists) {
      const sockets: Socket[] = [];
      const server = createTcpServer((socket) => {
        const status = sockets.push(socket) === 1 ? 503 : 200;
        socket.on('error', () => undefined);
        socket.once('data', () =>
          socket.pause().write(`HTTP/1.1 ${status} A\r\ncontent-length: 2\r\n\r\nok`),
        );
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const httpAgent = new Agent({ keepAlive: true, maxSockets: 1 });
      const instance = axios.create({ httpAgent, maxBodyLength: Infinity });
      attachRetry(instance, { schedule, maxRetries: 1 }, list);
      const { status } = await instance.put(`http://127.0.0.1:${port}/`, Buffer.alloc(20_000_000));
      expect([status, sockets.length]).toEqual([200, 2]);
      for (const socket of sockets) socket.destroy();
      httpAgent.destroy();
      server.close();
    }
  });

  test('a retry after an answer that was read uses its connection', async () => {
    for (const list of lists) {
      const sockets: unknown[] = [];
      const httpAgent = new Agent({ keepAlive: true });
      await served(
        ({ socket }, response) => response.writeHead(sockets.push(socket) === 1 ? 503 : 200).end('{}'),
        async (address) => {
          const instance = axios.create({ httpAgent });
          attachRetry(instance, { schedule, maxRetries: 1 }, list);
          await instance.put(address, 'a');
        },
      );
      httpAgent.destroy();
      expect([sockets.length, new Set(sockets).size]).toEqual([2, 1]);
    }
  });

  test('over HTTP/2, an answer by axios whose stream was reset is a failure', async () => {
    const sent: number[] = [];
    for (const list of lists) {
      const adapter = vi.fn((config: object) =>
        Promise.resolve({ status: 200, data: '', headers: {}, config, request: { rstCode: 8 } }),
      );
      const instance = axios.create({ adapter: adapter as never });
      attachRetry(instance, { schedule, maxRetries: 1 }, list);
      await instance.get(url).catch(() => undefined);
      sent.push(adapter.mock.calls.length);
    }
    expect(sent).toEqual([1, 2]);
  });

  test("what is kept as a cause of axios's errors is whole, or without the connection", async () => {
    const kept: boolean[] = [];
    for (const list of lists) {
      let sent = 0;
      const instance = axios.create({
        adapter: (config) => {
          sent += 1;
          const reset = new axios.AxiosError('reset', 'ECONNRESET', config, { socket: true });
          if (sent === 1) return Promise.reject(reset);
          return new Promise((_, reject) => {
            config.signal?.addEventListener?.('abort', () => reject(new axios.CanceledError()));
          });
        },
      });
      attachRetry(instance, { schedule, deadlineMs: 100 }, list);
      const error: { cause: object } = await instance.get(url).catch((thrown) => thrown);
      expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_DEADLINE', cause: { code: 'ECONNRESET' } });
      kept.push('request' in error.cause);
    }
    expect(kept).toEqual([true, false]);
  });

  test('an answer that comes before the upload is over can be read, whatever becomes of the upload', async () => {
    for (const list of [[streams], [streams, node]] as const) {
      await served(
        (request, response) => {
          request.resume();
          response.writeHead(500).write('why ');
          setTimeout(() => response.end('it failed'), 100);
        },
        async (address) => {
          const instance = axios.create({ adapter: 'http', responseType: 'stream' });
          attachRetry(instance, { maxRetries: 0 }, list);
          const endless = (): Readable => new Readable({ read() {} }).setEncoding('utf8');
          const body = (): Readable => {
            const stream = endless();
            stream.push('a part');
            return stream;
          };
          const error = await instance.put(address, body).catch((thrown) => thrown);
          expect(await new Response(error.response.data).text()).toBe('why it failed');
          error.request.destroy();
        },
      );
    }
  });

  test('fake timers decide when a retry is sent, and when an attempt has taken too long', async () => {
    vi.useFakeTimers();
    try {
      for (const list of lists) {
        const { fetch, count } = failingOnce();
        const policy = { schedule: { kind: 'fixed', waitMs: 60_000 }, attemptTimeoutMs: 5_000 } as const;
        const answer = withRetry(fetch, policy, list)(url);
        await vi.advanceTimersByTimeAsync(59_990);
        expect(count()).toBe(1);
        await vi.advanceTimersByTimeAsync(20);
        expect((await answer).status).toBe(200);
        const silent = withRetry(
          (_: string, init?: { signal?: AbortSignal }) =>
            new Promise<Response>((__, reject) => {
              init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
            }),
          { ...policy, maxRetries: 0 },
          list,
        )(url).catch((error: { code: string }) => error.code);
        await vi.advanceTimersByTimeAsync(5_010);
        expect(await silent).toBe('ERR_UNDAUNTED_ATTEMPT_TIMEOUT');
      }
    } finally {
      vi.useRealTimers();
    }
  });

  test('a discarded stream by axios frees its connection, which is used again with the part only', async () => {
    for (const list of lists) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const ports = new Set<number | undefined>();
      let count = 0;
      await served(
        (request, response) => {
          count += 1;
          ports.add(request.socket.remotePort);
          response.writeHead(count === 1 ? 503 : 200, { 'content-length': '3' }).end('abc');
        },
        async (address) => {
          const instance = axios.create({ adapter: 'http', httpAgent: agent });
          attachRetry(instance, { schedule: { kind: 'fixed', waitMs: 20 } }, list);
          const { status } = await instance.get(address);
          expect(status).toBe(200);
          count = 0;
          ports.clear();
          const { data } = await instance.get(address, { responseType: 'stream' });
          expect(await new Response(data).text()).toBe('abc');
          expect(ports.size).toBe(list.length === 0 ? 2 : 1);
        },
      );
      agent.destroy();
    }
  });

  test('an error by axios that is kept as a cause is lightened with the part only', async () => {
    for (const list of lists) {
      const instance = axios.create();
      attachRetry(instance, { schedule, deadlineMs: 200 }, list);
      const refused = Object.assign(new Error('refused'), { code: 'ECONNRESET', request: {} });
      let count = 0;
      const adapter = (): Promise<never> => {
        count += 1;
        return count === 1 ? Promise.reject(refused) : new Promise(() => undefined);
      };
      const error: unknown = await instance.get(url, { adapter }).catch((thrown: unknown) => thrown);
      const { cause } = error as Error;
      expect(cause === refused).toBe(list.length === 0);
      expect(cause).toMatchObject({ message: 'refused', code: 'ECONNRESET' });
    }
  });

  test('adapters by name, and bodies that are made for each attempt', async () => {
    for (const some of lists) {
      const list = [...some, streams] as const;
      const got: string[] = [];
      await served(
        async (request, response) => {
          let text = '';
          for await (const chunk of request) text += chunk;
          got.push(text);
          response.writeHead(got.length === 1 ? 503 : 200).end();
        },
        async (address) => {
          for (const adapter of ['http', 'fetch'] as const) {
            got.length = 0;
            const instance = axios.create({ adapter });
            attachRetry(instance, { schedule }, list);
            const make = (): Readable => Readable.from(['made ', 'anew']);
            const { status } = await instance.put(address, adapter === 'http' ? make : 'made anew');
            expect([status, ...got]).toEqual([200, 'made anew', 'made anew']);
          }
        },
      );
    }
  });
});

describe('hint sets', () => {
  test('each is a value under its own name', () => {
    const { bodyHints: _, lenientDates: __, ownHints: ___, ...named } = hints;
    for (const [name, part] of Object.entries(named)) {
      const names = Object.keys(part.sets);
      if (name !== 'vendors') {
        expect(
          names.map((one) => one.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())),
        ).toEqual([name]);
      }
      expect(define({ hints: names }, part).fallback.settings.hints).toBeDefined();
    }
  });

  test.each(Object.keys(hints.vendors.sets) as (keyof typeof hints.vendors.sets)[])(
    '%s brings the reading of bodies if it looks into them',
    (name) => {
      const { readsBody = false, successes = [] } = allHintSets[name];
      const camel = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
      const { needs } = new Map<string, Part>(Object.entries(hints)).get(camel) as Part;
      expect(needs).toEqual(readsBody || successes.length > 0 ? [hints.bodyHints] : undefined);
    },
  );

  test('hints in bodies are a part', () => {
    expect(() => define({ bodyHintBytes: 1_000 })).toThrow(
      /bodyHintBytes: .*bodyHints needs import \{ bodyHints \} from 'undaunted\/parts\/hints'/,
    );
    const problem = { type: 'https://example.com/#abnormal-usage-detected' };
    const readWith = (...list: Part[]) => define({}, ...list).fallback.settings.hints?.(429, {}, problem, 0);
    expect(readWith()).toBeUndefined();
    expect(readWith(hints.bodyHints)?.retry).toBe(false);
  });

  test.each([
    ['Thu, 01 Jan 1970 00:00:05 GMT', 5_000],
    ['Thursday, 01-Jan-70 00:00:05 GMT', 5_000],
    ['Thu Jan  1 00:00:05 1970', 5_000],
    ['thu, 1 Jan 1970 00:00:05 UTC', undefined],
    ['1970-01-01T00:00:05Z', undefined],
  ])('Retry-After: %s, without the part for lenient dates', (date, delayMs) => {
    const readWith = (...list: Part[]) =>
      define({}, ...list).fallback.settings.hints?.(503, { 'retry-after': date }, undefined, 0)?.delayMs;
    expect(readWith() ?? undefined).toBe(delayMs);
    expect(readWith(hints.lenientDates)).toBe(5_000);
  });

  test('hints of one’s own have a part, too', () => {
    const own = { name: 'acme', headers: [{ name: 'x-wait', unit: 's' }] };
    const { hints: read } = define({ hints: [own] }, hints.ownHints).fallback.settings;
    expect(read?.(503, { 'x-wait': '2' }, undefined, 0)?.delayMs).toBe(2_000);
    expect(() => define({ hints: own })).toThrow(
      /ownHints needs import \{ ownHints \} from 'undaunted\/parts\/hints'/,
    );
  });

  test('several lists and all vendors', () => {
    const { github, okta, vendors, heuristic } = hints;
    expect(() => define({ hints: ['github', 'okta'] }, github, okta)).not.toThrow();
    expect(() => define({ hints: ['stripe', 'heuristic', 'common'] }, vendors, heuristic)).not.toThrow();
    expect(problemsOf(() => define({ hints: ['github', 'okta'] }, github))).toEqual([
      ['hints', says('okta', '/hints')],
    ]);
  });
});

describe('a policy carries its parts', () => {
  test('into every entry, and shares its budget there', () => {
    const policy = define({ gate: true }, gate);
    expect(() => withRetry(fetch, policy)).not.toThrow();
    expect(() => attachRetry(axios.create(), policy)).not.toThrow();
    expect(() => withEverything(fetch, policy)).not.toThrow();
    expect(() => withRetry(fetch, createRetrier(policy))).not.toThrow();
    expect(() => withRetry(fetch, defineWithAll({ gate: true, rules: [{ match: '/a' }] }))).not.toThrow();
  });

  test.each(['test', 'production'])('so a list beside a finished one is refused, in %s', (environment) => {
    vi.stubEnv('NODE_ENV', environment);
    const withList = withRetry as (fetch: unknown, policy: unknown, list: readonly Part[]) => unknown;
    const bare = define({});
    const { github, lenientDates } = hints;
    for (const part of [gate, evidence, failures, node, github, lenientDates]) {
      expect(() => withList(fetch, bare, [part])).toThrow(
        'undaunted: a finished policy has its parts: give the list to definePolicy()',
      );
    }
    expect(() => withList(fetch, createRetrier(bare), [github])).toThrow(/has its parts/);
    expect(() => withList(fetch, define({}, github), [github, lenientDates])).toThrow(/has its parts/);

    const full = define({}, gate, failures, github);
    expect(() => withList(fetch, full, [gate, failures, github, check])).not.toThrow();
    expect(() => withList(fetch, defineWithAll({}), [gate, hold, node, streams, hints.github])).not.toThrow();
  });
});

test('what is no part is refused', () => {
  for (const strange of [undefined, null, {}, 'rules', () => undefined]) {
    expect(() => define({}, strange as never)).toThrow(
      /^undaunted: the list after the policy takes parts, such as import \{ rules \} from 'undaunted\/parts', but got /,
    );
  }
});
