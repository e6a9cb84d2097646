/** How long the waits of a schedule may be, and usually are: each of them, and all together. */

import type { Schedule } from '../../index.js';
import { longestWait, scheduledWait } from '../../internal.js';
import type { Dice } from '../sim/internal.js';
import { diceOf } from '../sim/internal.js';

export interface Wait {
  /** From 1. */
  readonly retry: number;
  readonly ms: Spread;
  /** Of this wait and all before it. */
  readonly sumMs: Spread;
}

export interface Spread {
  readonly shortest: number;
  readonly median: number;
  readonly longest: number;
}

/** An odd number has a draw in the middle, so that the median of an independent wait is exact. */
const walks = 1_001;

/**
 * The median of a sum is not the sum of the medians, and a decorrelated wait depends on the one before: both are drawn. Each
 * retry has draws that are evenly spaced, in a random order (a Latin hypercube), so that little is left to chance.
 */
export function waitsOf(schedule: Schedule, retries: number): readonly Wait[] {
  const dice = diceOf(1, 0);
  const previous: (number | undefined)[] = new Array(walks).fill(undefined);
  const sums: number[] = new Array(walks).fill(0);
  const waits: Wait[] = [];
  let before: Spread = { shortest: 0, median: 0, longest: 0 };
  let shortest: number | undefined;
  for (let retry = 1; retry <= retries; retry += 1) {
    const order = shuffled(walks, dice);
    for (const [walk, waitedMs] of previous.entries()) {
      const draw = ((order[walk] as number) + 0.5) / walks;
      const waitMs = scheduledWait(schedule, retry, waitedMs, draw);
      previous[walk] = waitMs;
      sums[walk] = (sums[walk] as number) + waitMs;
    }
    shortest = scheduledWait(schedule, retry, shortest, 0);
    const longest = longestWait(schedule, retry);
    const ms = { shortest, median: medianOf(previous as number[]), longest };
    const sumMs = {
      shortest: before.shortest + shortest,
      median: medianOf(sums),
      longest: before.longest + longest,
    };
    waits.push({ retry, ms, sumMs });
    before = sumMs;
  }
  return waits;
}

/** The numbers below `count` (Fisher and Yates). */
function shuffled(count: number, dice: Dice): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last -= 1) {
    const other = Math.floor(dice() * (last + 1));
    [order[last], order[other]] = [order[other] as number, order[last] as number];
  }
  return order;
}

function medianOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
