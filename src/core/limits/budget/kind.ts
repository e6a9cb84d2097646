/** What buckets and windows do in their own way; amounts and levels are in thousandths. */

import type { Cost } from '../../policy/limits.js';

export interface Kind<B, S> {
  full(budget: B, now: number): S;
  level(budget: B, state: S, now: number): number;
  /** A request succeeded; `lastCost` is what its last retry cost, undefined if it needed none. */
  credit(budget: B, state: S, lastCost: number | undefined, now: number): S;
  debit(budget: B, state: S, amount: number, now: number): S;
  /** What a failure costs, and what a retry, in tokens. */
  failureCost(budget: B, failure: keyof Cost): number;
  retryCost(budget: B, failure: keyof Cost): number;
  /** Whether so much is enough for a retry. */
  suffices(budget: B, level: number, failure: keyof Cost): boolean;
}

export function thousandths(tokens: number): number {
  return Math.round(tokens * 1_000);
}
