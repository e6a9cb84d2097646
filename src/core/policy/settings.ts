/** A policy's settings as everything but the check reads them: filled in. */

import type { BeforeRetry, Observe, RetryIf } from '../events.js';
import type { HintedSuccess } from '../hints/hint-set.js';
import type { HintReader } from '../hints/read-hint.js';
import type { RequestFacts } from '../types.js';
import type { Budget, Gate, Hold } from './limits.js';
import type { Schedule } from './schedules.js';

export interface IdempotencyKey {
  /**
   * The header that carries the key.
   * @default 'idempotency-key'
   */
  readonly header: string;
  /**
   * Whether the key is in quotes: a string of RFC 8941, as the draft of the standard has it.
   * @default false
   */
  readonly quoted: boolean;
  /**
   * Makes the key of a request. Left out, it is a UUID.
   * @default none
   */
  readonly generate: (() => string) | undefined;
}

export interface Statuses {
  /** Worth another attempt. */
  readonly retried: ReadonlySet<number>;
  /** Never, whatever a hint says: they were negated by name. */
  readonly never: ReadonlySet<number>;
}

/** A rule filled in with every default: what `decide` reads. */
export interface Settings {
  readonly maxRetries: number;
  readonly deadlineMs: number | undefined;
  readonly deadlineCovers: 'head' | 'body';
  readonly attemptTimeoutMs: number | undefined;
  readonly statuses: Statuses;
  /** Upper case. */
  readonly methods: ReadonlySet<string>;
  readonly idempotent: boolean;
  readonly unsafeMethods: 'never' | 'unsent' | 'refused';
  readonly idempotencyKey: IdempotencyKey | false;
  readonly schedule: Schedule;
  readonly throttledSchedule: Schedule;
  /** The chosen sets of hints, merged; undefined: none is read. */
  readonly hints: HintReader | undefined;
  /** Answers below 400 that one of them reads. */
  readonly hintedSuccesses: readonly HintedSuccess[];
  /** As much as was written, or as the chosen sets have a use for. */
  readonly bodyHintBytes: number;
  /** What was written, here or where it is inherited from. */
  readonly bodyHintBytesSaid: number | undefined;
  readonly maxHintMs: number;
  readonly hintJitter: number;
  readonly budget: Budget | false;
  readonly gate: Gate | false;
  readonly hold: Hold | false;
  readonly scope: 'origin' | (string & {}) | ((request: RequestFacts) => string);
  readonly bufferBodyBytes: number;
  readonly resume: boolean;
  readonly unref: boolean;
  /** Header that carries the retry's number, in lower case. */
  readonly attemptHeader: string | false;
  readonly retryIf: RetryIf | undefined;
  readonly beforeRetry: BeforeRetry | undefined;
  readonly observe: Observe | undefined;
}
