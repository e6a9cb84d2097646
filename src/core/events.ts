/** What hooks and listeners get. */

import type { Decision, History, Outcome, RefusalReason, Retry, ToldRequest, World } from './types.js';

/** The outcome with what its answer holds: in the same form, whichever client got it. */
interface Told {
  /** The code of an error, such as `'ECONNRESET'`: also where the client has it only in the error's cause, as fetch does. */
  readonly code: string | undefined;
  /**
   * The value of a header of the answer, by its name in any case: `header('x-reason')`. Several values are joined with a
   * comma. Undefined if there is none, or no answer.
   */
  readonly header: (name: string) => string | undefined;
  /**
   * The body of the answer: parsed if it is JSON, otherwise as text. It can be read as often as you like, and the caller
   * still gets all of it. Undefined if there is no answer, or if its body breaks off, is an event stream, or is longer
   * than 1 MB.
   */
  readonly body: <Body = unknown>() => Promise<Body | undefined>;
}

/** What `retryIf` gets: the outcome, with its headers and its body. */
export type LiveOutcome = Outcome & Told;

/** An outcome as a client hands it over. */
export type ClientOutcome = Outcome & {
  /** Present if the client can read the body of the answer. */
  body?(): Promise<unknown>;
  /** Present if a redirect is known to have led to another origin, whose answer this is. */
  readonly isElsewhere?: true | undefined;
};

/**
 * True: retry, the caller says that it is worth it and safe. False: stop. Undefined (or null): the rules decide. Any
 * other value fails the request.
 */
export type RetryIf = (
  outcome: LiveOutcome,
  request: ToldRequest,
) => boolean | undefined | PromiseLike<boolean | undefined>;

export interface RetryContext {
  readonly request: ToldRequest;
  readonly decision: Retry;
  readonly history: History;
  /** The URL of the next attempt, which the hook may change. */
  url: string;
  /** The headers of the next attempt, which the hook may change. */
  headers: Record<string, string | string[]>;
}

export type BeforeRetry = (context: RetryContext) => void | PromiseLike<void>;

/** Headers that carry credentials. One that is undefined is left out. */
export type CredentialHeaders =
  | Readonly<Record<string, string | undefined>>
  | Iterable<readonly [name: string, value: string]>
  | undefined;

/** The head of the answer that refused the credentials. */
export interface RefusingAnswer {
  readonly status: number;
  /** The value of a header, by its name in any case: `header('www-authenticate')`. Undefined if there is none. */
  readonly header: (name: string) => string | undefined;
}

export interface RenewalContext {
  readonly response: RefusingAnswer;
  /** Aborts when the renewal has taken too long. No caller of a request can abort it. */
  readonly signal: AbortSignal;
}

/** Whatever it returns is not looked at: `headers` returns the new credentials. */
export type Renew = (context: RenewalContext) => unknown;

/** A request as events show it: without userinfo and query. */
export interface RequestSummary {
  readonly method: string;
  readonly url: string;
}

export interface DecisionEvent {
  readonly type: 'decision';
  readonly request: RequestSummary;
  readonly rule: string;
  readonly scope: string;
  readonly history: History;
  readonly world: World;
  readonly decision: Decision;
}

export interface SettledEvent {
  readonly type: 'settled';
  readonly request: RequestSummary;
  readonly rule: string;
  readonly scope: string;
  readonly attempts: number;
  /** What the caller got: the status, or the code or name of the error. */
  readonly outcome: number | string;
  readonly elapsedMs: number;
  /** Present if the request was hedged: whether the caller got the answer of a hedge. */
  readonly hedgeWon?: boolean;
  /** Present if an attempt was refused by a limit of its scope. */
  readonly refused?: Refusal;
}

/** A second attempt is being sent while the first is still out. */
export interface HedgeEvent {
  readonly type: 'hedge';
  readonly request: RequestSummary;
  readonly rule: string;
  readonly scope: string;
  /** The number of the hedge among the attempts of the request. */
  readonly attempt: number;
  /** How long the other attempt had been out without an answer, in milliseconds. */
  readonly afterMs: number;
}

/** A renewal of credentials is over. */
export interface RenewalEvent {
  readonly type: 'renewal';
  /** The request that asked for it; others may have waited for it as well. */
  readonly request: RequestSummary;
  readonly rule: string;
  readonly scope: string;
  /** False: `renew` failed, or took longer than `timeoutMs`. */
  readonly ok: boolean;
  /** How long it took, in milliseconds. */
  readonly tookMs: number;
}

/** A limit of its scope refused an attempt, or would have refused it with `enforce: true`. */
export interface Refusal {
  readonly reason: RefusalReason;
  /** True: the attempt was not sent. False: it was sent, because the limit is not enforced. */
  readonly enforced: boolean;
}

/**
 * The connection of this process to its fleet has changed. `isShared`: false if the store does not answer and the
 * process continues alone.
 */
export interface FleetEvent {
  readonly type: 'fleet';
  readonly isShared: boolean;
}

/** What `observe` and the diagnostics channel are told about requests. */
export type RequestEvent = DecisionEvent | HedgeEvent | RenewalEvent | SettledEvent;

export type Observe = (event: RequestEvent) => void;
