/** Settings, filled in: what everything but the check reads. See `options.ts` for what each of them is. */

import type { FailureReader } from '../decide/failures/row.js';
import type { HintedSuccess } from '../hints/hint-set.js';
import type { HintReader } from '../hints/read-hint.js';
import type { BodyReading } from '../hints/worth-reading.js';
import type { Hedge, Tail } from '../limits/latency/setting.js';
import type { Forbids, LimitSettings } from '../limits/settings.js';
import type { Decision, Finding, History, World } from '../types.js';
import type { Credentials, IdempotencyKey, SettingsOptions, StreamStart } from './options.js';
import type { Schedule } from './schedules.js';

export interface Statuses {
  /** Retryable. */
  readonly retried: ReadonlySet<number>;
  /** Never retried, regardless of hints: they were negated. */
  readonly never: ReadonlySet<number>;
  /** The lowest that is retried: nearly all answers have a lower one. */
  readonly lowest: number;
}

/** Settings that can only be functions: unset by default, and impossible in JSON. */
export type Hook = 'retryIf' | 'beforeRetry' | 'observe';

/** Settings without a default. */
type Unset = 'deadlineMs' | Hook;

/** Settings that are read in another form than they are written in. */
export interface Compiled extends LimitSettings {
  readonly statuses: Statuses;
  /** Upper case. */
  readonly methods: ReadonlySet<string>;
  readonly idempotencyKey: IdempotencyKey | false;
  readonly credentials: Credentials | false;
  readonly streamStart: StreamStart | false;
  readonly schedule: Schedule;
  readonly throttledSchedule: Schedule;
  /** The chosen sets of hints, merged; undefined: none is read. */
  readonly hints: HintReader | undefined;
  /** Responses below 400 in which one of them looks for hints. */
  readonly hintedSuccesses: readonly HintedSuccess[];
  /** Undefined: the body of an answer is never looked into. */
  readonly bodies: BodyReading | undefined;
  /** `bodyHintBytes` as written, here or where it is inherited from. */
  readonly givenBodyHintBytes: number | undefined;
  /** Whether the limits that are asked before an attempt allow a retry; undefined: there are none. */
  readonly forbids: Forbids | undefined;
  /** What follows if the credentials of the request were renewed; undefined: it has none. */
  readonly goesAgain: GoesAgain | undefined;
  /** What is known of failures of the transport. */
  readonly failures: FailureReader;
  /** The time limit of one attempt; if it is adaptive, the longest one. */
  readonly attemptTimeoutMs: number | undefined;
  readonly hedge: Hedge | false;
  /** Whether a limit is asked before each attempt, so that a request may have to wait or be refused. */
  readonly needsAdmission: boolean;
  /** Whether one of them wants to know when the body of an answer is over. */
  readonly awaitsBody: boolean;
  /** Whether answers may be kept until their bodies are whole: for themselves, or for hints of your own that look into them. */
  readonly keepsUntilWhole: boolean;
  /** Whether a GET, as most requests are, is safe to repeat. */
  readonly repeatsGet: boolean;
  /** What has to be learnt from the answers; undefined: nothing. */
  readonly tail: Tail | undefined;
  /** In lower case. */
  readonly attemptHeader: string | false;
}

/** Undefined: it is not about the credentials. */
export type GoesAgain = (
  settings: Settings,
  history: History,
  attempt: number,
  finding: Finding,
  world: World,
) => Decision | undefined;

type AsWritten = Required<Omit<SettingsOptions, 'retry' | keyof Compiled | Unset>>;
type WhereSaid = { readonly [K in Unset]: SettingsOptions[K] | undefined };

/** A rule filled in with all defaults: what `decide` reads. */
export interface Settings extends AsWritten, WhereSaid, Compiled {}
