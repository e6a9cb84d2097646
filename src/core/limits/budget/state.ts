/** What a scope keeps of its budget. */

/** Tokens in thousandths, so that tenths add up exactly. */
export interface BucketState {
  readonly tokens: number;
  /** Monotonic time up to which the trickle is in `tokens`. */
  readonly at: number;
}

/** Ten slices of a sliding window, the newest last; each its deposits less its spendings, in thousandths. */
export interface WindowState {
  readonly slices: readonly number[];
  /** Number of the newest slice since time 0. */
  readonly slice: number;
}

export type BudgetState = BucketState | WindowState;
