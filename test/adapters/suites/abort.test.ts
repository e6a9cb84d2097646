/** An abort takes effect at once, wherever the request is, and nothing happens afterwards. */

import { describe, expect, test, vi } from 'vitest';
import { createRetrier, type PolicyOptions, type RequestEvent } from '../../../src/index.js';
import { answer, silence, stallInBody } from '../../faults/lab.js';
import { thinker, wait } from '../abort-moments.js';
import { HandTime, withTimersBelow } from '../hand-time.js';
import { openFullBacklog, openLab, settled, soon } from '../kit.js';
import { hedging, type Scene, scenesFor } from './abort-scenes.js';
import type { Caller, GivingUp } from './callers.js';
import { warm } from './hedged.js';
import { type Reply, theSubject } from './subject.js';

const subject = await theSubject();

/** A hang takes forever; nothing else takes nearly as long. */
vi.setConfig({ testTimeout: 10_000 });

/** Time limits of the requests; they fire only in tests that wait for them. */
const attemptTimeoutMs = 99_000;
const deadlineMs = 100_000;
const limits: readonly (readonly [string, PolicyOptions])[] = [
  ['without limits', {}],
  ['with limits', { attemptTimeoutMs, deadlineMs, deadlineCovers: 'body' }],
];

/** How long a discarded answer is read at most. */
const drainMs = 1_000;
const leftOf = ({ pending }: HandTime): readonly number[] => pending.filter((delayMs) => delayMs !== drainMs);

/** Plays a scene and aborts; checks that nothing is left behind, and that the request ended once. */
async function playAndGiveUp(
  { way }: GivingUp,
  scene: Scene,
  makeCaller: () => Caller,
  policy: PolicyOptions,
): Promise<void> {
  const time = new HandTime();
  const events: RequestEvent[] = [];
  const { asked, ask: think } = thinker();
  let isOver = false;
  const ask = (): Promise<never> => (isOver ? Promise.resolve(undefined as never) : think());
  const schedule = { kind: 'fixed', waitMs: wait, jitter: 'none' } as const;
  const observe = (event: RequestEvent): unknown => events.push(event);
  const retrier = createRetrier({ schedule, ...policy, ...scene.policy?.(ask), observe }, time.ports);
  if (scene.hedgeMs !== undefined) {
    warm(retrier, time, 20);
    events.length = 0;
  }
  const lab = await openLab(scene.plays);
  const caller = makeCaller();
  const { send, bare } = way.beside?.(retrier) ?? { send: way.client(retrier) };
  const answered = settled(send(lab.origin, { ...scene.request?.(ask), ...caller.asked }));
  await scene.reach({ lab, time: withTimersBelow(attemptTimeoutMs, time), asked });
  caller.giveUp();
  const { error } = await answered;

  caller.expectError(error, scene.isSending);
  expect(leftOf(time)).toEqual([]);
  // Some clients release the signal a turn later.
  if (!way.keepsListening) await expect.poll(() => caller.listeners(), { interval: 1 }).toBe(0);
  expect(lab.requests).toHaveLength(scene.requests);
  expect(events.filter(({ type }) => type === 'settled')).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ type: 'settled' });

  isOver = true;
  lab.play(answer(200, 'next'));
  // Anything that the abort left on the connections would disturb the next request, with or without retries.
  expect((await (bare ?? send)(`${lab.origin}/next`)).text).toBe('next');
  expect(lab.requests.map(({ path }) => path)).toEqual(['/next']);
}

describe.each(subject.givingUp)('$name', (giving) => {
  const scenes = [...scenesFor(giving.takesFactories), ...(subject.hedges === true ? hedging : [])];

  // Each caller in each scene: one of them with and without time limits, the others with and without them in turns.
  const rows = scenes.flatMap(([place, scene], n) =>
    [...giving.plain, ...giving.rare].flatMap(([who, makeCaller], m) =>
      limits
        .filter((_limit, k) => m === 0 || (n + m) % limits.length === k)
        .map(([limited, policy]) => [place, who, limited, scene, makeCaller, policy] as const),
    ),
  );
  test.each(rows)('%s, by %s, %s', async (_place, _who, _limited, scene, makeCaller, policy) => {
    await playAndGiveUp(giving, scene, makeCaller, policy);
  });

  const { bare: makeBare } = giving;
  if (makeBare === undefined) return;
  describe('as the bare client says it', () => {
    const said = ({ value, error }: { readonly value?: Reply; readonly error?: unknown }) => {
      if (error === undefined) return value?.status;
      const { name, message, code, constructor: type } = error as Error & { code?: unknown };
      return { name, message, code, type, hasConfig: 'config' in Object(error) };
    };
    const allCallers = [...giving.plain, ...giving.rare];

    // Bare undici notices an abort by an event, or for a falsy reason, only after it has sent the request.
    test.each(allCallers)('before it is sent, by %s', async (_who, makeCaller) => {
      const time = new HandTime();
      const seen: unknown[] = [];
      for (const send of [makeBare(), giving.way.client(createRetrier(soon, time.ports))]) {
        const lab = await openLab(answer(200));
        const caller = makeCaller();
        caller.giveUp();
        const told = said(await settled(send(lab.origin, caller.asked)));
        seen.push({ told, requests: lab.requests.length });
      }
      const [bare, ours] = seen;
      expect(ours).toEqual(bare);
      expect(time.timers).toEqual([]);
    });

    const places = [
      ['before the answer', silence()],
      ['in the body', stallInBody(100)],
    ] as const;
    const cells = places.flatMap(([place, play]) =>
      allCallers.map(([who, makeCaller]) => [place, who, play, makeCaller] as const),
    );
    test.each(cells)('%s, by %s', async (_place, _who, play, makeCaller) => {
      const seen: unknown[] = [];
      for (const send of [makeBare(), giving.way.client(soon)]) {
        const lab = await openLab(play);
        const caller = makeCaller();
        const answered = settled(send(lab.origin, caller.asked));
        await lab.until(
          ({ requests, bytesSent }) => requests.length === 1 && (play.steps.length === 1 || bytesSent > 100),
        );
        caller.giveUp();
        seen.push(said(await answered));
        expect(lab.requests).toHaveLength(1);
      }
      const [bare, ours] = seen;
      expect(bare).toBeInstanceOf(Object);
      expect(ours).toEqual(bare);
    });
  });

  test.each(giving.plain)('while connecting, by %s', async (_who, makeCaller) => {
    const time = new HandTime();
    const caller = makeCaller();
    const send = giving.way.client(createRetrier({ deadlineMs }, time.ports));
    const answered = settled(send(await openFullBacklog(), caller.asked));
    await time.until(({ pending }) => pending.includes(deadlineMs));
    caller.giveUp();
    caller.expectError((await answered).error, true);
    if (!giving.way.keepsListening) await expect.poll(() => caller.listeners(), { interval: 1 }).toBe(0);
    expect(time.pending).toEqual([]);
  });

  describe("the caller's own timeout", () => {
    test('AbortSignal.timeout() is final', async () => {
      const time = new HandTime();
      const lab = await openLab(silence());
      const caller = giving.bySignal(AbortSignal.timeout(200));
      const { error } = await settled(
        giving.way.client(createRetrier(soon, time.ports))(lab.origin, caller.asked),
      );
      caller.expectError(error, true);
      expect(time.timers).toEqual([]);
      // A busy machine may not have sent it by then.
      expect(lab.requests.length).toBeLessThanOrEqual(1);
    });

    test('its reason is as final where the request has arrived', async () => {
      const time = new HandTime();
      const lab = await openLab(silence());
      const controller = new AbortController();
      const caller = giving.bySignal(controller.signal);
      const send = giving.way.client(createRetrier(soon, time.ports));
      const answered = settled(send(lab.origin, caller.asked));
      await lab.until(({ requests }) => requests.length === 1);
      const timeout = AbortSignal.timeout(1);
      timeout.addEventListener('abort', () => controller.abort(timeout.reason));
      caller.expectError((await answered).error, true);
      expect(lab.requests).toHaveLength(1);
      expect(time.timers).toEqual([]);
    });

    test('AbortSignal.timeout() ends a wait', async () => {
      const time = new HandTime();
      const lab = await openLab(answer(503));
      const caller = giving.bySignal(AbortSignal.timeout(500));
      const { error } = await settled(
        giving.way.client(createRetrier(soon, time.ports))(lab.origin, caller.asked),
      );
      caller.expectError(error);
      expect(leftOf(time)).toEqual([]);
    });
  });
});
