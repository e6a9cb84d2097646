import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LatencyState } from '../../../../src/core/limits/latency/latency.js';
import {
  afterAttempt,
  afterHedge,
  afterSecondChance,
  afterTimeout,
  hedgeAfterMs,
  learntTimeoutMs,
  newLatency,
  timeoutLevel,
} from '../../../../src/core/limits/latency/latency.js';
import type { Tail } from '../../../../src/core/limits/latency/setting.js';
import { cut, hedge, played, tail, timeout, times, withTokens } from './playing.js';

function known(): LatencyState {
  return played(times(100, 20));
}

function usualMs(): number {
  return learntTimeoutMs(tail, known(), 1_000) ?? 0;
}

describe('a timeout that learns', () => {
  test('is twice the 95th percentile', () => {
    expect(usualMs()).toBeGreaterThan(40 / 1.09);
    expect(usualMs()).toBeLessThan(40 * 1.09);
  });

  test('is not known before 50 answers, nor where none is asked for', () => {
    expect(learntTimeoutMs(tail, newLatency, 0)).toBeUndefined();
    expect(learntTimeoutMs(tail, played(times(49, 20)), 490)).toBeUndefined();
    const without: Tail = { hedge, timeout: undefined };
    expect(learntTimeoutMs(without, played(times(100, 20), { as: without }), 1_000)).toBeUndefined();
    // Learnt for other requests of the rule.
    expect(learntTimeoutMs(without, known(), 1_000)).toBeUndefined();
  });

  test('needs more answers for a higher quantile', () => {
    const as: Tail = { hedge: false, timeout: { ...timeout, quantile: 0.99 } };
    expect(learntTimeoutMs(as, played(times(225, 20), { as }), 2_250)).toBeUndefined();
    expect(learntTimeoutMs(as, played(times(250, 20), { as }), 2_500)).toBeDefined();
  });

  test('stays between its bounds', () => {
    const short: Tail = { hedge, timeout: { ...timeout, minMs: 500, maxMs: 800 } };
    expect(learntTimeoutMs(short, played(times(100, 20), { as: short }), 1_000)).toBe(500);
    expect(learntTimeoutMs(short, played(times(100, 2_000), { as: short }), 1_000)).toBe(800);
  });

  test('doubles from its lower bound', () => {
    const as: Tail = { hedge, timeout: { ...timeout, minMs: 500, maxMs: 800 } };
    const doubled = afterTimeout(played(times(100, 20), { as }), 0);
    expect(learntTimeoutMs(as, doubled, 1_000)).toBe(800);
  });
});

describe('a timeout doubles', () => {
  test('once, however many attempts of one level time out', () => {
    const once = afterTimeout(known(), 0);
    expect(learntTimeoutMs(tail, once, 1_000)).toBeCloseTo(2 * usualMs());
    expect(afterTimeout(once, 0)).toBe(once);
    const twice = afterTimeout(once, timeoutLevel(once));
    expect(learntTimeoutMs(tail, twice, 1_000)).toBeCloseTo(4 * usualMs());
    expect(afterTimeout(twice, 0)).toBe(twice);
  });

  test('until an answer comes', () => {
    const doubled = afterTimeout(known(), 0);
    expect(timeoutLevel(afterAttempt(tail, doubled, 40, false, 1_000))).toBe(1);
    expect(timeoutLevel(afterAttempt(tail, doubled, 30, true, 1_000))).toBe(0);
  });

  test('to no more than the longest one', () => {
    let doubled = known();
    for (let level = 0; level < 100; level += 1) doubled = afterTimeout(doubled, timeoutLevel(doubled));
    expect(learntTimeoutMs(tail, doubled, 1_000)).toBe(timeout.maxMs);
    expect(afterTimeout(doubled, timeoutLevel(doubled))).toBe(doubled);
  });
});

describe('retries after a timeout that do not help', () => {
  const again = (count: number, hasHelped: boolean, from = known()) => {
    let played = from;
    for (let one = 0; one < count; one += 1) played = afterSecondChance(played, hasHelped);
    return played;
  };

  test('end it, except for one slow attempt in ten', () => {
    const useful = again(25, true);
    expect(learntTimeoutMs(tail, again(12, false, useful), 1_000)).toBe(usualMs());
    const vain = again(13, false, useful);
    expect(learntTimeoutMs(tail, vain, 1_000)).toBeUndefined();
    expect(learntTimeoutMs(tail, played(times(8, 200), { from: vain }), 1_000)).toBeUndefined();
    const due = played(times(9, 200), { from: vain });
    expect(learntTimeoutMs(tail, due, 1_000)).toBe(usualMs());
    expect(learntTimeoutMs(tail, afterTimeout(due, 0), 1_000)).toBeUndefined();
    expect(learntTimeoutMs(tail, afterTimeout(due, 0, false), 1_000)).toBeCloseTo(2 * usualMs());
  });

  test('end it sooner at the start', () => {
    expect(learntTimeoutMs(tail, again(4, false), 1_000)).toBe(usualMs());
    expect(learntTimeoutMs(tail, again(5, false), 1_000)).toBeUndefined();
  });

  test('are forgotten when half of them help again', () => {
    const vain = again(25, false);
    expect(learntTimeoutMs(tail, again(12, true, vain), 1_000)).toBeUndefined();
    expect(learntTimeoutMs(tail, again(13, true, vain), 1_000)).toBe(usualMs());
  });

  test('leave the state as it is while all of them help', () => {
    const useful = again(25, true);
    expect(again(100, true, useful)).toBe(useful);
  });
});

test('attempts that were cut count as at least so long', () => {
  const half = Array.from({ length: 100 }, (_, index) => (index % 10 === 0 ? cut(40) : 20));
  // One of ten takes longer than 40 ms, and how long is not known. So neither is the 95th percentile.
  expect(learntTimeoutMs(tail, played(half), 1_000)).toBeUndefined();
});

test('whatever happens, the timeout is undefined or between its bounds, and so is the wait for a hedge', () => {
  const attempt = fc.record({
    ms: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.double({ min: 0, max: 1e7, noNaN: true })),
    isWhole: fc.boolean(),
    afterMs: fc.oneof(fc.constant(10), fc.integer({ min: 0, max: 400_000 })),
  });
  const what = fc.oneof(
    { weight: 9, arbitrary: fc.record({ attempt, count: fc.integer({ min: 1, max: 60 }) }) },
    fc.constant('timeout' as const),
    fc.constant('hedge' as const),
  );
  const as: Tail = { hedge, timeout: { ...timeout, minMs: 20, maxMs: 3_000 } };
  fc.assert(
    fc.property(fc.array(what, { maxLength: 60 }), (steps) => {
      let now = 0;
      let played: LatencyState = withTokens(2);
      for (const step of steps) {
        if (step === 'timeout') played = afterTimeout(played, timeoutLevel(played));
        else if (step === 'hedge') played = afterHedge(played, now);
        else {
          for (let one = 0; one < step.count; one += 1) {
            now += step.attempt.afterMs;
            played = afterAttempt(as, played, step.attempt.ms, step.attempt.isWhole, now);
          }
        }
        const timeoutMs = learntTimeoutMs(as, played, now) ?? 20;
        expect(timeoutMs).toBeGreaterThanOrEqual(20);
        expect(timeoutMs).toBeLessThanOrEqual(3_000);
        expect(hedgeAfterMs(as, played, now) ?? 1).toBeGreaterThan(0);
      }
    }),
  );
});
