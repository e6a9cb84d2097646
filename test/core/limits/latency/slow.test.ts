import { describe, expect, test } from 'vitest';
import type { LatencyState } from '../../../../src/core/limits/latency/latency.js';
import { afterAttempt, learntTimeoutMs, mayHedge } from '../../../../src/core/limits/latency/latency.js';
import { cut, diceFrom, lognormal, played, tail, times, withTokens } from './playing.js';

/** A quiet minute and more, at 100 a second. */
function afterQuiet(): LatencyState {
  return withTokens(5, played(times(7_000, 20)));
}

const after = 70_000;

function isSlow(state: LatencyState, now: number): boolean {
  return !mayHedge(tail, state, now);
}

describe('slow as a whole', () => {
  test('is noticed within 50 answers, and over within 50', () => {
    for (const perSecond of [1, 10, 100, 1_000]) {
      const everyMs = 1_000 / perSecond;
      const slow = played(times(50, 60), { from: afterQuiet(), fromMs: after, everyMs });
      expect(isSlow(slow, after + 50 * everyMs)).toBe(true);
      expect(learntTimeoutMs(tail, slow, after + 50 * everyMs)).toBeUndefined();
      const over = played(times(50, 20), { from: slow, fromMs: after + 50 * everyMs, everyMs });
      expect(isSlow(over, after + 100 * everyMs)).toBe(false);
      expect(learntTimeoutMs(tail, over, after + 100 * everyMs)).toBeDefined();
    }
  });

  test('is what takes more than half of the last 50 longer than 1.5 times the median', () => {
    const quiet = afterQuiet();
    expect(isSlow(played(times(25, 60), { from: quiet, fromMs: after }), after)).toBe(false);
    expect(isSlow(played(times(26, 60), { from: quiet, fromMs: after }), after)).toBe(true);
    expect(isSlow(played(times(50, 27), { from: quiet, fromMs: after }), after)).toBe(false);
    expect(isSlow(played(times(50, 33), { from: quiet, fromMs: after }), after)).toBe(true);
  });

  test('counts attempts that were cut after that time, and no others', () => {
    const quiet = afterQuiet();
    const cutLate = played(times(26, 60).map(cut), { from: quiet, fromMs: after });
    expect(isSlow(cutLate, after)).toBe(true);
    const cutEarly = played(times(100, 10).map(cut), { from: cutLate, fromMs: after });
    expect(isSlow(cutEarly, after)).toBe(true);
    expect(isSlow(played(times(100, 10).map(cut), { from: quiet, fromMs: after }), after)).toBe(false);
  });

  test('does not become the usual within nine minutes, but within eleven', () => {
    const minute = 6_000;
    let state = afterQuiet();
    const slowAt: boolean[] = [];
    for (let passed = 0; passed < 11; passed += 1) {
      state = played(times(minute, 60), { from: state, fromMs: after + passed * 60_000 });
      slowAt.push(isSlow(state, after + (passed + 1) * 60_000));
    }
    expect(slowAt.slice(0, 9)).toEqual(new Array(9).fill(true));
    expect(slowAt[10]).toBe(false);
  });

  test('is noticed before the first minute is over', () => {
    const early = withTokens(5, played(times(100, 20)));
    expect(isSlow(played(times(50, 60), { from: early, fromMs: 1_000 }), 1_500)).toBe(true);
  });

  test('is not noticed before fifty answers are known', () => {
    const few = withTokens(5, played(times(25, 10)));
    expect(isSlow(played(times(37, 30), { from: few, fromMs: 250 }), 620)).toBe(false);
  });

  test('compares with slices of enough answers: a minute with few of them goes on', () => {
    // In the first minute, 20 answers are quick; after that, all take 30 ms, at the same rate.
    const few = withTokens(5, played(times(20, 10), { everyMs: 3_000 }));
    const more = played(times(70, 30), { from: few, fromMs: 60_000, everyMs: 3_000 });
    expect(isSlow(more, 270_000)).toBe(false);
    // The same after a minute that had enough.
    const minute = withTokens(5, played(times(100, 30), { everyMs: 610 }));
    const quick = played(times(20, 10), { from: minute, fromMs: 61_000, everyMs: 3_000 });
    const usual = played(times(50, 30), { from: quick, fromMs: 121_000, everyMs: 3_000 });
    expect(isSlow(usual, 271_000)).toBe(false);
    const enough = withTokens(5, played(times(50, 10), { everyMs: 1_200 }));
    const slower = played(times(150, 30), { from: enough, fromMs: 60_000, everyMs: 1_200 });
    expect(isSlow(slower, 240_000)).toBe(true);
  });

  test('compares with quiet minutes that are forgotten after ten minutes, and not with those in which most were cut', () => {
    const cuts = times(6_000, 20).map((ms, index) => (index % 4 === 0 ? ms : cut(ms)));
    const mostCut = withTokens(5, played(cuts));
    expect(mostCut.learnt.slices.ended).toEqual([]);
    expect(isSlow(mostCut, 60_000)).toBe(false);
    const minutes = played(times(13 * 60, 20), { everyMs: 1_000 });
    const ends = minutes.learnt.slices.ended.map(({ endedAt }) => endedAt);
    expect(ends.length).toBeLessThanOrEqual(10);
    expect(Math.min(...ends)).toBeGreaterThan(13 * 60_000 - 660_000);
  });

  test('is forgotten in ten minutes without answers', () => {
    const slow = played(times(50, 60), { from: afterQuiet(), fromMs: after });
    expect(isSlow(slow, 599_999)).toBe(true);
    expect(isSlow(slow, after + 600_000)).toBe(false);
    expect(isSlow(played([60], { from: slow, fromMs: after + 600_000 }), after + 600_000)).toBe(false);
  });
});

describe('chance does not look slow', () => {
  const workloads: Readonly<Record<string, (dice: () => number) => number>> = {
    'lognormal, sigma 0.5': (dice) => lognormal(20, 0.5, dice),
    'lognormal, sigma 1': (dice) => lognormal(20, 1, dice),
    'lognormal, sigma 2': (dice) => lognormal(20, 2, dice),
    'half 10, half 100 ms': (dice) => (dice() < 0.5 ? 10 : 100),
    '55 % 10, 45 % 100 ms': (dice) => (dice() < 0.55 ? 10 : 100),
    '1 % a hundred times slower': (dice) => (dice() < 0.01 ? 2_000 : 20),
    exponential: (dice) => -20 * Math.log(1 - dice()),
  };

  for (const [name, time] of Object.entries(workloads)) {
    for (const perSecond of [2, 20, 200]) {
      test(`${name}, ${perSecond}/s`, () => {
        const dice = diceFrom(perSecond);
        let state = withTokens(5);
        const count = 8_000;
        let slow = 0;
        for (let index = 0; index < count; index += 1) {
          const now = (index * 1_000) / perSecond;
          state = afterAttempt(tail, state, time(dice), true, now);
          if (isSlow(state, now)) slow += 1;
        }
        expect(slow / count).toBeLessThan(0.1);
      });
    }
  }
});
