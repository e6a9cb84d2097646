/** What the requests of a scope share, as data: how much, how often, how long. */

/** What one retry costs, by what it answers. */
export interface Cost {
  readonly transient: number;
  readonly throttled: number;
  /** Nobody answered in time: the server may still be at it, and gets it once more. */
  readonly timeout: number;
}

/**
 * Tokens that successes refill, retries spend and a trickle keeps alive; starts full. Three decimals of a
 * deposit or cost count.
 */
export interface BucketBudget {
  readonly kind: 'bucket';
  readonly capacity: number;
  /** Tokens for each request that succeeds. */
  readonly perSuccess: number;
  readonly perSecond: number;
  readonly cost: Cost;
  /** A success after retries gives back the cost of the last one instead of `perSuccess` (AWS). */
  readonly refund: boolean;
  /** `'failure'`: every failure costs, retried or not, and a retry itself is free (gRPC). */
  readonly charge: 'retry' | 'failure';
  /** With `'retry'`, a retry leaves at least so many tokens; with `'failure'`, there must be more of them. */
  readonly floor: number;
}

/**
 * Retries may be `reserve` plus a share of the successes, within a sliding window (Finagle). Three decimals
 * of a deposit or cost count.
 */
export interface WindowBudget {
  readonly kind: 'window';
  readonly windowMs: number;
  readonly reserve: number;
  readonly perSuccess: number;
  readonly cost: Cost;
}

export type Budget = BucketBudget | WindowBudget;

export interface Gate {
  /** How many first attempts have to fail in a row, without a sign of life between them, to shut it … */
  readonly failures: number;
  /** … and how long that row has to last. */
  readonly deadForMs: number;
  /** Between one probe and the next; the first comes after a quarter of it. */
  readonly probeMs: number;
  /** After a probe succeeded, requests come back gradually over this time. */
  readonly rampMs: number;
  readonly whenShut: 'fail' | 'wait';
  readonly maxWaiting: number;
  /** False: it only counts and tells what it would refuse. */
  readonly enforce: boolean;
}

export interface Hold {
  /** The share of recent first answers that have to be refusals before others are held; 0: one is enough. */
  readonly refusedShare: number;
  /** Shorter hints keep nobody out: the others only come at a slower pace. */
  readonly minMs: number;
  /** The distance of requests in the queue, where no rate was seen before it. */
  readonly spacingMs: number;
  /** The longest time in the queue; undefined: half of what is left until the deadline. */
  readonly maxQueueMs: number | undefined;
  /** False: it only counts and tells what it would refuse. */
  readonly enforce: boolean;
}
