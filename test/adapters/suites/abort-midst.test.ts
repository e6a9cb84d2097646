/** Aborts that involve others: in a queue, in a function of the caller's own, with many requests at once. */

import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { answer, type Play, rst, silence } from '../../faults/lab.js';
import { wait } from '../abort-moments.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

/** A hang takes forever; nothing else takes nearly as long. */
vi.setConfig({ testTimeout: 10_000 });

const limits: readonly (readonly [string, PolicyOptions])[] = [
  ['without limits', {}],
  ['with limits', { attemptTimeoutMs: 99_000, deadlineMs: 100_000 }],
];
const schedule = { kind: 'fixed', waitMs: wait, jitter: 'none' } as const;

/** The timers that are left, without the one that limits how long a discarded answer is read. */
const leftOf = ({ pending }: HandTime): readonly number[] => pending.filter((delayMs) => delayMs !== 1_000);

describe.each(subject.givingUp)('$name', ({ way, plain, takesFactories }) => {
  const forgotten = async (listeners: () => number): Promise<void> => {
    if (!way.keepsListening) await expect.poll(listeners, { interval: 1 }).toBe(0);
  };

  describe('while it waits for others', () => {
    test.each(plain)("in the gate's queue, by %s", async (_who, makeCaller) => {
      const time = new HandTime();
      const gate = { failures: 1, deadForMs: 0, probeMs: 60_000, whenShut: 'wait' } as const;
      const retrier = createRetrier({ gate, deadlineMs: 100_000, maxRetries: 0 }, time.ports);
      const lab = await openLab(answer(503));
      const send = way.client(retrier);
      await settled(send(lab.origin));
      const caller = makeCaller();
      const answered = settled(send(lab.origin, caller.asked));
      await time.until(() => retrier.snapshot().scopes[0]?.waiting === 1);
      caller.giveUp();
      caller.expectError((await answered).error);
      expect(retrier.snapshot().scopes[0]?.waiting).toBe(0);
      expect(leftOf(time)).toEqual([]);
      await forgotten(caller.listeners);
      expect(lab.requests).toHaveLength(1);
    });

    test.each(plain)('behind a hold, by %s', async (_who, makeCaller) => {
      const time = new HandTime();
      const retrier = createRetrier({ hold: { refusedShare: 0 }, maxRetries: 0 }, time.ports);
      const lab = await openLab(answer(429, '', { 'retry-after': '30' }));
      const send = way.client(retrier);
      await settled(send(lab.origin));
      const caller = makeCaller();
      const answered = settled(send(lab.origin, caller.asked));
      await time.until((now) => leftOf(now).length === 1);
      caller.giveUp();
      caller.expectError((await answered).error);
      expect(leftOf(time)).toEqual([]);
      await forgotten(caller.listeners);
      expect(lab.requests).toHaveLength(1);
    });
  });

  describe("in the midst of the caller's own function", () => {
    type Made = (giveUp: () => void) => PolicyOptions & { readonly body?: () => unknown };
    const hooks: readonly (readonly [string, Made])[] = [
      ['observe', (giveUp) => ({ observe: ({ type }) => type === 'decision' && giveUp() })],
      [
        'observe, of the last decision',
        (giveUp) => ({ maxRetries: 0, observe: ({ type }) => type === 'decision' && giveUp() }),
      ],
      ['retryIf', (giveUp) => ({ retryIf: () => void giveUp() })],
      ['beforeRetry', (giveUp) => ({ beforeRetry: giveUp })],
      [
        'schedule',
        (giveUp) => ({
          schedule: () => {
            giveUp();
            return wait;
          },
        }),
      ],
    ];
    const bodies: readonly (readonly [string, Made])[] = [
      [
        'the body of the first attempt',
        (giveUp) => ({
          body: () => {
            giveUp();
            return 'text';
          },
        }),
      ],
      [
        'the body of the first attempt, later',
        (giveUp) => ({
          body: async () => {
            await new Promise(setImmediate);
            giveUp();
            return 'text';
          },
        }),
      ],
    ];
    const afterwards: readonly (readonly [string, Play])[] = [
      ['an answer', answer(503)],
      ['an error', rst()],
    ];
    const moments = [
      ...hooks.flatMap(([name, made]) =>
        afterwards.map(([after, play]) => ({ name: `${name} after ${after}`, made, play, requests: 1 })),
      ),
      ...(takesFactories ? bodies : []).map(([name, made]) => ({
        name,
        made,
        play: answer(503) as Play,
        requests: 0,
      })),
    ];
    const cells = moments.flatMap((moment) =>
      limits.flatMap(([limited, policy]) =>
        plain.map(([who, makeCaller]) => [moment.name, limited, who, moment, policy, makeCaller] as const),
      ),
    );

    test.each(cells)(
      '%s, %s, by %s: nothing is sent any more',
      async (_name, _limited, _who, { made, play, requests }, policy, makeCaller) => {
        const time = new HandTime();
        const caller = makeCaller();
        const { body = 'text', ...given } = made(caller.giveUp);
        const lab = await openLab(play);
        const send = way.client(createRetrier({ schedule, ...policy, ...given }, time.ports));
        const answered = settled(send(lab.origin, { method: 'PUT', body, ...caller.asked }));
        if (given.beforeRetry !== undefined) await time.fire(wait);
        caller.expectError((await answered).error);
        expect(leftOf(time)).toEqual([]);
        await forgotten(caller.listeners);
        expect(lab.requests).toHaveLength(requests);
      },
    );
  });

  test.each(plain)('all waiting callers share one %s', async (_who, makeCaller) => {
    const time = new HandTime();
    const lab = await openLab(answer(503));
    const send = way.client(createRetrier({ schedule }, time.ports));
    const caller = makeCaller();
    const isWaiting = (delayMs: number): boolean => delayMs === wait;
    const answers = Array.from({ length: 20 }, () => settled(send(lab.origin, caller.asked)));
    await time.until(({ pending }) => pending.filter(isWaiting).length === 20);
    caller.giveUp();
    for (const { error } of await Promise.all(answers)) caller.expectError(error);
    expect(leftOf(time)).toEqual([]);
    await forgotten(caller.listeners);
    expect(lab.requests).toHaveLength(20);
  });

  test('one of many waiting callers aborts; the others get their answers', async () => {
    const time = new HandTime();
    const first = new Set<string>();
    const lab = await openLab(({ path }) => {
      const isFirst = !first.has(path);
      first.add(path);
      return answer(isFirst ? 503 : 200, path);
    });
    const send = way.client(createRetrier({ schedule }, time.ports));
    const [, makeCaller] = plain[0] ?? [];
    if (makeCaller === undefined) throw new Error('no caller aborts');
    const callers = Array.from({ length: 20 }, makeCaller);
    const answers = callers.map((caller, n) => settled(send(`${lab.origin}/${n}`, caller.asked)));
    const waiting = ({ pending }: HandTime): number => pending.filter((delayMs) => delayMs === wait).length;
    await time.until((now) => waiting(now) === 20);
    callers[7]?.giveUp();
    callers[7]?.expectError((await answers[7])?.error);
    expect(waiting(time)).toBe(19);
    for (let woken = 0; woken < 19; woken += 1) await time.fire(wait);
    const got = (await Promise.all(answers)).map(({ value }) => value?.text);
    expect(got).toEqual(callers.map((_, n) => (n === 7 ? undefined : `/${n}`)));
    expect(lab.requests.filter(({ path }) => path === '/7')).toHaveLength(1);
    for (const caller of callers) await forgotten(caller.listeners);
  });

  test.runIf(takesFactories)(
    'a body that is made too late is closed, and the caller’s option stays as it is',
    async () => {
      const lab = await openLab(answer(200));
      let deliver = (_body: Readable): void => undefined;
      let hasBegun = (): void => undefined;
      const begun = new Promise<void>((resolve) => {
        hasBegun = resolve;
      });
      const body = (): Promise<Readable> => {
        hasBegun();
        return new Promise((resolve) => {
          deliver = resolve;
        });
      };
      const controller = new AbortController();
      const asked = { method: 'PUT', body, signal: controller.signal };
      const answered = settled(way.client(soon)(lab.origin, asked));
      await begun;
      controller.abort();
      const { error } = await answered;
      const stream = Readable.from(['never sent']);
      const closed = new Promise((resolve) => stream.once('close', resolve));
      deliver(stream);
      await closed;
      subject.expectOwn(error, asked);
      expect(lab.requests).toHaveLength(0);
    },
  );

  test('a probe that is given up makes room for the next one', async () => {
    const time = new HandTime();
    const lab = await openLab([answer(503), silence(), answer(200, 'back')]);
    const gate = { failures: 1, deadForMs: 0, probeMs: 1_000 };
    const send = way.client(createRetrier({ maxRetries: 0, gate }, time.ports));
    await settled(send(lab.origin));
    time.now = 10_000;
    const controller = new AbortController();
    const probe = settled(send(lab.origin, { signal: controller.signal }));
    await lab.until(({ requests }) => requests.length === 2);
    controller.abort();
    expect((await probe).error).toBeInstanceOf(Error);
    expect((await send(lab.origin)).text).toBe('back');
  });
});

describe('one caller of many requests', () => {
  const [first] = subject.givingUp;
  const allCallers = (first?.plain ?? []).flatMap(([who, makeCaller]) =>
    limits.map(([limited, policy]) => [who, limited, makeCaller, policy] as const),
  );

  test.each(allCallers)(
    '%s that is used two hundred times, %s',
    async (_who, _limited, makeCaller, policy) => {
      const warnings: Error[] = [];
      const onWarning = (warning: Error): unknown => warnings.push(warning);
      process.on('warning', onWarning);
      onTestFinished(() => void process.off('warning', onWarning));
      const caller = makeCaller();
      const time = new HandTime();
      const sleep: HandTime['ports']['sleep'] = (delayMs, wake, options) => {
        const cancel = time.ports.sleep(delayMs, wake, options);
        if (options?.unref === false) queueMicrotask(() => void time.fire(delayMs));
        return cancel;
      };
      const instant = { kind: 'fixed', waitMs: 0, jitter: 'none' } as const;
      const retrier = createRetrier(
        { ...policy, schedule: instant, budget: false },
        { ...time.ports, sleep },
      );
      const statuses = Array.from({ length: 400 }, (_, n) => (n % 2 === 0 ? 503 : 200));
      const { send, attempts } = subject.mocked(statuses, retrier);
      for (let sent = 0; sent < 200; sent += 1) {
        expect((await send('https://api.example.com/', caller.asked)).text).toBe('said');
        // Some clients release the signal a turn later.
        await new Promise(setImmediate);
      }
      expect(attempts()).toBe(400);
      await expect.poll(() => caller.listeners(), { interval: 1 }).toBe(0);
      expect(leftOf(time)).toEqual([]);
      await new Promise(setImmediate);
      expect(warnings.map(String)).toEqual([]);
    },
  );
});
