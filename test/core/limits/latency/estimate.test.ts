import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Batch } from '../../../../src/core/limits/latency/histogram.js';
import {
  codeOf,
  emptyHistogram,
  quantileMs,
  shareBeyond,
  since,
  withBatch,
} from '../../../../src/core/limits/latency/histogram.js';
import type { LatencyState } from '../../../../src/core/limits/latency/latency.js';
import { hedgeAfterMs, learntTimeoutMs } from '../../../../src/core/limits/latency/latency.js';
import type { Tail } from '../../../../src/core/limits/latency/setting.js';
import type { Played } from './playing.js';
import { cut, diceFrom, hedge, lognormal, played, tail, timeout, times, withTokens } from './playing.js';

/** One bucket is so much wider than the one before. */
const width = 2 ** (1 / 8);

function batchOf(attempts: readonly Played[]): Batch | undefined {
  return attempts.reduce<Batch | undefined>(
    (next, { ms, isWhole }) => ({ code: codeOf(ms, isWhole), next }),
    undefined,
  );
}

function histogramOf(attempts: readonly Played[]) {
  return withBatch(emptyHistogram, batchOf(attempts));
}

function estimate(attempts: readonly Played[], quantile: number): number | undefined {
  return quantileMs(histogramOf(attempts), quantile);
}

function whole(ms: number): Played {
  return { ms, isWhole: true };
}

/** The smallest time that at least this part of them does not exceed. */
function exactQuantile(all: readonly number[], quantile: number): number {
  const sorted = [...all].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(quantile * sorted.length - 1e-9) - 1)] ?? Number.NaN;
}

const ms = fc.oneof(
  fc.double({ min: 0.3, max: 900_000, noNaN: true }),
  fc.double({ min: -1, max: 5, noNaN: true }).map((exponent) => 10 ** exponent),
  fc.constantFrom(1, 2, 20, 2_000),
);
const samples = fc.array(ms, { minLength: 1, maxLength: 200 });
const quantile = fc.oneof(
  fc.constantFrom(0.1, 0.25, 0.5, 0.9, 0.95, 0.99),
  fc.integer({ min: 1, max: 999 }).map((count) => count / 1_000),
);

describe('the quantile', () => {
  test('is within a bucket of the exact one, whatever the times', () => {
    fc.assert(
      fc.property(samples, quantile, (all, part) => {
        const found = estimate(all.map(whole), part) ?? Number.NaN;
        const exact = Math.max(exactQuantile(all, part), 0.25);
        expect(found).toBeLessThanOrEqual(exact * width * (1 + 1e-9));
        expect(found).toBeGreaterThanOrEqual(exact / width / (1 + 1e-9));
      }),
    );
  });

  test('is at the end of a bucket that holds exactly that part', () => {
    expect(estimate([...times(25, 2), ...times(25, 2_000)].map(whole), 0.5)).toBeCloseTo(2);
    expect(estimate(times(50, 4).map(whole), 1)).toBeCloseTo(4);
    expect(estimate([whole(4), whole(20)], 0)).toBeCloseTo(4 / width);
  });

  test('of times beyond the scale is at its ends', () => {
    expect(estimate([whole(0)], 1)).toBe(0.25);
    expect(estimate([whole(-1), whole(Number.NaN)], 1)).toBe(0.25);
    expect(estimate([whole(0.25)], 1)).toBe(0.25);
    expect(estimate([whole(1e9)], 1)).toBe(2 ** 20);
  });

  test('of nothing is not known', () => {
    expect(estimate([], 0.5)).toBeUndefined();
    expect(estimate([cut(100)], 0.5)).toBeUndefined();
  });
});

describe('attempts that were cut', () => {
  test('beyond a time leave the quantiles below it as they are, and those above it unknown', () => {
    fc.assert(
      fc.property(samples, quantile, ms, (all, part, limitMs) => {
        const attempts = all.map((time) => (time > limitMs ? cut(limitMs) : whole(time)));
        const found = estimate(attempts, part);
        const exact = exactQuantile(all, part);
        const uncut = estimate(all.map(whole), part) ?? Number.NaN;
        if (exact > limitMs) {
          expect(found).toBeUndefined();
        } else if (exact * width < limitMs) {
          expect(found).toBeCloseTo(uncut, 6);
        } else {
          // Those that were cut are in the same bucket.
          expect(found).toBeLessThanOrEqual(uncut * width * (1 + 1e-9));
          expect(found).toBeGreaterThanOrEqual(uncut / width / (1 + 1e-9));
        }
      }),
    );
  });

  test('never lower the estimate below that of the answered ones', () => {
    const attempts = fc.array(fc.record({ ms, isWhole: fc.boolean() }), { maxLength: 200 });
    fc.assert(
      fc.property(attempts, quantile, (all, part) => {
        const answered = estimate(
          all.filter(({ isWhole }) => isWhole),
          part,
        );
        const found = estimate(all, part);
        if (found !== undefined) expect(found * (1 + 1e-6)).toBeGreaterThanOrEqual(answered ?? Number.NaN);
      }),
    );
  });

  test('before the fastest answer change nothing: failures at once say nothing about answers', () => {
    fc.assert(
      fc.property(samples, quantile, fc.nat(500), (all, part, failures) => {
        const slow = all.map((time) => whole(time + 2));
        const found = estimate([...slow, ...times(failures, 0.5).map(cut)], part);
        expect(found).toBeCloseTo(estimate(slow, part) ?? 0, 6);
      }),
    );
  });

  test('at random times do not bias the estimate', () => {
    const dice = diceFrom(7);
    const attempts = Array.from({ length: 20_000 }, () => {
      const ms = lognormal(20, 1, dice);
      const cutMs = lognormal(30, 1, dice);
      return ms > cutMs ? cut(cutMs) : whole(ms);
    });
    const answered = attempts.filter(({ isWhole }) => isWhole);
    expect((estimate(attempts, 0.5) ?? 0) / 20).toBeCloseTo(1, 1);
    expect((estimate(attempts, 0.9) ?? 0) / (20 * Math.exp(1.2816))).toBeCloseTo(1, 1);
    // Without the cut ones, slow answers look half as slow.
    expect((estimate(answered, 0.9) ?? 0) / (20 * Math.exp(1.2816))).toBeLessThan(0.7);
  });

  test('lower the number of those that can still be answered', () => {
    const attempts = [whole(1), cut(2), whole(4), cut(8), whole(16), whole(32)];
    const histogram = histogramOf(attempts);
    expect(shareBeyond(histogram, 1)).toBeCloseTo(5 / 6);
    expect(shareBeyond(histogram, 4)).toBeCloseTo((5 / 6) * (3 / 4));
    expect(shareBeyond(histogram, 16)).toBeCloseTo((5 / 6) * (3 / 4) * (1 / 2));
    expect(shareBeyond(histogram, 32)).toBe(0);
  });
});

test('the share beyond a quantile is what is left', () => {
  fc.assert(
    fc.property(samples, quantile, (all, part) => {
      const histogram = histogramOf(all.map(whole));
      const found = quantileMs(histogram, part) ?? 0;
      expect(shareBeyond(histogram, found)).toBeLessThanOrEqual(1 - part + 1e-6);
    }),
  );
});

test('what came since an earlier histogram is the difference', () => {
  const attempts = fc.array(fc.record({ ms, isWhole: fc.boolean() }), { maxLength: 50 });
  fc.assert(
    fc.property(attempts, attempts, (first, then) => {
      const before = histogramOf(first);
      const both = withBatch(before, batchOf(then));
      expect(since(before, both)).toEqual(histogramOf(then));
      expect(before).toEqual(histogramOf(first));
    }),
  );
});

describe('what is learnt', () => {
  const known = (): LatencyState => withTokens(1, played(times(100, 20)));

  test('is forgotten after ten minutes', () => {
    const ready = known();
    expect(hedgeAfterMs(tail, ready, 299_999)).toBeDefined();
    expect(hedgeAfterMs(tail, ready, 599_999)).toBeDefined();
    expect(hedgeAfterMs(tail, ready, 600_000)).toBeUndefined();
    expect(learntTimeoutMs(tail, ready, 600_000)).toBeUndefined();
  });

  test('moves with every 25th attempt', () => {
    const before = played(times(50, 20));
    const slower = (count: number) =>
      learntTimeoutMs(tail, played(times(count, 200), { from: before, fromMs: 500 }), 1_000);
    expect(slower(24)).toBe(learntTimeoutMs(tail, before, 500));
    expect(slower(25)).toBeGreaterThan(2 * 150);
  });

  test('follows the answers of the last five to ten minutes', () => {
    const more = played(times(75, 28), { from: known(), fromMs: 300_000, everyMs: 1_000 });
    expect(learntTimeoutMs(tail, more, 400_000)).toBeGreaterThan(2 * 26);
    expect(hedgeAfterMs(tail, more, 599_999)).toBeLessThan(4 * 22);
    expect(hedgeAfterMs(tail, more, 600_000)).toBeGreaterThan(4 * 26);
  });

  test('is only what is asked for', () => {
    const state = known();
    expect(state.learnt.timeoutMs).toBeGreaterThan(0);
    const fixed: Tail = { hedge: { ...hedge, afterMs: 80 }, timeout: undefined };
    expect(played(times(100, 20), { as: fixed }).learnt).toMatchObject({
      hedgeAfterMs: undefined,
      timeoutMs: undefined,
    });
    const none: Tail = { hedge: false, timeout };
    expect(played(times(100, 20), { as: none }).learnt.hedgeAfterMs).toBeUndefined();
  });

  test('begins again after a long silence', () => {
    const ready = known();
    const again = played(times(49, 200), { from: ready, fromMs: 700_000 });
    expect(hedgeAfterMs(tail, again, 701_000)).toBeUndefined();
    const enough = played(times(50, 200), { from: ready, fromMs: 700_000 });
    expect(hedgeAfterMs(tail, enough, 701_000)).toBeGreaterThan(700);
  });

  test('counts a batch that is not full when five minutes are over', () => {
    const few = played(times(60, 20));
    const more = played([20], { from: few, fromMs: 300_000 });
    expect(more.learnt.before.wholes).toBe(60);
    expect(learntTimeoutMs(tail, more, 300_000)).toBeDefined();
  });

  test('is in the state that was returned, not in the given one', () => {
    const ready = known();
    const before = JSON.stringify(ready);
    played(times(100, 500), { from: ready, fromMs: 300_000 });
    learntTimeoutMs(tail, ready, 400_000);
    expect(JSON.stringify(ready)).toBe(before);
  });
});
