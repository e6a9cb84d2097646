/**
 * One request on its way, as adapters and users see it. An interface without private members, as all that is
 * exported: a package's types may be declared twice, for `import` and for `require`, and both are one.
 */

import type { HoldState } from '../core/limits/hold/state.js';
import type { Rule } from '../core/policy/policy.js';
import type { Settings } from '../core/policy/settings.js';
import type { Admission, Decision, History, Outcome, RequestFacts } from '../core/types.js';
import type { Ports } from './ports.js';

/** What the client knows of sending the request again. */
export interface Prospects {
  /** The body could be sent again. */
  readonly replayable: boolean;
  /** What `retryIf` answered. */
  readonly verdict?: boolean | undefined;
  /** Only where the caller has a head already: whether the rest of its body could be asked for. */
  readonly resumable?: boolean | undefined;
}

/** Asks for admission, hands each outcome to `decide`, spends, records and tells. */
export interface Session {
  readonly request: RequestFacts;
  readonly rule: Rule;
  /** The rule's, under what this request says for itself. */
  readonly settings: Settings;
  readonly scope: SessionScope;
  /** Monotonic; read only where a deadline or a listener asks for it. */
  readonly startedAt: number | undefined;
  /** Every attempt whose outcome is known. */
  readonly history: History;
  /** Monotonic time after which nothing of this request happens until the next head. */
  readonly deadlineAt: number;
  /** Another layer retries this request, or its retries are suppressed. */
  readonly isSuppressed: true | undefined;
  /** The body of a head that was handed over broke off. A deadline that ended with that head begins anew. */
  resume(): void;
  /** Before each attempt, the first one too; and again after a wait that it asked for. */
  admit(): Admission;
  /** A response that needs no decision ends the session here, and is the caller's. False: ask `next`. */
  acceptAtOnce(status: number): boolean;
  /** What now? A stop is the end of the session, unless the body of what it let through fails later. */
  next(outcome: Outcome, prospects: Prospects): Decision;
  /**
   * The caller gave up, or it ended in a way that is not to be judged: with this error, or status. Without one
   * it was no request of ours, and listeners are not told.
   */
  abandon(outcome?: unknown): void;
}

/** The scope that it belongs to, as far as it matters outside. */
export interface SessionScope {
  readonly name: string;
  readonly ports: Ports;
  /** The answer because of which others are held. */
  askedOf(settings: Settings): HoldState['asked'];
}
