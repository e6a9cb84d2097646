import { describe, expect, test } from 'vitest';
import type { Batch } from '../../../../src/core/limits/latency/histogram.js';
import { codeOf, emptyHistogram, withBatch } from '../../../../src/core/limits/latency/histogram.js';
import type { Quiet } from '../../../../src/core/limits/latency/learnt.js';
import { notKnown, quieter, quietOf } from '../../../../src/core/limits/latency/learnt.js';
import type { Played } from './playing.js';
import { cut, times } from './playing.js';

function quietIn(attempts: readonly (number | Played)[]): Quiet | undefined {
  const batch = attempts.reduce<Batch | undefined>((next, attempt) => {
    const { ms, isWhole } = typeof attempt === 'number' ? { ms: attempt, isWhole: true } : attempt;
    return { code: codeOf(ms, isWhole), next };
  }, undefined);
  return quietOf(withBatch(emptyHistogram, batch));
}

describe('quiet times', () => {
  test('say that an attempt is slow beyond 1.5 times the median', () => {
    // A power of two is the end of a bucket, so the median is exact.
    expect(quietIn([...times(50, 16), ...times(50, 20)])?.limitMs).toBeCloseTo(24);
  });

  test('say that the server is slow if more than half of the last fifty are', () => {
    expect(quietIn(times(100, 16))?.slowAbove).toBe(25);
    expect(quietIn([...times(99, 16), 1_600])?.slowAbove).toBe(25);
  });

  test('allow three standard deviations where nearly half are slow on any day', () => {
    const slowAbove = quietIn([...times(60, 16), ...times(40, 160)])?.slowAbove ?? 0;
    expect(slowAbove).toBeCloseTo(50 * 0.4 + 3 * Math.sqrt(50 * 0.4 * 0.6));
    // This many can still be slow.
    expect(quietIn([...times(50, 16), ...times(50, 160)])?.slowAbove).toBeLessThan(36);
  });

  test('are not known if most attempts were cut', () => {
    expect(quietIn([...times(40, 16), ...times(60, 16).map(cut)])).toBeUndefined();
  });

  test('are the ones with the lower limit', () => {
    const one: Quiet = { limitMs: 10, slowAbove: 25 };
    const other: Quiet = { limitMs: 20, slowAbove: 30 };
    expect(quieter(one, other)).toBe(one);
    expect(quieter(other, one)).toBe(one);
    expect(quieter(notKnown, other)).toBe(other);
  });
});
