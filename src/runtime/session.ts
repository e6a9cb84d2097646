/**
 * One request on its way, as adapters and users see it. It is an interface without private members, like every exported
 * type: the types of the package may be loaded twice, for `import` and for `require`, and the two must be compatible.
 */

import type { HoldState } from '../core/limits/hold/state.js';
import type { Rule } from '../core/policy/policy.js';
import type { Settings } from '../core/policy/settings.js';
import type { Admission, Decision, History, Outcome, RequestFacts } from '../core/types.js';
import type { Ports } from './ports.js';

/** What the client knows about sending the request again. */
export interface Prospects {
  /** Whether the body can be sent again. */
  readonly replayable: boolean;
  /** What `retryIf` answered. */
  readonly verdict?: boolean | undefined;
  /** Only if the caller has a response head already: whether the rest of its body can be requested. */
  readonly resumable?: boolean | undefined;
}

/** Asks for admission, hands each outcome to `decide`, spends, records and tells. */
export interface Session {
  readonly request: RequestFacts;
  readonly rule: Rule;
  /** The settings of the rule, with the request's own override on top. */
  readonly settings: Settings;
  readonly scope: SessionScope;
  /** Monotonic time; undefined unless a deadline or a listener needs it. */
  readonly startedAt: number | undefined;
  /** Every attempt whose outcome is known. */
  readonly history: History;
  /** The deadline as monotonic time: no attempt starts after it. Infinity if there is none. `resume` may move it. */
  readonly deadlineAt: number;
  /** True if another layer retries this request, or if its retries are suppressed. */
  readonly isSuppressed: true | undefined;
  /**
   * The body of a head that the caller has broke off, and the rest is requested. A deadline that ended with that head
   * starts again.
   */
  resume(): void;
  /** To be called before each attempt, the first one included, and again after a wait that it asked for. */
  admit(): Admission;
  /**
   * True if the response needs no decision: the session is over, and the response is the caller's. False: ask `next`.
   */
  acceptAtOnce(status: number): boolean;
  /** Decides what follows an outcome. A stop ends the session, unless the body of an accepted response fails later. */
  next(outcome: Outcome, prospects: Prospects): Decision;
  /**
   * The caller gave up, or the request ended in a way that needs no decision, with this error or status. Without an
   * outcome it was not a request of ours, and listeners are not told.
   */
  abandon(outcome?: unknown): void;
}

/** The scope of the session, as far as adapters and users need it. */
export interface SessionScope {
  readonly name: string;
  readonly ports: Ports;
  /** The answer that started the hold. */
  askedOf(settings: Settings): HoldState['asked'];
}
