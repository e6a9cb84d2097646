/** How a request is pursued. Our own retrier is one way of it; others can be stated to compare with. */

import type {
  Admission,
  ErrorOutcome,
  OverrideOptions,
  Prospects,
  RequestFacts,
  ResponseOutcome,
  Settings,
} from '../../index.js';

/** One request on its way, as an adapter sees it: a `Session` is one. */
export interface Pursuit {
  readonly settings: Pick<Settings, 'attemptTimeoutMs' | 'deadlineMs'>;
  /** Monotonic time after which nothing of this request happens. */
  readonly deadlineAt: number;
  admit(): Admission;
  acceptAtOnce(status: number): boolean;
  next(outcome: ResponseOutcome | ErrorOutcome, prospects: Prospects): BareDecision;
  abandon(outcome?: unknown): void;
}

/** Without its reasons. */
export type BareDecision =
  | { readonly action: 'retry'; readonly delayMs: number }
  | { readonly action: 'stop' };

/** What all requests of one process share. */
export interface Strategy {
  /** `thoughtMs`: how long the user thought before, which is what one old program begins its waits with. */
  open(request: RequestFacts, thoughtMs: number, override?: OverrideOptions): Pursuit;
}
