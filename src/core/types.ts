/**
 * The nouns. Everything the core takes and returns is a value of one of these types.
 *
 * Units are in names (`delayMs`); `now` is monotonic time, `date` is wall time, and the wall
 * clock is only ever compared with dates that a server sent.
 */

import type { BeforeRetry, Observe, RetryIf } from './events.js';
import type { HintedSuccess } from './hints/hint-set.js';
import type { HintReader } from './hints/read-hint.js';

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

/** How an attempt ended, as the client saw it: a response head. */
export interface ResponseOutcome {
  readonly kind: 'response';
  readonly status: number;
  readonly headers?: HeadersLike;
  /** What was read of the body, for hints in it: text, what was parsed from JSON, or `unreadable`. */
  readonly content?: unknown;
  /** What the client itself saw (an answer after a redirect proves nothing); absent: read off the status. */
  readonly evidence?: Evidence;
}

/** How an attempt ended, as the client saw it: an error. */
export interface ErrorOutcome {
  readonly kind: 'error';
  readonly error: unknown;
  /** What the client itself saw; absent: read off the error. */
  readonly evidence?: Evidence;
  /** Whether the caller's own signal ended it; absent: read off the error. */
  readonly aborted?: boolean;
}

/** What the server's answer asks of us. */
export interface Hint {
  /** Counted from the receipt of the head, before jitter and limits; null: no usable wait. */
  readonly delayMs: number | null;
  /** Present only where the answer itself says so: true is "worth it" (never "safe"), false a veto. */
  readonly retry?: boolean;
  /** Where it was read, or why it could not be: kebab-case. */
  readonly reason: string;
}

/** A classified response: plain data, safe to log, enough to decide again. */
export interface ResponseFinding {
  readonly kind: 'response';
  readonly status: number;
  readonly class: Class;
  readonly evidence: Evidence;
  readonly hint: Hint | undefined;
}

/** A classified error: plain data, safe to log, enough to decide again. */
export interface ErrorFinding {
  readonly kind: 'error';
  readonly name: string;
  readonly code: string | undefined;
  readonly class: Class;
  readonly evidence: Evidence;
  readonly aborted: boolean;
}

export type Finding = ResponseFinding | ErrorFinding;

/** How an attempt ended: fresh from a client, or classified before. */
export type Outcome = ResponseOutcome | ErrorOutcome | Finding;

// ---------------------------------------------------------------- schedule

/** Jitter of one wait. */
export type PlainJitter =
  /** The wait itself. */
  | 'none'
  /** Anything from 0 to the wait. */
  | 'full'
  /** Half of the wait, and anything from 0 to the other half. */
  | 'equal'
  /** The wait times a factor from [1 - spread, 1 + spread). */
  | { readonly spread: number }
  /** Up to so much on top. */
  | { readonly addMs: number }
  /** Normally distributed around the wait; the standard deviation as a share of it, cut at four. */
  | { readonly normal: number };

export type Jitter =
  | PlainJitter
  /** Anything from the first wait to three times the previous one, capped. */
  | 'decorrelated';

interface Slotted {
  /** Waits are rounded down to whole slots of this length. */
  readonly slotMs?: number;
}

export interface Jittered extends Slotted {
  readonly jitter: PlainJitter;
}

export interface ExponentialSchedule extends Slotted {
  readonly kind: 'exponential';
  readonly firstMs: number;
  readonly factor: number;
  /** Caps the wait before jitter. */
  readonly maxMs: number;
  readonly jitter: Jitter;
}

/** One wait per retry; the last one is repeated. */
export interface TableSchedule extends Jittered {
  readonly kind: 'table';
  readonly waitsMs: readonly number[];
}

export interface FixedSchedule extends Jittered {
  readonly kind: 'fixed';
  readonly waitMs: number;
}

/** Retry number from 1, the previous wait of this schedule, one draw from [0, 1): the wait in ms. */
export type ScheduleFunction = (retry: number, previousMs: number | undefined, draw: number) => number;

export type Schedule = ExponentialSchedule | TableSchedule | FixedSchedule | ScheduleFunction;

// ---------------------------------------------------------------- budget, gate, hold

/** What one retry costs, by what it answers. */
export interface Cost {
  readonly transient: number;
  readonly throttled: number;
  /** Nobody answered in time: the server may still be at it, and gets it once more. */
  readonly timeout: number;
}

/**
 * Tokens that successes refill, retries spend and a trickle keeps alive; starts full. Three decimals of a
 * deposit or cost count.
 */
export interface BucketBudget {
  readonly kind: 'bucket';
  readonly capacity: number;
  /** Tokens for each request that succeeds. */
  readonly perSuccess: number;
  readonly perSecond: number;
  readonly cost: Cost;
  /** A success after retries gives back the cost of the last one instead of `perSuccess` (AWS). */
  readonly refund: boolean;
  /** `'failure'`: every failure costs, retried or not, and a retry itself is free (gRPC). */
  readonly charge: 'retry' | 'failure';
  /** With `'retry'`, a retry leaves at least so many tokens; with `'failure'`, there must be more of them. */
  readonly floor: number;
}

/**
 * Retries may be `reserve` plus a share of the successes, within a sliding window (Finagle). Three decimals
 * of a deposit or cost count.
 */
export interface WindowBudget {
  readonly kind: 'window';
  readonly windowMs: number;
  readonly reserve: number;
  readonly perSuccess: number;
  readonly cost: Cost;
}

export type Budget = BucketBudget | WindowBudget;

export interface Gate {
  /** How many first attempts have to fail in a row, without a sign of life between them, to shut it … */
  readonly failures: number;
  /** … and how long that row has to last. */
  readonly deadForMs: number;
  /** Between one probe and the next; the first comes after a quarter of it. */
  readonly probeMs: number;
  /** After a probe succeeded, requests come back gradually over this time. */
  readonly rampMs: number;
  readonly whenShut: 'fail' | 'wait';
  readonly maxWaiting: number;
  /** False: it only counts and tells what it would refuse. */
  readonly enforce: boolean;
}

export interface Hold {
  /** The share of recent first answers that have to be refusals before others are held; 0: one is enough. */
  readonly refusedShare: number;
  /** Shorter hints keep nobody out: the others only come at a slower pace. */
  readonly minMs: number;
  /** The distance of requests in the queue, where no rate was seen before it. */
  readonly spacingMs: number;
  /** The longest time in the queue; undefined: half of what is left until the deadline. */
  readonly maxQueueMs: number | undefined;
  /** False: it only counts and tells what it would refuse. */
  readonly enforce: boolean;
}

// ---------------------------------------------------------------- settings

export interface IdempotencyKey {
  readonly header: string;
  /** As an RFC 8941 string, in quotes, as the draft has it. */
  readonly quoted: boolean;
  readonly generate: (() => string) | undefined;
}

export interface Statuses {
  /** Worth another attempt. */
  readonly retried: ReadonlySet<number>;
  /** Never, whatever a hint says: they were negated by name. */
  readonly never: ReadonlySet<number>;
}

/** A rule filled in with every default: what `decide` reads. */
export interface Settings {
  readonly maxRetries: number;
  readonly deadlineMs: number | undefined;
  readonly deadlineCovers: 'head' | 'body';
  readonly attemptTimeoutMs: number | undefined;
  readonly statuses: Statuses;
  /** Upper case. */
  readonly methods: ReadonlySet<string>;
  readonly idempotent: boolean;
  readonly unsafeMethods: 'never' | 'unsent' | 'refused';
  readonly idempotencyKey: IdempotencyKey | false;
  readonly schedule: Schedule;
  readonly throttledSchedule: Schedule;
  /** The chosen sets of hints, merged; undefined: none is read. */
  readonly hints: HintReader | undefined;
  /** Answers below 400 that one of them reads. */
  readonly hintedSuccesses: readonly HintedSuccess[];
  /** As much as was written, or as the chosen sets have a use for. */
  readonly bodyHintBytes: number;
  /** What was written, here or where it is inherited from. */
  readonly bodyHintBytesSaid: number | undefined;
  readonly maxHintMs: number;
  readonly hintJitter: number;
  readonly budget: Budget | false;
  readonly gate: Gate | false;
  readonly hold: Hold | false;
  readonly scope: 'origin' | (string & {}) | ((request: RequestFacts) => string);
  readonly bufferBodyBytes: number;
  readonly resume: boolean;
  readonly unref: boolean;
  /** Header that carries the retry's number, in lower case. */
  readonly attemptHeader: string | false;
  readonly retryIf: RetryIf | undefined;
  readonly beforeRetry: BeforeRetry | undefined;
  readonly observe: Observe | undefined;
}

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

/** Why an attempt was not even sent. */
export type RefusalReason =
  /** The server is taken for dead. */
  | 'gate-shut'
  /** `maxWaiting` requests wait for the gate already. */
  | 'gate-full'
  /** The servers told others to wait, and the queue behind that is too long. */
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

export interface Attempt {
  /** From 1. */
  readonly number: number;
  /** Monotonic time at which its outcome was known; undefined if no clock was read (success at once). */
  readonly endedAt: number | undefined;
  readonly outcome: Finding;
  readonly decision: Decision;
}

/** Every attempt of one request so far. */
export type History = readonly Attempt[];

// ---------------------------------------------------------------- shared state, as values

/** Tokens in thousandths, so that tenths add up exactly. */
export interface BucketState {
  readonly tokens: number;
  /** Monotonic time up to which the trickle is in `tokens`. */
  readonly at: number;
}

/** Ten slices of a sliding window, the newest last; each its deposits less its spendings, in thousandths. */
export interface WindowState {
  readonly slices: readonly number[];
  /** Number of the newest slice since time 0. */
  readonly slice: number;
}

export type BudgetState = BucketState | WindowState;

/** A number that tells attempts of one state of the gate from those of earlier ones. */
export type Epoch = number;

/** The longest row of failures that ended with a sign of life, and when. */
export interface Survived {
  readonly longest: number;
  readonly at: number;
}

export type GateState =
  | {
      readonly kind: 'open';
      readonly epoch: Epoch;
      /** Signs of life before the row, without a failure between them; no more than anybody asks for. */
      readonly lives: number;
      /** In a row; the first and the last of them. */
      readonly failures: number;
      readonly since: number;
      readonly lastAt: number;
      readonly survived: Survived;
    }
  | {
      readonly kind: 'shut';
      readonly epoch: Epoch;
      /** The next probe may go from here on. */
      readonly probeAt: number;
      /** Since when a probe is out. */
      readonly probingSince: number | undefined;
      /** Those that shut it. */
      readonly failures: number;
      readonly survived: Survived;
    }
  | {
      readonly kind: 'ramping';
      readonly epoch: Epoch;
      readonly since: number;
      readonly successes: number;
      /** In a row. */
      readonly failures: number;
      /** Places taken since `placesSince`, and in the interval before. */
      readonly places: number;
      readonly placesBefore: number;
      readonly placesSince: number;
      readonly survived: Survived;
    };

export interface HoldState {
  /** Nothing is sent before this monotonic time. */
  readonly until: number;
  /** From then on, requests queue; how many places had come up before, and the distance of the next ones. */
  readonly pacedSince: number;
  readonly places: number;
  readonly spacingMs: number;
  /** How they come faster and faster; undefined: nobody has been held yet. */
  readonly pace: Pace | undefined;
  /** The first free one. */
  readonly nextPlace: number;
  /** Those that were given back and have not come up, in order. */
  readonly gaps: readonly number[];
  /** The refused share that the pace was last lowered for; once more, since it had not become less. */
  readonly slowedFor: number;
  readonly slowedTwice: boolean;
  /** The refused share that does not become less with the pace. */
  readonly apart: number;
  /** The answer that it is for. */
  readonly asked: { readonly finding: ResponseFinding; readonly at: number } | undefined;
}

/**
 * Where the rate begins, as a part of the one that was borne, and how it grows with time: at first a little, so that
 * it stays near to what was measured, and then faster, to find out what has changed.
 */
export interface Pace {
  readonly easing: number;
  readonly gentlePerMs: number;
  readonly gentleForMs: number;
  readonly boldPerMs: number;
}

/** What was answered lately. */
export interface Answers {
  /** Of the second that began then, and of the one before: successes; first attempts, and those that were refused. */
  readonly since: number;
  readonly successes: number;
  readonly successesBefore: number;
  readonly firsts: number;
  readonly firstsBefore: number;
  readonly refusals: number;
  readonly refusalsBefore: number;
  /** Of the last first attempts, a bit each: whether it was refused. How many there were, of late and before. */
  readonly last: number;
  readonly spanSince: number;
  readonly inSpan: number;
  readonly inSpanBefore: number;
}

/** What a request has of its scope while it waits to be sent. */
export interface Claim {
  /** Its own in the hold's queue, and until when it waits for it. */
  readonly place: number | undefined;
  readonly queuesUntil: number;
  /** Since when it waits for a probe's answer, and for a place in the ramp. */
  readonly metProbeAt: number | undefined;
  readonly metRampAt: number | undefined;
}

export type Admission =
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly delayMs: number; readonly why: 'gate' | 'hold' }
  | { readonly kind: 'refuse'; readonly reason: RefusalReason };
