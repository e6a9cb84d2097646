/**
 * Time limits run to the head unless they cover the body; the signal is the caller's unless a time limit needs ours.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { getEventListeners, getMaxListeners, setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import {
  AttemptTimeoutError,
  createRetrier,
  DeadlineError,
  type PolicyOptions,
  presets,
} from '../../../src/index.js';
import type { Sleep } from '../../../src/kernel/timers.js';
import { answer, cutBody, silence, stallInBody } from '../../faults/lab.js';
import { unhandled } from '../../unhandled.js';
import { HandTime } from '../hand-time.js';
import { comesTrue, openLab, settled, soon } from '../kit.js';
import { nodeFetch, undiciFetch } from './client.js';

/** A fetch that answers when it is told to, and keeps the signals that it was given. */
function watching(signals: unknown[]): typeof fetch {
  return (input, init) => {
    signals.push(init?.signal);
    return fetch(input, init);
  };
}

test.each<[string, PolicyOptions, boolean]>([
  ['as it is', {}, true],
  ['with ours where a time needs one', { attemptTimeoutMs: 60_000 }, false],
])("the caller's signal goes down %s, and no listener is left", async (_how, policy, isCallers) => {
  const lab = await openLab([answer(503), answer(200)]);
  const signals: unknown[] = [];
  const { signal } = new AbortController();
  // Node's own fetch leaves a listener for each attempt until it is collected; this mock leaves none, so ours would
  // show.
  const mock: typeof fetch = (_input, init) => {
    signals.push(init?.signal);
    return fetch(lab.origin);
  };
  await withRetry(mock, { ...soon, ...policy })(lab.origin, { signal });
  expect(signals.map((one) => one === signal)).toEqual([isCallers, isCallers]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('timers that are given get what the port takes, and nothing of ours', async () => {
  const lab = await openLab(answer(200));
  const given: unknown[][] = [];
  const sleep: Sleep = (...args) => {
    given.push(args);
    return () => undefined;
  };
  const retrier = createRetrier({ attemptTimeoutMs: 8_000, deadlineMs: 9_000 }, { sleep });
  await withRetry(nodeFetch, retrier)(lab.origin);
  expect(given).toEqual([[8_000, expect.any(Function), { judges: 'awake' }]]);
});

test('requests with a time limit may share a signal: Node does not warn of a leak', async () => {
  const lab = await openLab(answer(200));
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const { signal } = new AbortController();
  const fetch = withRetry(nodeFetch, { deadlineMs: 60_000 });
  await Promise.all(Array.from({ length: 20 }, () => fetch(lab.origin, { signal })));
  await setImmediate();
  expect(warnings).toEqual([]);
});

test.each([
  ['as Node’s fetch leaves it', undefined],
  ['the caller’s own', 3],
])('how many listeners a signal may have: %s', async (_name, given) => {
  const lab = await openLab(answer(200));
  const [bare, ours] = [new AbortController(), new AbortController()];
  if (given !== undefined) setMaxListeners(given, bare.signal, ours.signal);
  await nodeFetch(lab.origin, { signal: bare.signal });
  await withRetry(nodeFetch, { deadlineMs: 60_000 })(lab.origin, { signal: ours.signal });
  expect(getMaxListeners(ours.signal)).toBe(getMaxListeners(bare.signal));
});

test('no signal goes down where there is no time and none of the caller’s', async () => {
  const lab = await openLab(answer(200));
  const signals: unknown[] = [];
  await withRetry(watching(signals), soon)(lab.origin);
  expect(signals).toEqual([undefined]);
});

describe.each<[string, PolicyOptions]>([
  ['a deadline', { deadlineMs: 5_000 }],
  ['an attempt timeout', { attemptTimeoutMs: 5_000 }],
])('%s', (_name, policy) => {
  test('ends a request without an answer', async () => {
    const time = new HandTime();
    const lab = await openLab(silence());
    const retrier = createRetrier({ ...soon, ...policy, maxRetries: 0 }, time.ports);
    const answered = settled(withRetry(fetch, retrier)(lab.origin));
    await time.fire(5_000);
    const { error } = await answered;
    expect(error instanceof DeadlineError || error instanceof AttemptTimeoutError).toBe(true);
    await lab.until(({ connections, openSockets }) => openSockets < connections);
    expect(time.pending).toEqual([]);
  });

  test('never cuts the body after the head', async () => {
    const time = new HandTime();
    const lab = await openLab(stallInBody(10));
    const retrier = createRetrier({ ...soon, ...policy }, time.ports);
    const response = await withRetry(fetch, retrier)(lab.origin);
    expect(time.pending).toEqual([]);
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value?.byteLength).toBe(10);
    await reader?.cancel();
  });

  test('the caller aborts the body afterwards, with its own reason', async () => {
    const lab = await openLab(stallInBody(10));
    const aborter = new AbortController();
    const response = await withRetry(fetch, { ...soon, ...policy })(lab.origin, { signal: aborter.signal });
    const reason = new Error('enough');
    const read = settled(response.text());
    aborter.abort(reason);
    expect((await read).error).toBe(reason);
  });
});

test("deadlineCovers: 'body' ends the body with the deadline's error, and the connection with it", async () => {
  const time = new HandTime();
  const lab = await openLab(stallInBody(10));
  const policy = { ...soon, deadlineMs: 5_000, deadlineCovers: 'body' } as const;
  const response = await withRetry(fetch, createRetrier(policy, time.ports))(lab.origin);
  const read = settled(response.text());
  await time.fireAt(5_000);
  expect((await read).error).toBeInstanceOf(DeadlineError);
  await lab.until(({ connections, openSockets }) => openSockets < connections);
});

describe.each([
  ["Node's own", nodeFetch],
  ["undici's", undiciFetch],
])(
  "%s: a timer that covers a body ends with it, and the platform's answer is handed over unchanged",
  (_name, doFetch) => {
    test.each<[string, (response: Response) => Promise<unknown>]>([
      ['is read', (response) => response.text()],
      ['is cancelled', async (response) => response.body?.cancel()],
      ['is read from a copy, too', (response) => Promise.all([response.clone().text(), response.text()])],
    ])('that %s', async (_how, end) => {
      const time = new HandTime();
      const lab = await openLab(answer(200, 'x'.repeat(100_000)));
      const given: Response[] = [];
      const watched: typeof fetch = async (...asked) => {
        const response = await doFetch(...asked);
        given.push(response);
        return response;
      };
      const policy = { ...soon, deadlineMs: 5_000, deadlineCovers: 'body' } as const;
      const response = await withRetry(watched, createRetrier(policy, time.ports))(lab.origin);
      expect([response === given[0], response.bodyUsed, response.body?.locked]).toEqual([true, false, false]);
      expect(time.pending).toHaveLength(1);
      await end(response);
      await time.until(({ pending }) => pending.length === 0);
    });

    test('that breaks off', async () => {
      const time = new HandTime();
      const lab = await openLab(cutBody(100, 10, 'fin'));
      const policy = { ...soon, deadlineMs: 5_000, deadlineCovers: 'body' } as const;
      const response = await withRetry(doFetch, createRetrier(policy, time.ports))(lab.origin);
      await expect(response.text()).rejects.toThrow(TypeError);
      await time.until(({ pending }) => pending.length === 0);
    });
  },
);

test('retryIf may read the body, and the caller gets it unread', async () => {
  const lab = await openLab([answer(200, '{"done":false}'), answer(200, '{"done":true}')]);
  const own = withRetry(fetch, {
    ...soon,
    retryIf: async (outcome) => /false/.test(JSON.stringify(await outcome.body())),
  });
  const response = await own(lab.origin);
  expect(response.bodyUsed).toBe(false);
  expect(await response.json()).toEqual({ done: true });
});

test.each([
  ['a wait', { schedule: { kind: 'fixed', waitMs: 600_000, jitter: 'none' } } as const, 1],
  ['an attempt with a time', { ...soon, attemptTimeoutMs: 600_000 }, 2],
])(
  'a signal without a reason, as packages make them, ends %s with an AbortError',
  async (_what, policy, last) => {
    const listeners = new Set<() => void>();
    const signal = {
      aborted: false,
      addEventListener: (_type: string, listener: () => void) => listeners.add(listener),
      removeEventListener: (_type: string, listener: () => void) => listeners.delete(listener),
    };
    let calls = 0;
    const doFetch = (): Promise<Response> => {
      calls += 1;
      return calls === 2
        ? new Promise(() => undefined)
        : Promise.resolve(new Response(null, { status: 503 }));
    };
    const init = { signal } as unknown as RequestInit;
    const answered = settled(withRetry(doFetch as typeof fetch, policy)('https://a.example/', init));
    expect(await comesTrue(() => calls === last && listeners.size > 0)).toBe(true);
    signal.aborted = true;
    for (const listener of [...listeners]) listener();
    expect((await answered).error).toMatchObject({ name: 'AbortError' });
    expect(listeners.size).toBe(0);
  },
);

test.each<[string, PolicyOptions]>([
  ['an attempt timeout', { attemptTimeoutMs: 20 }],
  ['a deadline', { deadlineMs: 20 }],
])(
  '%s that many requests share is told to each in the async context of its caller',
  async (_name, policy) => {
    const caller = new AsyncLocalStorage<string>();
    const told: [unknown, unknown][] = [];
    const silent: typeof fetch = (input, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => {
          told.push([input, caller.getStore()]);
          reject(init.signal?.reason);
        });
      });
    const send = withRetry(silent, { ...soon, ...policy, maxRetries: 0 });
    const callers = ['a', 'b', 'c'];
    await Promise.all(callers.map((name) => caller.run(name, () => settled(send(name)))));
    expect(told).toEqual(callers.map((name) => [name, name]));
  },
);

test('a clock that throws leaves no request without its deadline', async () => {
  const errors = unhandled();
  let isBroken = false;
  const now = (): number => {
    if (!isBroken) return performance.now();
    isBroken = false;
    throw new Error('no clock');
  };
  /** Of a length that no other test has. */
  const policy: PolicyOptions = { retry: false, deadlineMs: 73 };
  const silent: typeof fetch = (_input, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
    });
  const strange = withRetry(silent, createRetrier(policy, { now }));
  const usual = withRetry(silent, policy);
  const first = settled(usual('https://a.example/'));
  isBroken = true;
  const all = [first, settled(strange('https://a.example/')), settled(usual('https://a.example/'))];
  const results = await Promise.all(all);
  expect(results.map(({ error }) => error)).toMatchObject([
    { code: 'ERR_UNDAUNTED_DEADLINE' },
    { message: 'no clock' },
    { code: 'ERR_UNDAUNTED_DEADLINE' },
  ]);
  expect(errors).toEqual([]);
});

test('requests that are sent and answered in one turn look at the clock no more often than one does', async () => {
  const atOnce: typeof fetch = async () => new Response();
  const retrying = withRetry(atOnce, { ...presets.policies.service, wholeBodyBytes: 0 });
  const send = (): Promise<Response> => retrying('http://a.example/');
  // At first, the gate notes each answer.
  for (let first = 0; first < 20; first += 1) await send();
  const looksOf = async (requests: number): Promise<number> => {
    await setImmediate();
    const clock = vi.spyOn(performance, 'now');
    await Promise.all(Array.from({ length: requests }, send));
    const looks = clock.mock.calls.length;
    clock.mockRestore();
    return looks;
  };
  expect([await looksOf(1), await looksOf(100)]).toEqual([2, 2]);
});

test('a clock that jumps within a turn tells what was sent after a failure from what was sent before', async () => {
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  let status = 200;
  const atOnce: typeof fetch = async () => new Response(null, { status });
  const retrier = createRetrier({ ...presets.policies.service, wholeBodyBytes: 0, maxRetries: 0 });
  const retrying = withRetry(atOnce, retrier);
  const sendAll = async (requests: number, everyMs: number): Promise<void> => {
    for (let sent = 0; sent < requests; sent += 1) {
      now += everyMs;
      expect((await retrying('http://a.example/')).status).toBe(status);
    }
  };
  // The server survives a row of failures, and so the gate is more patient with the next one.
  for (let round = 0; round < 2; round += 1) {
    status = 200;
    await sendAll(12, 50);
    status = 503;
    await sendAll(25, 300);
    status = 200;
    now += 60_000;
    await sendAll(30, 1000);
  }
  expect(retrier.snapshot().scopes.map(({ gates }) => gates)).toEqual([[{ state: 'open' }]]);
});
