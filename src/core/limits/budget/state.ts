/** The state that a scope keeps for a budget. */

/** A bucket. Tokens are in thousandths, so that tenths add up exactly. */
export interface BucketState {
  readonly tokens: number;
  /** Monotonic time up to which the trickle is in `tokens`. */
  readonly at: number;
}

/** Ten slices of a sliding window, the newest last. Each is its deposits minus its costs, in thousandths. */
export interface WindowState {
  readonly slices: readonly number[];
  /** The number of the newest slice, counted from time 0. */
  readonly slice: number;
}

export type BudgetState = BucketState | WindowState;
