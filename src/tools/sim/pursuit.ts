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

/** What hedges, and what learns how long answers take: a `SessionTail` is one. */
export interface PursuitTail {
  /** The attempt with this number, from 1, is on its way. */
  sent(attempt: number): void;
  /** Its time limit. Undefined: the settings' own. */
  timeoutMs(isSendable: boolean): number | undefined;
  /** That time is over. False: the settings' own limit applies after all. */
  mayTimeOut?(): boolean;
  /** After how long a second attempt may be sent. Undefined: none. */
  hedgeAfterMs(isSendable: boolean): number | undefined;
  /** That time is over: the number of the second attempt. Undefined: none after all. */
  hedge(): number | undefined;
  /** One of two attempts has ended. */
  ended(attempt: number, outcome: ResponseOutcome | ErrorOutcome, prospects: Prospects): BareRuling;
  /** How long the attempt that lost may go on; 0: it is cut now. */
  leaveLoser(attempt: number): number;
  /** The attempt that lost and was not cut at once has been answered, or cut after that time. */
  loserGone(attempt: number, isAnswered: boolean): void;
}

export type BareRuling =
  | { readonly kind: 'pending' }
  | { readonly kind: 'decided'; readonly attempt: number; readonly decision: BareDecision };

/** One request in progress, as an adapter sees it: a `Session` is one. */
export interface Pursuit {
  readonly settings: Pick<Settings, 'attemptTimeoutMs' | 'deadlineMs'> &
    Partial<Pick<Settings, 'bodyHintBytes' | 'streamStart'>>;
  /** Monotonic time at which the request ends at the latest. */
  readonly deadlineAt: number;
  readonly tail?: PursuitTail | undefined;
  admit(): Admission;
  /** Only where `admit` may ask for a wait with `isCalled`. */
  onTurn?(call: () => void): void;
  acceptAtOnce(status: number): boolean;
  next(outcome: ResponseOutcome | ErrorOutcome, prospects: Prospects): BareDecision;
  abandon(outcome?: unknown): void;
  /** Only if it waits for that: the answer is over. */
  readonly awaitsBody?: boolean;
  bodyEnded?(): void;
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
