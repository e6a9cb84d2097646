/** How a request is retried. Our retrier is one strategy; others can be stated for comparison. */

import type {
  Admission,
  ErrorOutcome,
  OverrideOptions,
  Prospects,
  RequestFacts,
  ResponseOutcome,
  Settings,
} from '../../index.js';

/** One request in progress, as an adapter sees it: a `Session` is one. */
export interface Pursuit {
  readonly settings: Pick<Settings, 'attemptTimeoutMs' | 'deadlineMs'>;
  /** Monotonic time at which the request ends at the latest. */
  readonly deadlineAt: number;
  admit(): Admission;
  acceptAtOnce(status: number): boolean;
  next(outcome: ResponseOutcome | ErrorOutcome, prospects: Prospects): BareDecision;
  abandon(outcome?: unknown): void;
}

/** A decision without its reasons. */
export type BareDecision =
  | { readonly action: 'retry'; readonly delayMs: number }
  | { readonly action: 'stop' };

/** The state that all requests of one process share. */
export interface Strategy {
  /** `thoughtMs`: how long the user thought before the request; one peer starts its waits with that. */
  open(request: RequestFacts, thoughtMs: number, override?: OverrideOptions): Pursuit;
}
