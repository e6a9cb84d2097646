/** The operations that buckets and windows implement differently. Amounts and levels are in thousandths. */

import type { BucketBudget, Cost, WindowBudget } from './setting.js';
import type { BudgetState, WindowState } from './state.js';

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

/** Filled in, a window brings its operations along, so that only a policy that asks for one carries them. */
export interface SlidingBudget extends WindowBudget {
  readonly operations: Kind<SlidingBudget, WindowState>;
}

export type FilledBudget = BucketBudget | SlidingBudget;

/** What all code but the kinds themselves knows of one. A state is only ever used with the budget that it was made for. */
export type AnyKind = Kind<FilledBudget, BudgetState>;

export function thousandths(tokens: number): number {
  return Math.round(tokens * 1_000);
}
