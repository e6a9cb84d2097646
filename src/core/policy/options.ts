/**
 * What users write. Every key is optional, and editors show these comments. Settings are declared here, their defaults in
 * `defaults.ts` and the allowed values in `check/schema.ts`; everything else follows from these. Those of the limits are in
 * the folders of the limits.
 */

import type { BeforeRetry, CredentialHeaders, Observe, Renew, RetryIf } from '../events.js';
import type { HintSetOption } from '../hints/own.js';
import type { LimitName } from '../limits/all.js';
import type { HedgeOptions, LearntTimeoutOptions } from '../limits/latency/setting.js';
import type { LimitOptions } from '../limits/settings.js';
import type { ToldRequest } from '../types.js';
import type {
  ExponentialSchedule,
  FixedSchedule,
  Jittered,
  ScheduleFunction,
  TableSchedule,
} from './schedules.js';
import type { Partly } from './switched.js';

type OneOrMore<T> = T | readonly T[];

/** Without `jitter`, an exponential schedule has full jitter; a table and a fixed wait have none. */
export type ScheduleOptions =
  | (Pick<ExponentialSchedule, 'kind'> & Partial<Omit<ExponentialSchedule, 'kind'>>)
  | (Pick<TableSchedule, 'kind' | 'waitsMs'> & Partial<Jittered>)
  | (Pick<FixedSchedule, 'kind' | 'waitMs'> & Partial<Jittered>)
  | ScheduleFunction;

export interface IdempotencyKey {
  /**
   * The header that carries the key: not one with a meaning of its own, such as authorization.
   * @default 'idempotency-key'
   */
  readonly header: string;
  /**
   * Whether the key is quoted, as an RFC 8941 string: the form in the draft of the standard.
   * @default false
   */
  readonly quoted: boolean;
  /**
   * Generates the key of a request. By default, it is a UUID.
   * @default none
   */
  readonly generate: (() => string) | undefined;
}

export interface Credentials {
  /**
   * Called before each attempt, for the headers that it is sent with: they replace headers of the request with the same
   * name. It may be async. No attempt at another origin than the request's gets them.
   * @default none
   */
  readonly headers: (request: ToldRequest) => CredentialHeaders | PromiseLike<CredentialHeaders>;
  /**
   * Called when an answer has refused the credentials: it gets new ones, which `headers` returns from then on. However many
   * requests are refused, one renewal at a time serves them all. It may be async.
   * @default none
   */
  readonly renew: Renew;
  /**
   * Statuses from 400 to 499 that say that the credentials were refused, and the request not taken.
   * @default [401]
   */
  readonly statuses: readonly number[];
  /**
   * How long a renewal may take, in milliseconds: then its signal aborts, and it has failed.
   * @default 10_000
   */
  readonly timeoutMs: number;
}

export type CredentialsOptions = Pick<Credentials, 'headers' | 'renew'> &
  Partly<Pick<Credentials, 'statuses' | 'timeoutMs'>>;

/** How long the beginning of a stream is waited for. */
export interface StreamStart {
  /**
   * How long a stream waits for its first content event after its head, in milliseconds, but not longer than the time limit
   * of an attempt. What comes meanwhile, such as a ping, does not prolong it.
   * @default 5_000
   */
  readonly maxMs: number;
  /**
   * How many bytes of a stream may come without content before it is handed over.
   * @default 65_536
   */
  readonly maxBytes: number;
}

export type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx';

export type StatusOption = number | `${number}` | StatusClass | `!${number}` | `!${StatusClass}`;

/** Any method; editors offer the usual ones. */
export type MethodOption =
  | 'GET'
  | 'HEAD'
  | 'OPTIONS'
  | 'TRACE'
  | 'PUT'
  | 'DELETE'
  | 'QUERY'
  | 'POST'
  | 'PATCH'
  | (string & {});

/**
 * Every key can be set at the policy's top level, for all requests, and in a rule, for the requests that it matches. A
 * rule inherits what it does not set; a nested object replaces the inherited one as a whole.
 */
export interface SettingsOptions extends LimitOptions {
  /**
   * Turns retries off: shorthand for `maxRetries: 0`.
   * @default none
   */
  readonly retry?: false;
  /**
   * Maximum number of retries after the first attempt; 0 turns retries off.
   * @default 3
   */
  readonly maxRetries?: number;
  /**
   * The time limit of the whole request in milliseconds, waits included. No wait starts that would end after it, and an
   * attempt that is still running is aborted.
   * @default none
   */
  readonly deadlineMs?: number;
  /**
   * What has to arrive before the deadline: the response's head, or its whole body.
   * @default 'head'
   */
  readonly deadlineCovers?: 'head' | 'body';
  /**
   * The time limit of one attempt in milliseconds, or an object for an adaptive one. An attempt that takes longer is
   * aborted, and retried where that is safe.
   * @default none
   */
  readonly attemptTimeoutMs?: number | LearntTimeoutOptions;
  /**
   * An answer of at most this many bytes is handed over once its body is complete, so that one that breaks off is retried
   * like any failure; 0 turns that off. Streams of events or lines, and longer answers, are handed over at once.
   * @default 0
   */
  readonly wholeBodyBytes?: number;
  /**
   * How long an answer waits for the rest of its body, in milliseconds, but not longer than the time limit of an attempt.
   * After that it is handed over as it is: a slow body is no failure.
   * @default 500
   */
  readonly wholeBodyMs?: number;
  /**
   * A stream of events or of JSON lines is handed over at its first content event, so that one which begins with an error,
   * or ends before any content, is retried like any failure. After `maxMs` or `maxBytes` it is handed over as it is.
   * @default false
   */
  readonly streamStart?: false | Partly<StreamStart>;
  /**
   * Sends a second attempt of a request that is safe to repeat if the first takes much longer than usual. The first answer
   * that needs no retry wins.
   * @default false
   */
  readonly hedge?: boolean | HedgeOptions;
  /**
   * Statuses that are retried: numbers, classes (`'5xx'`), and negations (`'!501'`), which no hint overrules. 413 is
   * retried as well, if the answer says when.
   * @default [408, 425, 429, '5xx', '!501', '!505', '!506', '!508', '!510', '!511']
   */
  readonly statuses?: readonly StatusOption[];
  /**
   * Methods that are safe to repeat.
   * @default ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'QUERY']
   */
  readonly methods?: readonly MethodOption[];
  /**
   * Whether every request here is safe to repeat, regardless of its method.
   * @default false
   */
  readonly idempotent?: boolean;
  /**
   * When requests with other methods, such as POST, are sent again: never (`'never'`), only if they provably never left
   * (`'unsent'`), or also if the server says that it did not take them, with 408, 425 or 429 (`'refused'`).
   * @default 'refused'
   */
  readonly unsafeMethods?: 'never' | 'unsent' | 'refused';
  /**
   * Adds a header with one key to each request, the same for all its attempts, which makes the request safe to repeat. A
   * key that the caller set is kept.
   * @default false
   */
  readonly idempotencyKey?: boolean | Partly<IdempotencyKey>;
  /**
   * The waits before retries, in milliseconds, if the server gives no hint: exponential, from a table, fixed, or from a
   * function.
   * @default { kind: 'exponential', firstMs: 100, factor: 2, maxMs: 20_000, jitter: 'full' }
   */
  readonly schedule?: ScheduleOptions;
  /**
   * The waits after rate limited answers, such as 429, in milliseconds, if the server gives no hint.
   * @default { kind: 'exponential', firstMs: 1_000, factor: 2, maxMs: 20_000, jitter: 'full' }
   */
  readonly throttledSchedule?: ScheduleOptions;
  /**
   * Which hints of the server are read, such as Retry-After: the name of a set, an object with hints of your own, several
   * of these, or false for none.
   * @default ['common']
   */
  readonly hints?: OneOrMore<HintSetOption> | false;
  /**
   * How many bytes of a response's body may be read to find a hint in it; 0 for none. If it is not set, it is 16,384 when a
   * chosen set of hints reads bodies.
   * @default 0
   */
  readonly bodyHintBytes?: number;
  /**
   * The longest hint that is obeyed, in milliseconds. With a longer one, the caller gets the server's answer at once.
   * @default 60_000
   */
  readonly maxHintMs?: number;
  /**
   * Up to this share of a hint, from 0 to 1, is added to it at random. A hint is never shortened. If a request that has
   * obeyed a hint is refused again, up to twice the new one is added, then four times, and so on, but none with 0.
   * @default 0.1
   */
  readonly hintJitter?: number;
  /**
   * Which requests share their limits (budget, gate, hold, concurrency): those to the same origin (`'origin'`), or those that name the same scope. A
   * function gets the request and returns either; it cannot be async.
   * @default 'origin'
   */
  readonly scope?: 'origin' | (string & {}) | ((request: ToldRequest) => string);
  /**
   * How many bytes of a stream are kept while it is sent, so that it can be sent again.
   * @default 65_536
   */
  readonly bufferBodyBytes?: number;
  /**
   * Whether a download that breaks off is continued where it stopped (undici).
   * @default true
   */
  readonly resume?: boolean;
  /**
   * Whether the process may exit while a request waits for its next attempt.
   * @default false
   */
  readonly unref?: boolean;
  /**
   * Sends the number of the retry to the server, in the header `retry-attempt` or in one that you name: not one with a
   * meaning of its own, such as content-length.
   * @default false
   */
  readonly attemptHeader?: boolean | string;
  /**
   * Credentials that expire, such as a token: the headers that carry them, and how to renew them. A request that is refused
   * with 401 is sent once more when they are renewed, beyond `maxRetries`, without a wait, and at no cost to the budget.
   * @default false
   */
  readonly credentials?: false | CredentialsOptions;
  /**
   * Called for each outcome, with its headers and its body. True: retry, the request is safe to repeat. False: stop.
   * Undefined: the rules decide. It may be async.
   * @default none
   */
  readonly retryIf?: RetryIf;
  /**
   * Called before each retry, after the wait. It may change the URL and the headers, and it may be async.
   * @default none
   */
  readonly beforeRetry?: BeforeRetry;
  /**
   * Called for each decision, including stops, for each hedge and each renewal of credentials, and for each request that is
   * settled.
   * @default none
   */
  readonly observe?: Observe;
}

/** A pattern in parts, all of which must match. */
export interface MatchObject {
  /**
   * A method, or several. By default, any matches.
   * @default none
   */
  readonly methods?: OneOrMore<MethodOption>;
  /**
   * A host such as `'api.example.com'` or `'*.example.com'`, optionally with a port. By default, any matches.
   * @default none
   */
  readonly host?: string;
  /**
   * A path such as `'/payments/:id'` or `'/search/*'`. By default, any matches.
   * @default none
   */
  readonly path?: string;
  /**
   * Called for requests that match the other parts, with their path, URL and headers. Returns true or false; it cannot be
   * async.
   * @default none
   */
  readonly test?: (request: ToldRequest) => boolean;
}

export interface RuleOptions extends SettingsOptions {
  /**
   * Which requests the rule applies to: a pattern such as `'GET api.example.com/search/*'`, or its parts. The first
   * matching rule applies.
   * @default none
   */
  readonly match: string | MatchObject;
  /**
   * A label for events. By default, it is the pattern.
   * @default none
   */
  readonly name?: string;
}

export interface PolicyOptions extends SettingsOptions {
  /**
   * The schema for editors, in a policy that is a JSON file.
   * @default none
   */
  readonly $schema?: string;
  /**
   * Settings for certain requests: the first rule that matches a request applies.
   * @default none
   */
  readonly rules?: readonly RuleOptions[];
  /**
   * How many scopes are remembered; the least recently used are forgotten first.
   * @default 1_000
   */
  readonly maxScopes?: number;
  /**
   * A scope is forgotten after this many milliseconds without a request.
   * @default 600_000
   */
  readonly scopeIdleMs?: number;
}

/** Settings of a single request. It can only turn shared state (budget, gate, hold, hedge) off, not change it. */
export type OverrideOptions = {
  readonly [K in keyof SettingsOptions]: K extends LimitName | 'hedge'
    ? false
    : K extends 'attemptTimeoutMs'
      ? number
      : SettingsOptions[K];
};
