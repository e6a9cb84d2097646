/**
 * A policy's settings as everything but the check reads them: filled in. They follow from the options, which say what
 * each of them is.
 */

import type { HintedSuccess } from '../hints/hint-set.js';
import type { HintReader } from '../hints/read-hint.js';
import type { Budget, Gate, Hold } from './limits.js';
import type { IdempotencyKey, SettingsOptions } from './options.js';
import type { Schedule } from './schedules.js';

export interface Statuses {
  /** Worth another attempt. */
  readonly retried: ReadonlySet<number>;
  /** Never, whatever a hint says: they were negated by name. */
  readonly never: ReadonlySet<number>;
}

/** Settings that only a function can fill: no policy has them by default, and JSON has none. */
export type Hook = 'retryIf' | 'beforeRetry' | 'observe';

/** What applies only where it is said. */
type Unset = 'deadlineMs' | 'attemptTimeoutMs' | Hook;

/** What is read in another form than it is written in. */
export interface Compiled {
  readonly statuses: Statuses;
  /** Upper case. */
  readonly methods: ReadonlySet<string>;
  readonly idempotencyKey: IdempotencyKey | false;
  readonly schedule: Schedule;
  readonly throttledSchedule: Schedule;
  /** The chosen sets of hints, merged; undefined: none is read. */
  readonly hints: HintReader | undefined;
  /** Answers below 400 that one of them reads. */
  readonly hintedSuccesses: readonly HintedSuccess[];
  /** The `bodyHintBytes` that were written, here or where it is inherited from. */
  readonly bodyHintBytesSaid: number | undefined;
  readonly budget: Budget | false;
  readonly gate: Gate | false;
  readonly hold: Hold | false;
  /** In lower case. */
  readonly attemptHeader: string | false;
}

type AsWritten = Required<Omit<SettingsOptions, 'retry' | keyof Compiled | Unset>>;
type WhereSaid = { readonly [K in Unset]: SettingsOptions[K] | undefined };

/** A rule filled in with every default: what `decide` reads. */
export interface Settings extends AsWritten, WhereSaid, Compiled {}
