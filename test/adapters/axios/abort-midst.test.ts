/** A caller who gives up where others have a part: a queue, a function of the caller's own, many requests at once. */

import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { answer, silence } from '../../faults/lab.js';
import { wait } from '../abort-moments.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { attemptTimeoutMs, deadlineMs } from './abort-scenes.js';
import { bySignal, byToken, expectCanceled, plainCallers } from './callers.js';
import { axios } from './client.js';
import { retryingInstance } from './kit.js';

/** What hangs takes forever; nothing else takes nearly so long. */
vi.setConfig({ testTimeout: 10_000 });

const adapters = ['http', 'fetch'] as const;
const limits: readonly [string, PolicyOptions][] = [
  ['without limits', {}],
  ['with limits', { attemptTimeoutMs, deadlineMs }],
];

describe('while it waits for others', () => {
  test.each(plainCallers)("in the gate's queue, by %s", async (_who, makeCaller) => {
    const time = new HandTime();
    const gate = { failures: 1, deadForMs: 0, probeMs: 1_000, whenShut: 'wait' } as const;
    const retrier = createRetrier({ gate, deadlineMs, maxRetries: 0 }, time.ports);
    const lab = await openLab(answer(503));
    const instance = retryingInstance(retrier);
    await settled(instance.get(lab.origin));
    const caller = makeCaller(axios);
    const answered = settled(instance.get(lab.origin, caller.config));
    await time.until(({ pending }) => pending.length === 1);
    expect(retrier.snapshot().scopes[0]?.waiting).toBe(1);
    caller.giveUp();
    expectCanceled((await answered).error, axios);
    expect(retrier.snapshot().scopes[0]?.waiting).toBe(0);
    expect(time.pending).toEqual([]);
    expect(caller.listeners()).toBe(0);
    expect(lab.requests).toHaveLength(1);
  });

  test.each(plainCallers)('behind a hold, by %s', async (_who, makeCaller) => {
    const time = new HandTime();
    const retrier = createRetrier({ hold: { refusedShare: 0 }, maxRetries: 0 }, time.ports);
    const lab = await openLab(answer(429, '', { 'retry-after': '30' }));
    const instance = retryingInstance(retrier);
    await settled(instance.get(lab.origin));
    const caller = makeCaller(axios);
    const answered = settled(instance.get(lab.origin, caller.config));
    await time.until(({ pending }) => pending.length === 1);
    caller.giveUp();
    expectCanceled((await answered).error, axios);
    expect(time.pending).toEqual([]);
    expect(caller.listeners()).toBe(0);
    expect(lab.requests).toHaveLength(1);
  });
});

describe("the caller's own timeout", () => {
  test.each(adapters)('AbortSignal.timeout() is final, %s', async (adapter) => {
    const time = new HandTime();
    const lab = await openLab(silence());
    const instance = retryingInstance(createRetrier(soon, time.ports), { adapter });
    const { error } = await settled(instance.get(lab.origin, { signal: AbortSignal.timeout(200) }));
    expectCanceled(error, axios, adapter === 'fetch');
    expect(time.timers).toEqual([]);
    expect(lab.requests.length).toBeLessThanOrEqual(1);
  });

  test('AbortSignal.timeout() ends a wait', async () => {
    const time = new HandTime();
    const lab = await openLab(answer(503));
    const instance = retryingInstance(createRetrier(soon, time.ports));
    const { error } = await settled(instance.get(lab.origin, { signal: AbortSignal.timeout(500) }));
    expectCanceled(error, axios);
    expect(time.timers).toHaveLength(1);
    expect(time.pending).toEqual([]);
  });
});

describe("in the midst of the caller's own function", () => {
  type Made = (giveUp: () => void) => PolicyOptions & { readonly data?: () => unknown };
  const functions: readonly [string, Made, number][] = [
    ['observe', (giveUp) => ({ observe: ({ type }) => type === 'decision' && giveUp() }), 1],
    ['retryIf', (giveUp) => ({ retryIf: () => void giveUp() }), 1],
    ['beforeRetry', (giveUp) => ({ beforeRetry: giveUp }), 1],
    [
      'schedule',
      (giveUp) => ({
        schedule: () => {
          giveUp();
          return wait;
        },
      }),
      1,
    ],
    [
      'the body of the first attempt',
      (giveUp) => ({
        data: () => {
          giveUp();
          return 'text';
        },
      }),
      0,
    ],
    [
      'the body of the first attempt, later',
      (giveUp) => ({
        data: async () => {
          await new Promise(setImmediate);
          giveUp();
          return 'text';
        },
      }),
      0,
    ],
  ];
  const cells = functions.flatMap(([name, made, requests]) =>
    adapters.flatMap((adapter) =>
      limits.flatMap(([limited, policy]) =>
        plainCallers.map(
          ([who, makeCaller]) => [name, adapter, limited, who, made, policy, makeCaller, requests] as const,
        ),
      ),
    ),
  );

  test.each(cells)(
    '%s, %s, %s, by %s: nothing is sent any more',
    async (_name, adapter, _limited, _who, made, policy, makeCaller, requests) => {
      const time = new HandTime();
      const caller = makeCaller(axios);
      const { data, ...hooks } = made(caller.giveUp);
      const schedule = { kind: 'fixed', waitMs: wait, jitter: 'none' } as const;
      const retrier = createRetrier({ schedule, ...policy, ...hooks }, time.ports);
      const lab = await openLab(answer(503));
      const instance = retryingInstance(retrier, { adapter });
      const request = { url: lab.origin, method: 'PUT', data: data ?? 'text' };
      const answered = settled(instance.request({ ...request, ...caller.config }));
      if (hooks.beforeRetry !== undefined) await time.fire(wait);
      expectCanceled((await answered).error, axios);
      expect(time.pending).toEqual([]);
      await expect.poll(() => caller.listeners(), { interval: 1 }).toBe(0);
      expect(lab.requests).toHaveLength(requests);
    },
  );
});

describe('a body that is made too late', () => {
  test('is closed, and the configuration stays the caller’s', async () => {
    const lab = await openLab(answer(200));
    let deliver = (_body: Readable): void => undefined;
    let hasBegun = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      hasBegun = resolve;
    });
    const data = (): Promise<Readable> => {
      hasBegun();
      return new Promise((resolve) => {
        deliver = resolve;
      });
    };
    const instance = retryingInstance(soon);
    const controller = new AbortController();
    const answered = settled(instance.put(lab.origin, data, { signal: controller.signal }));
    await begun;
    controller.abort();
    const { error } = await answered;
    const body = Readable.from(['never sent']);
    const closed = once(body, 'close');
    deliver(body);
    await closed;
    expect((error as { config: { data: unknown } }).config.data).toBe(data);
    expect(lab.requests).toHaveLength(0);
  });
});

describe('one caller of many requests', () => {
  test.each(limits)('a signal and a token that are used a thousand times, %s', async (_limited, policy) => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): unknown => warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const signal = bySignal();
    const token = byToken(axios);
    let calls = 0;
    const everySecondTime = async (config: object) => {
      calls += 1;
      return { status: calls % 2 === 0 ? 200 : 503, statusText: '', data: 'text', headers: {}, config };
    };
    const time = new HandTime();
    const schedule = { kind: 'fixed', waitMs: 0, jitter: 'none' } as const;
    const sleep: HandTime['ports']['sleep'] = (delayMs, wake, options) => {
      const cancel = time.ports.sleep(delayMs, wake, options);
      if (options?.unref === false) queueMicrotask(() => void time.fire(delayMs));
      return cancel;
    };
    const retrier = createRetrier({ ...policy, schedule, budget: false }, { ...time.ports, sleep });
    const instance = retryingInstance(retrier, { adapter: everySecondTime as never });
    for (let sent = 0; sent < 1_000; sent += 1) {
      const { data } = await instance.get('http://x.invalid/', { ...signal.config, ...token.config });
      expect(data).toBe('text');
    }
    expect(calls).toBe(2_000);
    expect(signal.listeners()).toBe(0);
    expect(token.listeners()).toBe(0);
    expect(time.pending).toEqual([]);
    await new Promise(setImmediate);
    expect(warnings).toEqual([]);
  });

  test('one of many who wait gives up; the others get their answers', async () => {
    const time = new HandTime();
    const first = new Set<string>();
    const lab = await openLab(({ path }) => {
      const isFirst = !first.has(path);
      first.add(path);
      return answer(isFirst ? 503 : 200, path);
    });
    const schedule = { kind: 'fixed', waitMs: wait, jitter: 'none' } as const;
    const instance = retryingInstance(createRetrier({ schedule }, time.ports), { baseURL: lab.origin });
    const callers = Array.from({ length: 20 }, () => bySignal());
    const answers = callers.map((caller, n) => settled(instance.get(`/${n}`, caller.config)));
    await time.until(({ pending }) => pending.length === 20);
    callers[7]?.giveUp();
    expectCanceled((await answers[7])?.error, axios);
    expect(time.pending).toHaveLength(19);
    for (let woken = 0; woken < 19; woken += 1) await time.fire(wait);
    const got = (await Promise.all(answers)).map(({ value }) => value?.data as unknown);
    expect(got).toEqual(callers.map((_, n) => (n === 7 ? undefined : `/${n}`)));
    expect(lab.requests.filter(({ path }) => path === '/7')).toHaveLength(1);
    for (const caller of callers) expect(caller.listeners()).toBe(0);
  });

  test.each(plainCallers)('all who wait share one %s', async (_who, makeCaller) => {
    const time = new HandTime();
    const lab = await openLab(answer(503));
    const schedule = { kind: 'fixed', waitMs: wait, jitter: 'none' } as const;
    const instance = retryingInstance(createRetrier({ schedule }, time.ports));
    const caller = makeCaller(axios);
    const answers = Array.from({ length: 20 }, () => settled(instance.get(lab.origin, caller.config)));
    await time.until(({ pending }) => pending.length === 20);
    caller.giveUp();
    for (const { error } of await Promise.all(answers)) expectCanceled(error, axios);
    expect(time.pending).toEqual([]);
    expect(caller.listeners()).toBe(0);
    expect(lab.requests).toHaveLength(20);
  });
});
