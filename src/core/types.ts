/**
 * The nouns. Everything the core takes and returns is a value of one of these types.
 *
 * Units are in names (`delayMs`); `now` is monotonic time, `date` is wall time, and the wall
 * clock is only ever compared with dates that a server sent.
 */

import type { BudgetState } from './limits/budget/state.js';

// ---------------------------------------------------------------- the request and how it ended

/** What the policy needs to know of a request. Header values and bodies are not part of it. */
export interface RequestFacts {
  /** As on the wire; compared without regard to case. */
  readonly method: string;
  /** `scheme://host[:port]`; undefined where the client cannot tell. */
  readonly origin: string | undefined;
  /** Path with or without query, or an absolute URL (as a proxy request has it). */
  readonly path: string;
  /** The request carries an idempotency key, the caller's own or one that we made. */
  readonly keyed: boolean;
}

/** Headers in the shapes that clients have them: a record, or anything with `get(name)`. */
export type HeadersLike =
  | { readonly [name: string]: string | readonly string[] | number | undefined }
  | { get(name: string): unknown };

/**
 * What an outcome proves: the request never left (`unsent`), the server says that it did not take
 * it (`refused`), or nothing (`unknown`).
 */
export type Evidence = 'unsent' | 'refused' | 'unknown';

/** Is it worth trying again: `throttled` is a `transient` one that asks for more patience. */
export type Class = 'transient' | 'throttled' | 'final';

/** A response head came. */
export interface ResponseOutcome {
  readonly kind: 'response';
  readonly status: number;
  readonly headers?: HeadersLike;
  /** What was read of the body, for hints in it: text, what was parsed from JSON, or `unreadable`. */
  readonly content?: unknown;
  /** What the client itself saw (an answer after a redirect proves nothing); absent: read off the status. */
  readonly evidence?: Evidence;
}

/** It failed. */
export interface ErrorOutcome {
  readonly kind: 'error';
  readonly error: unknown;
  /** What the client itself saw; absent: read off the error. */
  readonly evidence?: Evidence;
  /** Whether the caller's own signal ended it; absent: read off the error. */
  readonly aborted?: boolean;
  /** Its time was over before there was anything to send: it says nothing about the server. */
  readonly unasked?: true;
}

/** How an attempt ended, as the client saw it. */
export type Outcome = ResponseOutcome | ErrorOutcome;

/** What the server's answer asks of us. */
export interface Hint {
  /** Counted from the receipt of the head, before jitter and limits; null: no usable wait. */
  readonly delayMs: number | null;
  /** Present only where the answer itself says so: true is "worth it" (never "safe"), false a veto. */
  readonly retry?: boolean;
  /** Where it was read, or why it could not be: kebab-case. */
  readonly reason: string;
}

/** What is known of every end. Findings are made with these keys in this order, whatever their kind. */
interface Found {
  readonly class: Class;
  readonly evidence: Evidence;
  /** Only of a response. */
  readonly hint: Hint | undefined;
  /** The caller's own signal ended it; only of an error. */
  readonly aborted: boolean;
}

/** A response, classified. */
export interface ResponseFinding extends Found {
  readonly kind: 'response';
  readonly status: number;
}

/** An error, classified. */
export interface ErrorFinding extends Found {
  readonly kind: 'error';
  readonly name: string;
  readonly code: string | undefined;
  /** Present where there was nothing to send yet, as its body was not made in time: it says nothing about the server. */
  readonly unasked?: true;
}

/** What `classify` made of an outcome: plain data, safe to log, enough to decide again. */
export type Finding = ResponseFinding | ErrorFinding;

// ---------------------------------------------------------------- deciding

/** Everything that `decide` must know and must not fetch itself: time, dice, shared state. */
export interface World {
  readonly request: Pick<RequestFacts, 'method' | 'keyed'>;
  /** The body can be sent again, as things stand now. */
  readonly replayable: boolean;
  /**
   * Monotonic time from which the deadline counts: at which the request was opened, or where that covers only heads,
   * at which the body broke off that is to be resumed.
   */
  readonly startedAt: number | undefined;
  /** Monotonic time. */
  readonly now: number;
  /** Wall time, for dates that the server sent. */
  readonly date: number;
  /** One draw from [0, 1). */
  readonly random: number;
  readonly budget: BudgetState | undefined;
  /** The gate of the scope is shut, and requests do not wait for it. */
  readonly gateShut: boolean;
  /** How long a retry would have to queue behind the hold of the scope. */
  readonly queueMs?: number | undefined;
  /** What `retryIf` answered. */
  readonly verdict: boolean | undefined;
  /** The caller has a head already: whether the rest of its body can be asked for. */
  readonly resumable?: boolean | undefined;
  /** It was sent within `suppressRetries`, or another layer of ours retries it. */
  readonly suppressed?: true | undefined;
}

export type RetryReason =
  /** A status worth another attempt. */
  | 'transient-status'
  /** 429, or another answer that says "too much". */
  | 'throttled'
  /** The connection failed. */
  | 'transport-error'
  /** Our own per-attempt timeout. */
  | 'attempt-timeout'
  /** The answer asks for a retry, in so many words. */
  | 'server-asks'
  /** `retryIf` said true. */
  | 'caller-asks';

export type StopReason =
  // not worth it
  | 'success'
  | 'final-status'
  | 'final-error'
  | 'aborted'
  | 'server-forbids'
  | 'caller-forbids'
  // not safe
  | 'unsafe-method'
  | 'body-spent'
  | 'not-resumable'
  // not affordable
  | 'retries-off'
  | 'retries-suppressed'
  | 'retries-spent'
  | 'hint-too-long'
  | 'hint-past-deadline'
  | 'wait-past-deadline'
  | 'budget-spent'
  | 'gate-shut'
  | 'held';

export type Reason = RetryReason | StopReason;

export interface Retry {
  readonly action: 'retry';
  readonly reason: RetryReason;
  /** The attempt that just ended, from 1. */
  readonly attempt: number;
  readonly finding: Finding;
  readonly delayMs: number;
  /** Who chose the wait. */
  readonly waitFrom: 'hint' | 'schedule' | 'throttledSchedule';
  /** What the retry takes from the budget. */
  readonly cost: number;
}

export interface Stop {
  readonly action: 'stop';
  readonly reason: StopReason;
  /** The attempt that just ended, from 1. */
  readonly attempt: number;
  readonly finding: Finding;
  /** The wait that would have been needed, where that is why; without it, the deadline itself ended the attempt. */
  readonly delayMs?: number;
  /** The setting that forbade it, where there is one: `maxRetries`, `maxHintMs`, `deadlineMs`. */
  readonly limit?: number;
}

export type Decision = Retry | Stop;

/** When an attempt ended, and what followed; its number and what was found of it stand in the decision. */
export interface Attempt {
  /** Monotonic time at which its outcome was known; undefined if no clock was read (success at once). */
  readonly endedAt: number | undefined;
  readonly decision: Decision;
}

/** Every attempt of one request so far. */
export type History = readonly Attempt[];

// ---------------------------------------------------------------- admission

/** Why an attempt was not even sent. */
export type RefusalReason =
  /** The server is taken for dead. */
  | 'gate-shut'
  /** `maxWaiting` requests wait for the gate already. */
  | 'gate-full'
  /** The servers told others to wait, and the queue behind that is too long. */
  | 'held';

/** Whether an attempt may be sent now. */
export type Admission =
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly delayMs: number; readonly why: 'gate' | 'hold' }
  | { readonly kind: 'refuse'; readonly reason: RefusalReason };
