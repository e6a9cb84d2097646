/**
 * One request on its way, as adapters and users see it. It is an interface without private members, like every exported
 * type: the types of the package may be loaded twice, for `import` and for `require`, and the two must be compatible.
 */

import type { ClientOutcome } from '../core/events.js';
import type { Rule } from '../core/policy/policy.js';
import type { Settings } from '../core/policy/settings.js';
import type { Admission, Decision, History, Outcome, RefusalReason, RequestFacts } from '../core/types.js';
import type { Alarm, NewAlarms } from './alarms.js';
import type { Ports } from './ports.js';

/** What the client knows about sending the request again. */
export interface Prospects {
  /** Whether the body can be sent again. */
  readonly replayable: boolean;
  /** What `retryIf` answered. */
  readonly verdict?: boolean | undefined;
  /** What `credentials.renewed` said. */
  readonly renewed?: boolean | undefined;
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
  readonly limits: SessionLimits;
  /** Monotonic time; undefined unless a deadline or a listener needs it. */
  readonly startedAt: number | undefined;
  /** Whether the deadline counts already. Unless the session was opened to begin later, it does from the start. */
  readonly hasBegun: boolean;
  /** The deadline counts from now on, if it does not yet. `now`: by the clock of this process. */
  begin(now?: number): void;
  /** The number of the attempt that is out or comes next; if two are out, that of the first. */
  readonly attempt: number;
  /** Undefined unless a setting asks for it. */
  readonly tail: SessionTail | undefined;
  /** Undefined unless a setting asks for it. */
  readonly credentials: SessionCredentials | undefined;
  /** Every attempt whose outcome is known. */
  readonly history: History;
  /** The deadline as monotonic time: no attempt starts after it. Infinity if there is none. `resume` may move it. */
  readonly deadlineAt: number;
  /** Whether the request was made as an attempt of another layer, which hands over the result; also once that is over. */
  readonly isEnclosed: boolean;
  /** The deadline is over, whatever the clock says: a test may have replaced the timers without it, or it without them. */
  expire(): void;
  /**
   * The body broke off after the caller had got its head, and the rest is requested. A deadline that ended with the head
   * starts again.
   */
  resume(): void;
  /**
   * `beforeRetry` sends the next attempt to this URL. At another origin, it belongs to the scope of that, unless the rule
   * names one; the rule, its settings and the deadline stay.
   */
  movesTo(url: string): void;
  /** To be called before each attempt, the first one included, and again after a wait that it asked for. */
  admit(): Admission;
  /**
   * To be called at once when `admit` asked for a wait with `isCalled`. `call` is called, at most once, if it is this
   * request's turn to ask again before that time is over. That happens while another request ends, so what `call` does has
   * to be left for later.
   */
  onTurn(call: () => void): void;
  /**
   * True if the response needs no decision: the session is over, and the response is the caller's. False: ask `next`.
   */
  acceptAtOnce(status: number): boolean;
  /** Decides what follows an outcome. A stop ends the session, unless the body of an accepted response fails later. */
  next(outcome: Outcome, prospects: Prospects): Decision;
  /**
   * Whether a limit wants to know when the body of the answer is over. If not, adapters need not watch it, nor call
   * `bodyEnded`.
   */
  readonly awaitsBody: boolean;
  /**
   * To be called once, if `awaitsBody`, when the request has ended and the body of its answer is over: it was read to its
   * end, has broken off, was given up, or there is none. An attempt that a retry follows has ended with `next`, and the
   * loser of two with `loserGone`. undici tells of every end. In axios, only a stream ends later than its answer, and in
   * fetch every body; one that is not begun within a second counts as unread, which no client tells, and in browsers the
   * answer ends with its head.
   */
  bodyEnded(): void;
  /**
   * The caller gave up, or the request ended in a way that needs no decision, with this error or status. Without an
   * outcome it was not a request of ours, and listeners are not told.
   */
  abandon(outcome?: unknown): void;
}

/** What adapters ask about hedges and adaptive timeouts. It exists only if a setting asks for either. */
export interface SessionTail {
  /**
   * The attempt is on the wire now, as far as the client shows that, or since then; again, if it moves to another
   * connection.
   */
  sent(attempt: number, at?: number): void;
  /** When that was. */
  readonly lastSentAt: number;
  /**
   * The adaptive time limit of the attempt that was just sent. Undefined: `attemptTimeoutMs` applies.
   * `isSendable`: its body can be sent again.
   */
  timeoutMs(isSendable: boolean): number | undefined;
  /**
   * That time is over. False: a retry is no longer affordable, because others have timed out as well, so the attempt goes
   * on for as long as `attemptTimeoutMs` allows.
   */
  mayTimeOut(): boolean;
  /**
   * After how long without an answer a hedge may be sent; undefined: there will be none. To be asked once the attempt is
   * on the wire. `isSendable`: there is no body, or two attempts can send it at the same time.
   */
  hedgeAfterMs(isSendable: boolean): number | undefined;
  /**
   * The alarm rings when that time is over. The class of the alarms is handed over because a page, which has fewer
   * requests, does without it. `now` is the time of the call.
   */
  awaitHedge(alarm: Alarm, afterMs: number, OfScope: NewAlarms, now: number): void;
  stopAwaiting(alarm: Alarm): void;
  /** That time is over. The number of the hedge among the attempts; undefined if none may be sent after all. */
  hedge(): number | undefined;
  /** The hedge was given up before it was on the wire, so it does not count. To be called before the other's end. */
  withdraw(): void;
  /** One of the two attempts that were out has ended. To be called in place of `acceptAtOnce` and `next`. */
  ended(attempt: number, outcome: Outcome, prospects: Prospects): Ruling;
  /** How long this loser may go on until its head, to keep its HTTP/1 connection, in milliseconds; 0: it is cut now. */
  leaveLoser(attempt: number): number;
  /** A loser that was allowed to go on is gone. To say so again changes nothing. */
  loserGone(attempt: number, isAnswered: boolean): void;
}

/** What adapters ask about credentials. It exists only if a setting asks for them. */
export interface SessionCredentials {
  /**
   * The headers of the attempt that is sent next, and of a hedge beside it, over those of the request; their names are in
   * lower case. Undefined: there are none, or it goes to another origin.
   */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /**
   * Asks the caller for those headers, before each attempt that has been admitted, but not before a hedge. It may throw,
   * and the promise may reject, with the caller's own error.
   */
  ask(): Promise<void> | undefined;
  /**
   * To be asked about each outcome that is judged, with the number of its attempt if two are out, before `next` gets the answer. True: the credentials were refused, and
   * there are fresh ones. A promise: they are being renewed, and it never rejects.
   */
  renewed(
    outcome: ClientOutcome,
    prospects: Prospects,
    attempt?: number,
  ): boolean | undefined | Promise<boolean>;
}

export type Ruling =
  /** The other attempt is still out and may be better: this ending has to be kept. */
  | { readonly kind: 'pending' }
  /**
   * `attempt` is the number of the attempt whose ending counts. With a stop, the caller gets that ending, and the other
   * attempt has lost. With a retry, both have ended.
   */
  | { readonly kind: 'decided'; readonly attempt: number; readonly decision: Decision };

/** The scope of the session, as far as adapters and users need it. */
export interface SessionScope {
  readonly name: string;
  readonly ports: Ports;
}

/** The limits of its scope, as far as adapters need them. */
export interface SessionLimits {
  /**
   * The error of a request that was refused. `own`: the last real outcome of this request as the `cause`, if there was one.
   * Otherwise, the cause is what the limit has found: plain data, so that an error which is kept holds no connection and
   * no body.
   */
  refusal(reason: RefusalReason, own?: ErrorOptions): Error;
}
