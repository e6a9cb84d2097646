/**
 * The nouns. Everything that the core takes and returns is a value of one of these types.
 *
 * Units are in names (`delayMs`). `now` is monotonic time and `date` is wall time; the wall clock is only ever compared
 * with dates that a server sent.
 */

import type { AskedFirst } from './limits/all.js';
import type { LimitRefusal, LimitStop, LimitsSeen } from './limits/settings.js';

// ---------------------------------------------------------------- the request and how it ended

/** What the policy needs to know about a request, in the client's own spelling. Bodies are not part of it. */
export interface RequestFacts {
  /** The method as on the wire. It is compared without regard to case. */
  readonly method: string;
  /** `scheme://host[:port]`; undefined if the client cannot tell. */
  readonly origin: string | undefined;
  /** The path with or without a query, or an absolute URL (as a proxy request has it). */
  readonly path: string;
  /** Whether the request carries an idempotency key: the caller's own, or one that the library made. */
  readonly keyed: boolean;
  /** The path with the query, or an absolute URL, as it is sent. To be given if `path` is only a part of that. */
  readonly address?: string;
  /** The value of a header that the caller set. The name comes in lower case; without this, no header is known. */
  header?(name: string): string | undefined;
}

/** A request as the functions of a policy see it: in the same form, whichever client sends it. */
export interface ToldRequest extends RequestFacts {
  /** In upper case. */
  readonly method: string;
  /** `scheme://host[:port]`, as in `new URL(…).origin`; undefined if the client cannot tell. */
  readonly origin: string | undefined;
  /** The path with the query, as it is sent: `/search?q=1`. */
  readonly path: string;
  /**
   * The whole URL as it is sent, without userinfo and fragment; the path alone if the client cannot tell the origin. Like
   * `path`, it may hold secrets in its query.
   */
  readonly url: string;
  /**
   * The value of a header that the caller set, by its name in any case: `header('x-tenant')`. Several values are joined
   * with a comma. Undefined if there is none.
   */
  readonly header: (name: string) => string | undefined;
}

/** Headers in the shapes that clients have them: a record, or anything with `get(name)`. */
export type HeadersLike =
  | { readonly [name: string]: string | readonly string[] | number | undefined }
  | { get(name: string): unknown };

/**
 * What an outcome proves: the request never left (`unsent`), the server says that it did not take the request
 * (`refused`), or nothing (`unknown`).
 */
export type Evidence = 'unsent' | 'refused' | 'unknown';

/**
 * Whether a retry is worth it: a `transient` failure may pass, a `throttled` one (rate limited) needs longer waits, a
 * `final` outcome will not change.
 */
export type Class = 'transient' | 'throttled' | 'final';

/** The attempt ended with a response head. */
export interface ResponseOutcome {
  readonly kind: 'response';
  readonly status: number;
  readonly headers?: HeadersLike;
  /** What was read of the body, to look for hints: text, a value parsed from JSON, or `unreadable`. */
  readonly content?: unknown;
  /** What the first events of a stream have said, if it is a failure. */
  readonly began?: Hint;
  /**
   * The evidence, if the client knows better than the status says: an answer after a redirect, for example, proves
   * nothing.
   */
  readonly evidence?: Evidence;
}

/** The attempt failed with an error. */
export interface ErrorOutcome {
  readonly kind: 'error';
  readonly error: unknown;
  /** The evidence, if the client knows better than the error says. */
  readonly evidence?: Evidence;
  /** Whether the caller's own signal ended the attempt. If absent, the error tells. */
  readonly aborted?: boolean;
  /** The attempt timed out before there was anything to send, so it says nothing about the server. */
  readonly unasked?: true;
}

/** How an attempt ended, as the client saw it. */
export type Outcome = ResponseOutcome | ErrorOutcome;

/** What the server's answer asks the client to do. */
export interface Hint {
  /** The wait from the receipt of the head, before jitter and limits. Null if the hint has no usable wait. */
  readonly delayMs: number | null;
  /**
   * Present only if the answer itself says so. True means that a retry is worth it (never that it is safe); false
   * forbids one.
   */
  readonly retry?: boolean;
  /** What the answer means, if a row of your own says so. */
  readonly means?: Class;
  /** Present if a row of your own says that the server did not do what was asked. */
  readonly evidence?: 'refused';
  /**
   * Where the hint was read, or why it could not be read, in kebab-case. Of hints of your own: their name, and the header
   * or the pointer, as in `acme:/error/type`.
   */
  readonly reason: string;
}

/**
 * What every finding has. Findings of both kinds are made with these keys in this order, so that engines give them one
 * shape.
 */
interface Found {
  readonly class: Class;
  readonly evidence: Evidence;
  /** Only for a response; undefined for an error. */
  readonly hint: Hint | undefined;
  /** Whether the caller's own signal ended the attempt. Always false for a response. */
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
  /**
   * Present if the attempt timed out while its body was being made: nothing was sent, so it says nothing about the
   * server.
   */
  readonly unasked?: true;
  /**
   * Present if a time of ours was over, and this process had stood still meanwhile. The server was not given all of that
   * time, or not at once.
   */
  readonly stalled?: true;
}

/** What `classify` makes of an outcome: plain data, safe to log, and enough to decide again. */
export type Finding = ResponseFinding | ErrorFinding;

/** A finding with the headers of the answer, as functions are told it. */
export type ToldFinding = Finding & {
  /**
   * The value of a header of the answer, by its name in any case: `header('x-backoff-seconds')`. Several values are joined
   * with a comma. Undefined if there is none, or no answer.
   */
  readonly header: (name: string) => string | undefined;
};

// ---------------------------------------------------------------- deciding

/** Everything that `decide` needs but must not fetch itself: time, random numbers, shared state. */
export interface World extends LimitsSeen {
  readonly request: Pick<RequestFacts, 'method' | 'keyed'>;
  /** Whether the body can be sent again, as things stand now. */
  readonly replayable: boolean;
  /**
   * Monotonic time from which the deadline counts: when the request was opened or, if the deadline covers only heads,
   * when the body broke off that is to be resumed.
   */
  readonly startedAt: number | undefined;
  /** Monotonic time. */
  readonly now: number;
  /** Wall time, for dates that the server sent. */
  readonly date: number;
  /** One draw from [0, 1). */
  readonly random: number;
  /** True if the attempt had an adaptive timeout that was not doubled yet. */
  readonly learntTimeout?: true | undefined;
  /** What `retryIf` returned. */
  readonly verdict: boolean | undefined;
  /** Only if the caller has a head already: whether the rest of its body can be requested. */
  readonly resumable?: boolean | undefined;
  /** Only if the request was hedged: the number of the attempt that ended. Without it, attempts are numbered as they end. */
  readonly attempt?: number | undefined;
  /**
   * Only if the answer refused the request's credentials: true if they have been renewed since they were sent, so that a
   * fresh attempt may be made.
   */
  readonly renewed?: boolean | undefined;
  /** True if the request was sent within `suppressRetries`, or if another layer of ours retries it. */
  readonly suppressed?: true | undefined;
}

export type RetryReason =
  /** A status that is worth another attempt. */
  | 'transient-status'
  /** 429, or another answer that means "rate limited". */
  | 'throttled'
  /** The connection failed. */
  | 'transport-error'
  /** The attempt exceeded `attemptTimeoutMs`. */
  | 'attempt-timeout'
  /** The answer asks for a retry explicitly. */
  | 'server-asks'
  /** `retryIf` returned true. */
  | 'caller-asks'
  /** The credentials were refused, and have been renewed. This is no retry of `maxRetries`, and costs nothing. */
  | 'fresh-credentials';

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
  // a limit of its scope is against it
  | LimitStop
  // one of two attempts that were out
  /** The other attempt won, or the request ended with both still out. */
  | 'cut'
  /** The attempt failed while the other one was still out. */
  | 'other-pending';

export type Reason = RetryReason | StopReason;

export interface Retry {
  readonly action: 'retry';
  readonly reason: RetryReason;
  /** The attempt that just ended, from 1. */
  readonly attempt: number;
  readonly finding: Finding;
  /** The number of the retry that follows, from 1, if it differs from that of the attempt: after a hedge, or a fresh attempt. */
  readonly retry?: number;
  readonly delayMs: number;
  /** Where the wait comes from. `'none'`: after an adaptive timeout, or with fresh credentials, it is sent at once. */
  readonly waitFrom: 'hint' | 'schedule' | 'throttledSchedule' | 'none';
  /** What the retry costs the budget, in tokens. */
  readonly cost: number;
}

export interface Stop {
  readonly action: 'stop';
  readonly reason: StopReason;
  /** The attempt that just ended, from 1. */
  readonly attempt: number;
  readonly finding: Finding;
  /**
   * The wait that would have been needed, if it was the reason to stop. Absent if the deadline itself ended the
   * attempt.
   */
  readonly delayMs?: number;
  /** The value of the setting that forbade the retry, if there is one: `maxRetries`, `maxHintMs`, `deadlineMs`. */
  readonly limit?: number;
}

export type Decision = Retry | Stop;

/** When an attempt ended and what followed. Its number and its finding are in the decision. */
export interface Attempt {
  /** Monotonic time at which the outcome was known; undefined if no clock was read (success at once). */
  readonly endedAt: number | undefined;
  readonly decision: Decision;
}

/** Every attempt of one request so far. If two were out at the same time, the one that decided comes last. */
export type History = readonly Attempt[];

// ---------------------------------------------------------------- admission

/** Why an attempt was not sent. */
export type RefusalReason = LimitRefusal;

/** Whether an attempt may be sent now. */
export type Admission =
  | { readonly kind: 'go' }
  | {
      readonly kind: 'wait';
      readonly delayMs: number;
      readonly why: AskedFirst;
      /** Present if it may be its turn sooner: it is called then, if it asks for that. */
      readonly isCalled?: true;
    }
  | { readonly kind: 'refuse'; readonly reason: RefusalReason };
