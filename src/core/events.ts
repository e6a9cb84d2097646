/** What hooks are given, and what listeners are told. */

import type { Decision, History, Outcome, RefusalReason, RequestFacts, Retry, World } from './types.js';

/** What `retryIf` sees: the outcome and, where the client can, its parsed body. */
export type LiveOutcome = Outcome & { body?(): Promise<unknown> };

/**
 * True: worth it and safe, on the caller's word. False: stop. Undefined (or null): the rules decide. Anything else is an
 * error of the request.
 */
export type RetryIf = (
  outcome: LiveOutcome,
  request: RequestFacts,
) => boolean | undefined | PromiseLike<boolean | undefined>;

export interface RetryContext {
  readonly request: RequestFacts;
  readonly decision: Retry;
  readonly history: History;
  /** The next attempt's URL; may be changed. */
  url: string;
  /** The next attempt's headers; may be changed. */
  headers: Record<string, string | string[]>;
}

export type BeforeRetry = (context: RetryContext) => void | PromiseLike<void>;

/** A request as events show it: no userinfo, no query. */
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
  /** The status, or the error's code or name, that the caller got. */
  readonly outcome: number | string;
  readonly elapsedMs: number;
  /** An attempt of it was not sent. */
  readonly refused?: Refusal;
}

/** An attempt was not sent; or would not have been, if what was in its way were enforced. */
export interface Refusal {
  readonly reason: RefusalReason;
  /** Whether it was not sent. */
  readonly enforced: boolean;
}

/** The processes that share scopes have become one, or this one goes on alone: the store does not answer. */
export interface FleetEvent {
  readonly type: 'fleet';
  readonly isShared: boolean;
}

export type Observe = (event: DecisionEvent | SettledEvent) => void;
