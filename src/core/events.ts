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

/** An outcome as a client hands it over. It has `body` if the client can read the body of the answer. */
export type ClientOutcome = Outcome & { body?(): Promise<unknown> };

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
  /** Present if an attempt was refused by the gate or the hold. */
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

/** The gate or the hold refused an attempt, or would have refused it with `enforce: true`. */
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
export type RequestEvent = DecisionEvent | HedgeEvent | SettledEvent;

export type Observe = (event: RequestEvent) => void;
