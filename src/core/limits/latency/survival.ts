/**
 * Which share of attempts takes longer than a given time, where some were cut before they were answered (Kaplan and Meier
 * 1958). Without the cut ones, a client that cuts all slow attempts would learn that none are slow.
 */

import type { Histogram } from './histogram.js';
import { bucketOf, partOf, timeIn } from './histogram.js';

/** Products of shares are not exact: half of fifty must count as half. */
const rounding = 1e-9;

/** Undefined if too many attempts were cut to know the quantile. */
export function quantileMs({ whole, cut, all }: Histogram, quantile: number): number | undefined {
  const wanted = 1 - quantile;
  let share = 1;
  let waiting = all;
  for (let bucket = 0; waiting > 0; bucket += 1) {
    const answered = whole[bucket] ?? 0;
    // Those that were cut in this bucket were still waiting when the others in it were answered.
    const after = share * (1 - answered / waiting);
    if (answered > 0 && after <= wanted + rounding)
      return timeIn(bucket, Math.min(1, (share - wanted) / (share - after)));
    share = after;
    waiting -= answered + (cut[bucket] ?? 0);
  }
  return undefined;
}

/** The share of attempts that take longer than this. */
export function shareBeyond({ whole, cut, all }: Histogram, ms: number): number {
  const last = bucketOf(ms);
  let share = 1;
  let waiting = all;
  for (let bucket = 0; bucket < last && waiting > 0; bucket += 1) {
    const answered = whole[bucket] ?? 0;
    share *= 1 - answered / waiting;
    waiting -= answered + (cut[bucket] ?? 0);
  }
  const answered = whole[last] ?? 0;
  return answered === 0 ? share : share * (1 - (partOf(ms, last) * answered) / waiting);
}
