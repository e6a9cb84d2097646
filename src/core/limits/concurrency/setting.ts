/** The limit of concurrency as it is written in a policy, and its defaults. */

import type { Partly } from '../../policy/switched.js';
import { timeText } from '../../time-text.js';

/** How many attempts may be in flight in a scope: a bulkhead. */
export interface Concurrency {
  /**
   * How many attempts may be in flight at the same time. All count: first attempts, retries, hedges and probes.
   * @default none
   */
  readonly limit: number;
  /**
   * The longest time that a request waits for its turn, in milliseconds. By default, half of the time left until the
   * deadline; without a deadline, 30 seconds.
   * @default none
   */
  readonly maxQueueMs: number | undefined;
  /**
   * How many requests may wait at the same time. 0: a request that finds no room is refused at once.
   * @default 1_000
   */
  readonly maxWaiting: number;
}

export type ConcurrencyOptions = Pick<Concurrency, 'limit'> & Partly<Omit<Concurrency, 'limit'>>;

export interface ConcurrencyOption {
  /**
   * How many attempts may be in flight in a scope at the same time, or an object with that limit. The other requests wait
   * in order, and are refused with a `ConcurrencyError` if that takes too long.
   * @default false
   */
  readonly concurrency?: false | number | ConcurrencyOptions;
}

/** What comes with a limit. */
// How many a server bears, only its users know. A line of a thousand is a burst; a longer one would not end in time.
export const concurrencyDefaults: Omit<Concurrency, 'limit'> = /* @__PURE__ */ Object.freeze({
  maxQueueMs: undefined,
  maxWaiting: 1_000,
});

export function fillConcurrency(option: NonNullable<ConcurrencyOption['concurrency']>): Concurrency | false {
  if (option === false) return false;
  return Object.freeze({
    ...concurrencyDefaults,
    ...(typeof option === 'number' ? { limit: option } : option),
  });
}

/** Why an attempt is not sent: as many as there may be are in flight, and the line of waiting requests is too long. */
export const concurrencyRefusals = ['crowded'] as const;

/** Why there is no retry, as a reason and in words. */
export const concurrencyStops = {
  crowded: (ended: string, waitedMs: number | undefined): string =>
    `${ended}, and too many requests to its scope are waiting (concurrency): the first one for ${timeText(waitedMs)}`,
} as const;
