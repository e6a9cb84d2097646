/**
 * Which share of attempts takes longer than a given time, where some were cut before they were answered (Kaplan and Meier
 * 1958). Without the cut ones, a client that cuts all slow attempts would learn that none are slow.
 */

import type { Histogram } from './histogram.js';
import { bucketOf, partOf, timeIn } from './histogram.js';

/** For each bucket, the share of attempts that take longer than its longest time. */
export type Survival = readonly number[];

export function survivalOf({ whole, cut }: Histogram): Survival {
  let waiting = 0;
  for (let bucket = 0; bucket < whole.length; bucket += 1) {
    waiting += (whole[bucket] ?? 0) + (cut[bucket] ?? 0);
  }
  const survival: number[] = [];
  let share = 1;
  for (let bucket = 0; bucket < whole.length; bucket += 1) {
    const answered = whole[bucket] ?? 0;
    // Those that were cut in this bucket were still waiting when the others in it were answered.
    if (answered > 0) share *= 1 - answered / waiting;
    survival.push(share);
    waiting -= answered + (cut[bucket] ?? 0);
  }
  return survival;
}

/** Products of shares are not exact: half of fifty must count as half. */
const rounding = 1e-9;

/** Undefined if so many attempts were cut that the quantile is not known. */
export function quantileMs(survival: Survival, quantile: number): number | undefined {
  const left = 1 - quantile;
  const bucket = survival.findIndex((share) => share <= left + rounding);
  const after = survival[bucket];
  if (after === undefined) return undefined;
  const before = survival[bucket - 1] ?? 1;
  return timeIn(bucket, before === after ? 1 : Math.min(1, (before - left) / (before - after)));
}

/** The share of attempts that take longer than this. */
export function shareBeyond(survival: Survival, ms: number): number {
  const bucket = bucketOf(ms);
  const before = survival[bucket - 1] ?? 1;
  const after = survival[bucket] ?? 0;
  return before + (after - before) * partOf(ms, bucket);
}
