/** AsyncLocalStorage: every attempt and every hook runs in the caller's context, not in the socket's. */

import { AsyncLocalStorage, createHook, executionAsyncId } from 'node:async_hooks';
import diagnostics from 'node:diagnostics_channel';
import type { Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { OverrideOptions, PolicyOptions } from '../../../src/core/policy/options.js';
import {
  answer,
  closeAfter,
  informational,
  type Lab,
  type Play,
  refusedOrigin,
  rst,
} from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { undici } from './client.js';
import { native, recorder } from './generations.js';
import { openAgent, retryingAgent } from './kit.js';

const caller = new AsyncLocalStorage<string>();

/** The context in which each request was made, by path: undici publishes it at each dispatch. */
function contextsOfRequests(): Map<string, (string | undefined)[]> {
  const contexts = new Map<string, (string | undefined)[]>();
  const onCreate = (message: unknown): void => {
    const { path } = (message as { request: { path: string } }).request;
    contexts.set(path, [...(contexts.get(path) ?? []), caller.getStore()]);
  };
  diagnostics.subscribe('undici:request:create', onCreate);
  onTestFinished(() => void diagnostics.unsubscribe('undici:request:create', onCreate));
  return contexts;
}

type Send = (dispatcher: Dispatcher, lab: Lab, path: string) => Promise<unknown>;

const ways: [string, Send][] = [
  [
    'request()',
    async (dispatcher, { origin }, path) => {
      const { body } = await dispatcher.request({ origin, path, method: 'PUT', body: 'hello' });
      await body.dump();
    },
  ],
  [
    'fetch()',
    async (dispatcher, { origin }, path) => {
      const response = await undici.fetch(`${origin}${path}`, { dispatcher, method: 'PUT', body: 'hello' });
      await response.text();
    },
  ],
];

const failures: [string, Play][] = [
  ['503', answer(503, 'no')],
  ['503 with close', closeAfter(answer(503))],
  ['RST', rst()],
];

describe.each(ways)('%s', (_way, send) => {
  test.each(failures)(
    'each attempt is made in the context of its caller: after a %s',
    async (_name, failure) => {
      const contexts = contextsOfRequests();
      const lab = await openLab((request) =>
        request.path !== '/warm' && request.number <= 5 ? failure : answer(200),
      );
      // Uses connections that other requests opened, and as many as it takes: a pool dispatches queued requests in the
      // context of the socket that becomes free, with or without retry().
      const dispatcher = retryingAgent({ ...soon, maxRetries: 9 });
      await caller.run('WARM', () => send(dispatcher, lab, '/warm'));
      await Promise.all(['A', 'B'].map((name) => caller.run(name, () => send(dispatcher, lab, `/${name}`))));
      expect([...new Set(contexts.get('/A'))]).toEqual(['A']);
      expect([...new Set(contexts.get('/B'))]).toEqual(['B']);
      const made = (contexts.get('/A') ?? []).length + (contexts.get('/B') ?? []).length;
      expect(made).toBe(2 + 4);
    },
  );

  test('of a refused connection, too', async () => {
    const contexts = contextsOfRequests();
    const lab = { origin: await refusedOrigin() } as Lab;
    await caller.run('A', () => settled(send(retryingAgent(), lab, '/A')));
    expect(contexts.get('/A')).toEqual(['A', 'A', 'A', 'A']);
  });
});

describe('hooks', () => {
  /** Each hook records its name and the context that it runs in. */
  function watched(seen: [string, string | undefined][], isAsync: boolean): PolicyOptions {
    const see = (name: string): void => void seen.push([name, caller.getStore()]);
    return {
      ...soon,
      scope: (request) => {
        see('scope');
        return request.origin ?? '';
      },
      schedule: () => {
        see('schedule');
        return 1;
      },
      retryIf: isAsync
        ? async () => {
            await undefined;
            see('retryIf');
            return undefined;
          }
        : () => {
            see('retryIf');
            return undefined;
          },
      beforeRetry: isAsync
        ? async () => {
            await new Promise((resolve) => setImmediate(resolve));
            see('beforeRetry');
          }
        : () => see('beforeRetry'),
      observe: ({ type }) => see(type),
      idempotencyKey: {
        generate: () => {
          see('generate');
          return 'key';
        },
      },
    };
  }

  test.each([false, true])('all run in the context of the caller, async: %s', async (isAsync) => {
    const seen: [string, string | undefined][] = [];
    const published: (string | undefined)[] = [];
    const onDecision = (): void => void published.push(caller.getStore());
    diagnostics.subscribe('undaunted:decision', onDecision);
    onTestFinished(() => void diagnostics.unsubscribe('undaunted:decision', onDecision));
    const lab = await openLab((request) => {
      if (request.path === '/warm') return answer(200);
      return [answer(429), rst(), closeAfter(answer(429)), answer(200)][request.number - 2] ?? answer(200);
    });
    const dispatcher = retryingAgent(
      { ...watched(seen, isAsync), maxRetries: 9, unsafeMethods: 'refused' },
      { connections: 1 },
    );
    const send = async (path: string): Promise<void> => {
      const { body } = await dispatcher.request({
        origin: lab.origin,
        path,
        method: 'POST',
        body: (() => {
          seen.push(['body', caller.getStore()]);
          return 'hello';
        }) as never,
      });
      await body.dump();
    };
    await caller.run('WARM', () => send('/warm'));
    seen.length = 0;
    published.length = 0;
    await caller.run('A', () => send('/A'));
    expect(seen.filter(([, context]) => context !== 'A')).toEqual([]);
    expect(published.filter((context) => context !== 'A')).toEqual([]);
    const count = (name: string): number => seen.filter(([hook]) => hook === name).length;
    expect(
      ['scope', 'generate', 'body', 'retryIf', 'beforeRetry', 'schedule', 'decision', 'settled'].map(count),
    ).toEqual([1, 1, 4, 4, 3, 1, 4, 1]);
    expect(published).toHaveLength(5);
  });

  test('of a request that succeeds at once: events come in the context of the caller', async () => {
    const seen: (string | undefined)[] = [];
    const lab = await openLab(answer(200));
    const dispatcher = retryingAgent({ observe: () => seen.push(caller.getStore()) }, { connections: 1 });
    for (const name of ['WARM', 'A']) {
      const { body } = await caller.run(name, () =>
        dispatcher.request({ origin: lab.origin, path: '/', method: 'GET' }),
      );
      await body.dump();
    }
    expect(seen).toEqual(['WARM', 'A']);
  });

  test('of a request whose handler throws: its end comes in the context of the caller', async () => {
    const seen: (string | undefined)[] = [];
    const lab = await openLab(({ path }) =>
      path === '/WARM' ? answer(200) : informational(103, {}, answer(200)),
    );
    const dispatcher = retryingAgent({ observe: () => seen.push(caller.getStore()) }, { connections: 1 });
    const onHead = (status: number): void => {
      if (status === 103) throw new TypeError('of the handler');
    };
    for (const name of ['WARM', 'A']) {
      const heard = recorder(native, { onHead });
      const asked = { origin: lab.origin, path: `/${name}`, method: 'GET' } as const;
      caller.run(name, () => dispatcher.dispatch(asked, heard));
      await heard.settled;
    }
    expect(seen).toEqual(['WARM', 'A']);
  });

  test('of an attempt that takes too long, and of a request that does', async () => {
    const seen: [string, string | undefined][] = [];
    const lab = await openLab((request) =>
      request.path === '/warm' ? answer(200) : { steps: [{ do: 'stall' }] },
    );
    const policy: PolicyOptions = {
      ...soon,
      maxRetries: 1,
      observe: (event) => seen.push([event.type, caller.getStore()]),
    };
    const dispatcher = retryingAgent(policy, { connections: 1 });
    // The request that is answered has no time limit.
    const send = (path: string, retry: OverrideOptions = {}) =>
      dispatcher.request({ origin: lab.origin, path, method: 'GET', retry });
    const { body } = await caller.run('WARM', () => send('/warm'));
    await body.dump();
    seen.length = 0;
    const { error } = await caller.run('A', () => settled(send('/A', { attemptTimeoutMs: 50 })));
    expect(error).toMatchObject({ name: 'AttemptTimeoutError' });
    expect(seen).toEqual([
      ['decision', 'A'],
      ['decision', 'A'],
      ['settled', 'A'],
    ]);
  });
});

test('interceptors underneath run in the context of the caller, also in a retry', async () => {
  const seen: (string | undefined)[] = [];
  const lab = await openLab([answer(200), closeAfter(answer(503)), rst(), answer(200)]);
  const dispatcher = openAgent({ connections: 1 }).compose(
    (dispatch) => (options, handler) => {
      seen.push(caller.getStore());
      return dispatch(options, handler);
    },
    retry(soon),
  );
  for (const name of ['WARM', 'A']) {
    const { body } = await caller.run(name, () =>
      dispatcher.request({ origin: lab.origin, path: '/', method: 'GET' }),
    );
    await body.dump();
  }
  expect(seen).toEqual(['WARM', 'A', 'A', 'A']);
});

test('the head of a retry that succeeds comes in the context of the caller', async () => {
  const { origin } = await openLab(({ number }) => answer(number === 2 ? 503 : 200));
  const dispatcher = openAgent({ connections: 1 }).compose(retry(soon));
  const contextOfHead = (name: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart() {},
        onResponseStart: () => resolve(caller.getStore()),
        onResponseData() {},
        onResponseEnd() {},
        onResponseError: (_, error) => reject(error),
      };
      caller.run(name, () => dispatcher.dispatch({ origin, path: '/', method: 'GET' }, handler));
    });
  // Its context is that of the connection from then on.
  expect(await contextOfHead('WARM')).toBe('WARM');
  expect(await contextOfHead('A')).toBe('A');
});

test('async hooks are told that the code which makes a request triggers it', async () => {
  const triggers: number[] = [];
  const hook = createHook({
    init: (_id, type, triggerAsyncId) => {
      if (type === 'UNDAUNTED') triggers.push(triggerAsyncId);
    },
  }).enable();
  onTestFinished(() => void hook.disable());
  const lab = await openLab([answer(200), answer(503), answer(200)]);
  const dispatcher = retryingAgent(soon);
  const makers: number[] = [];
  for (const path of ['/first', '/second']) {
    makers.push(executionAsyncId());
    const { body } = await dispatcher.request({ origin: lab.origin, path, method: 'GET' });
    await body.dump();
  }
  expect(triggers).toEqual(makers);
  expect(new Set(makers).size).toBe(2);
});

describe('what is answered within the dispatch, by an interceptor with a context of its own', () => {
  /** Answers at once: the first time with this status, then with 200. */
  function answering(first: number): Dispatcher.DispatcherComposeInterceptor {
    let status = first;
    return () => (_options, handler) => {
      const { onRequestStart, onResponseStart, onResponseEnd } = handler;
      const controller = { paused: false, aborted: false, reason: null, resume() {}, pause() {}, abort() {} };
      caller.run('BENEATH', () => {
        onRequestStart?.call(handler, controller as never, {});
        onResponseStart?.call(handler, controller as never, status, {}, 'said');
        onResponseEnd?.call(handler, controller as never, {});
      });
      status = 200;
      return true;
    };
  }

  function send(policy: PolicyOptions, first: number): Promise<unknown> {
    const dispatcher = openAgent().compose(answering(first), retry({ ...soon, ...policy }));
    return caller.run('A', () =>
      dispatcher.request({ origin: 'http://a.example', path: '/', method: 'GET' }),
    );
  }

  const policies: [string, number, (see: () => number) => PolicyOptions][] = [
    ['retryIf', 503, (see) => ({ retryIf: () => void see() })],
    ['schedule', 503, (see) => ({ schedule: see })],
    ['throttledSchedule', 429, (see) => ({ throttledSchedule: see })],
    ['observe', 503, (see) => ({ observe: () => void see() })],
  ];

  test.each(policies)('%s is called in the context of the caller', async (_name, status, policyWith) => {
    const seen: (string | undefined)[] = [];
    await send(
      policyWith(() => seen.push(caller.getStore())),
      status,
    );
    expect(seen[0]).toBe('A');
  });

  test('a retry is made in the context of the caller', async () => {
    const seen: (string | undefined)[] = [];
    const see: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
      seen.push(caller.getStore());
      return dispatch(options, handler);
    };
    const dispatcher = openAgent().compose(answering(503), see, retry(soon));
    await caller.run('A', () => dispatcher.request({ origin: 'http://a.example', path: '/', method: 'GET' }));
    expect(seen).toEqual(['A', 'A']);
  });
});
