/** The budget as it is written in a policy, its defaults, and how they fill it in. */

import { freezeDeep } from '../../freeze.js';

/** What a retry costs, by the failure before it; three decimals count. In a window, a token is a retry. */
export interface Cost {
  /**
   * Tokens that a retry takes after a failure.
   * @default none
   */
  readonly transient: number;
  /**
   * Tokens that a retry takes after a rate limited answer.
   * @default none
   */
  readonly throttled: number;
  /**
   * Tokens that a retry takes after an attempt that was not answered in time: the server may still be busy with it. By
   * default, it is the same as `transient`.
   * @default none
   */
  readonly timeout: number;
}

/** A token bucket: retries spend tokens, successes and time refill it. It starts full. */
export interface BucketBudget {
  /**
   * The kind of budget: a bucket of tokens, or retries within a sliding window.
   * @default 'bucket'
   */
  readonly kind: 'bucket';
  /**
   * How many tokens it holds; it starts full.
   * @default 50
   */
  readonly capacity: number;
  /**
   * Tokens for each request that succeeds; three decimals count.
   * @default 0.15
   */
  readonly perSuccess: number;
  /**
   * Tokens that are added every second.
   * @default 0.1
   */
  readonly perSecond: number;
  /**
   * Tokens that a retry takes: one number, or a number for each kind of failure before it. In a smaller bucket, a timeout
   * costs less.
   * @default { transient: 1, throttled: 1, timeout: 2 }
   */
  readonly cost: Cost;
  /**
   * What a request that succeeds after retries gives back, instead of `perSuccess`: what all of them have cost (`'all'`),
   * what the last one has cost (true, as in AWS), or nothing (false, which adds `perSuccess`). With
   * `charge: 'failure'`, the default is false.
   * @default 'all'
   */
  readonly refund: boolean | 'all';
  /**
   * What takes tokens: each retry (`'retry'`), or each failure, retried or not (`'failure'`, as in gRPC).
   * @default 'retry'
   */
  readonly charge: 'retry' | 'failure';
  /**
   * How many tokens a retry has to leave in the bucket; with `charge: 'failure'`, more than that must be left.
   * @default 0
   */
  readonly floor: number;
}

/** Retries may be `reserve` plus a share of the successes, within a sliding window (Finagle). */
export interface WindowBudget {
  /**
   * The kind of budget: a bucket of tokens, or retries within a sliding window.
   * @default none
   */
  readonly kind: 'window';
  /**
   * The length of the window in milliseconds.
   * @default 10_000
   */
  readonly windowMs: number;
  /**
   * How many retries are allowed without any success.
   * @default 100
   */
  readonly reserve: number;
  /**
   * How many retries each success adds; three decimals count.
   * @default 0.2
   */
  readonly perSuccess: number;
  /**
   * How many retries a retry counts as: one number, or a number for each kind of failure before it.
   * @default { transient: 1, throttled: 1, timeout: 1 }
   */
  readonly cost: Cost;
}

export type Budget = BucketBudget | WindowBudget;

/** Without its own cost, a timeout costs as much as any failure. */
export type CostOptions = number | (Omit<Cost, 'timeout'> & Partial<Pick<Cost, 'timeout'>>);

/** Missing keys get their defaults; a cost may be one number. */
type PartlyPriced<T> = { readonly [K in keyof T]?: K extends 'cost' ? CostOptions : T[K] };

export type BucketOptions = PartlyPriced<BucketBudget>;

export type WindowOptions = Pick<WindowBudget, 'kind'> & PartlyPriced<Omit<WindowBudget, 'kind'>>;

export type BudgetOptions = BucketOptions | WindowOptions;

export interface BudgetOption {
  /**
   * How many retries a whole scope may cost: a bucket of tokens, a sliding window, or false for no limit.
   * @default { kind: 'bucket', capacity: 50, perSuccess: 0.15, perSecond: 0.1, cost: { transient: 1, throttled: 1, timeout: 2 }, refund: 'all', charge: 'retry', floor: 0 }
   */
  readonly budget?: false | BudgetOptions;
}

// For requests that fail in the end, at most 15 % more load than successful first tries, and a trickle to find out when
// the outage is over; retries that help are free. A server that times out is overloaded, so a retry costs more then; but
// if it is one server of ten, the others can take the retry.
export const bucketDefaults: BucketBudget = /* @__PURE__ */ freezeDeep({
  kind: 'bucket',
  capacity: 50,
  perSuccess: 0.15,
  perSecond: 0.1,
  cost: { transient: 1, throttled: 1, timeout: 2 },
  refund: 'all',
  charge: 'retry',
  floor: 0,
});

// Finagle's: ten retries a second are always allowed, and one for every five successes.
export const windowDefaults: WindowBudget = /* @__PURE__ */ freezeDeep({
  kind: 'window',
  windowMs: 10_000,
  reserve: 100,
  perSuccess: 0.2,
  cost: { transient: 1, throttled: 1, timeout: 1 },
});

export function fillBucket(options: BucketOptions): BucketBudget {
  // A retry that costs nothing has nothing to give back.
  const refund = options.charge === 'failure' ? false : bucketDefaults.refund;
  const bucket = { ...bucketDefaults, refund, ...options };
  return Object.freeze({
    ...bucket,
    cost: options.cost === undefined ? costWithin(bucket) : costOf(options.cost),
  });
}

export function costOf(cost: CostOptions): Cost {
  return typeof cost === 'number'
    ? { transient: cost, throttled: cost, timeout: cost }
    : { ...cost, timeout: cost.timeout ?? cost.transient };
}

/** In a bucket that is smaller than the default cost of a timeout, a timeout costs less: it should be retried, too. */
function costWithin({ capacity, floor, charge }: Omit<BucketBudget, 'cost'>): Cost {
  const { transient, throttled, timeout } = bucketDefaults.cost;
  const most = charge === 'retry' ? capacity - floor : transient;
  return { transient, throttled, timeout: Math.max(transient, Math.min(timeout, most)) };
}

/** Why there is no retry, as a reason and in words. */
export const budgetStops = {
  'budget-spent': (ended: string): string =>
    `${ended}, and the retry budget of its scope is spent (for more retries: a larger budget, or budget: false)`,
} as const;
