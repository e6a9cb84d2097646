/** The hold as it is written in a policy, and its defaults. */

import { type Partly, switched } from '../../policy/switched.js';
import { timeText } from '../../time-text.js';

/** The pause of a whole scope that a server asked for. */
export interface Hold {
  /**
   * The share of recent first answers, from 0 to 1, that have to be rate limited before others are held back for a
   * moment, to see whether that helps. 0: the limit is known to be for all, so one is enough.
   * @default 0.5
   */
  readonly refusedShare: number;
  /**
   * Shorter hints, in milliseconds, do not stop the others: they only slow them down.
   * @default 2_000
   */
  readonly minMs: number;
  /**
   * Milliseconds between two requests that leave the queue, where no earlier rate is known.
   * @default 100
   */
  readonly spacingMs: number;
  /**
   * The longest time in the queue, in milliseconds. By default, half of the time left until the deadline; without a
   * deadline, 30 seconds, not counting a time that the server named.
   * @default none
   */
  readonly maxQueueMs: number | undefined;
  /**
   * How many requests may queue at the same time.
   * @default 1_000
   */
  readonly maxWaiting: number;
  /**
   * Whether it refuses anything. False: it only counts and reports what it would refuse.
   * @default true
   */
  readonly enforce: boolean;
}

export type HoldOptions = Partly<Hold>;

export interface HoldOption {
  /**
   * A shared pause after rate limits: once enough requests of a scope are rate limited, the others wait as well. Without
   * it, only the request that was rate limited waits.
   * @default false
   */
  readonly hold?: boolean | HoldOptions;
}

/** What `hold: true` means. */
// Less than half may come from one tenant or one route. Shorter hints are over before other requests would notice.
export const holdDefaults: Hold = /* @__PURE__ */ Object.freeze({
  refusedShare: 0.5,
  minMs: 2_000,
  spacingMs: 100,
  maxQueueMs: undefined,
  maxWaiting: 1_000,
  enforce: true,
});

export function fillHold(option: NonNullable<HoldOption['hold']>): Hold | false {
  return switched(option, holdDefaults);
}

/** Why an attempt is not sent: the scope is rate limited, and the queue of waiting requests is too long. */
export const holdRefusals = ['held'] as const;

/** Why there is no retry, as a reason and in words. */
export const holdStops = {
  held: (ended: string, queueMs: number | undefined): string =>
    `${ended}, and the queue of its rate-limited scope is ${timeText(queueMs)} long`,
} as const;
