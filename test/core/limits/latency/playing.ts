/** Plays attempts into the state of a tail, with hand-made times and dice. */

import type { LatencyState } from '../../../../src/core/limits/latency/latency.js';
import {
  afterAttempt,
  afterHedge,
  afterSuccess,
  mayHedge,
  newLatency,
} from '../../../../src/core/limits/latency/latency.js';
import type { LearntTimeout, Tail } from '../../../../src/core/limits/latency/setting.js';
import { defaults } from '../../../../src/core/policy/defaults.js';

export const { hedge } = defaults;
export const timeout: LearntTimeout = { quantile: 0.95, factor: 2, minMs: 1, maxMs: 1_000_000 };
export const tail: Tail = { hedge, timeout };

/** One attempt: how long it took, or would have taken. */
export interface Played {
  readonly ms: number;
  readonly isWhole: boolean;
}

/** Attempts at an even rate from `fromMs` on. */
export function played(
  attempts: readonly (number | Played)[],
  { from = newLatency, fromMs = 0, everyMs = 10, as = tail } = {},
): LatencyState {
  return attempts.reduce<LatencyState>((state, attempt, index) => {
    const { ms, isWhole } = typeof attempt === 'number' ? { ms: attempt, isWhole: true } : attempt;
    return afterAttempt(as, state, ms, isWhole, fromMs + index * everyMs);
  }, from);
}

export function times(count: number, ms: number): number[] {
  return new Array<number>(count).fill(ms);
}

export function cut(ms: number): Played {
  return { ms, isWhole: false };
}

/** A state with this many tokens, without the answers that brought them. */
export function withTokens(count: number, from = newLatency, as = tail): LatencyState {
  let state = from;
  const share = as.hedge === false ? 0 : as.hedge.share;
  for (let one = 0; one < count / share; one += 1) state = afterSuccess(as, state);
  return state;
}

/** Takes all the hedges that may be sent now. */
export function hedgesLeft(state: LatencyState, now: number, as = tail): number {
  let count = 0;
  for (let left = state; mayHedge(as, left, now); left = afterHedge(left, now)) count += 1;
  return count;
}

/** A source of random numbers that always gives the same one. */
export function diceFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function lognormal(median: number, sigma: number, dice: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - dice())) * Math.cos(2 * Math.PI * dice());
  return median * Math.exp(sigma * normal);
}
