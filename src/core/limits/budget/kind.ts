/** The operations that buckets and windows implement differently. Amounts and levels are in thousandths. */

import type { Cost } from './setting.js';

export interface Kind<B, S> {
  full(budget: B, now: number): S;
  level(budget: B, state: S, now: number): number;
  /** Credits a request that succeeded. `refund`: what its retries give back, in place of the usual deposit. */
  credit(budget: B, state: S, refund: number | undefined, now: number): S;
  debit(budget: B, state: S, amount: number, now: number): S;
  /** What a failure and a retry cost, in tokens. */
  failureCost(budget: B, failure: keyof Cost): number;
  retryCost(budget: B, failure: keyof Cost): number;
  /** Whether this level is enough for a retry. */
  suffices(budget: B, level: number, failure: keyof Cost): boolean;
}

export function thousandths(tokens: number): number {
  return Math.round(tokens * 1_000);
}
