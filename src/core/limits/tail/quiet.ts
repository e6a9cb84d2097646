/**
 * How long answers take while the server is not slow: the lowest median of the last ten minutes. A minute in which
 * everything is slow does not raise it. A server that stays slow for ten minutes is slow by nature.
 */

import type { Histogram } from './histogram.js';
import { quantileMs, shareBeyond } from './survival.js';

export interface Quiet {
  /** An attempt that takes longer is slow. */
  readonly limitMs: number;
  /** If more of the last fifty attempts are slow, the server is slow as a whole. */
  readonly slowAbove: number;
}

/** Until anything is known, nothing is slow. */
export const notKnown: Quiet = { limitMs: Number.POSITIVE_INFINITY, slowAbove: 50 };

const slowFactor = 1.5;

/** Undefined if not even the median is known, because too many attempts were cut. */
export function quietOf(histogram: Histogram): Quiet | undefined {
  const median = quantileMs(histogram, 0.5);
  if (median === undefined) return undefined;
  const limitMs = slowFactor * median;
  return { limitMs, slowAbove: slowAbove(shareBeyond(histogram, limitMs)) };
}

/**
 * If more than half are slow, the median of the last fifty exceeds the limit. Where the times vary so much that nearly
 * half of them exceed it on a quiet day, too, chance must not look like slowness: three standard deviations above the
 * usual.
 */
function slowAbove(usual: number): number {
  return Math.max(25, 50 * usual + 3 * Math.sqrt(50 * usual * (1 - usual)));
}

export function quieter(one: Quiet, other: Quiet): Quiet {
  return other.limitMs < one.limitMs ? other : one;
}
