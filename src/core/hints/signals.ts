/** What vendors say that no row of data can: in bodies, and in headers of a form of their own. */

import type { Hint } from '../types.js';
import type { Answer } from './answer.js';
import { contentOf, elementText, listAt, property, textAt } from './content.js';
import { clamped, decimalText, parseDecimal, parseDelay } from './decimal.js';
import { parseProtoDuration } from './duration.js';
import { countsOf } from './fields.js';
import type { Reader } from './hint-set.js';
import { onceReason } from './once.js';
import { isWait, longest, malformed, notExhausted } from './reading.js';
import { readRetryAfter } from './retry-after.js';
import { forbidden } from './rulings.js';
import { linesOf, trimmed, valuesOf } from './values.js';

/** A quota that resets in hours or never: a retry is useless. */
const longQuota: Hint = /* @__PURE__ */ Object.freeze({
  delayMs: null,
  retry: false,
  reason: 'quota-exhausted-long',
});

function again(reason: string, delayMs: number | null = null): Hint {
  return { delayMs, retry: true, reason };
}

/** Whether the answer says that the quota is exhausted. */
function isExhausted(answer: Answer, remaining: string): boolean {
  return countsOf(answer, remaining).some((count) => count < 1000);
}

/** Reads a number of seconds at a path of the body. `zeroIsUnset`: 0 means that the field is not set. */
export function secondsAt(path: readonly string[], zeroIsUnset = false): Reader {
  return (answer) => {
    const found = property(contentOf(answer), ...path);
    if (found === undefined || found === null) return undefined;
    const ms = parseDelay(decimalText(found) ?? '', 1000);
    if (ms === undefined) return malformed;
    if (ms === 0 && zeroIsUnset) return undefined;
    return { delayMs: ms, reason: 'body-retry-after' };
  };
}

// ---------------------------------------------------------------- AWS: error codes in JSON, in XML and in a header

/** What a code means. Any other one is final on a 400 or 403. */
const awsReasons: readonly (readonly [reason: string, codes: readonly string[]])[] = [
  [
    'aws-throttling-code',
    [
      'BandwidthLimitExceeded',
      'EC2ThrottledException',
      'LimitExceededException',
      'PriorRequestNotComplete',
      'ProvisionedThroughputExceededException',
      'RequestLimitExceeded',
      'RequestThrottled',
      'RequestThrottledException',
      'SlowDown',
      'ThrottledException',
      'Throttling',
      'ThrottlingException',
      'TooManyRequestsException',
      'TransactionInProgressException',
    ],
  ],
  ['aws-transient-code', ['RequestTimeout', 'RequestTimeoutException', 'TimeoutError']],
  ['aws-clock-skew', ['RequestExpired', 'RequestInTheFuture', 'RequestTimeTooSkewed']],
];

/** Many services throttle with a 400, which only the code tells apart. */
export function awsCode(answer: Answer): Hint | undefined {
  const code = awsCodeOf(answer);
  if (code === '') return undefined;
  for (const [reason, codes] of awsReasons) if (codes.includes(code)) return again(reason);
  const final = answer.status === 400 || answer.status === 403;
  return final ? { delayMs: null, retry: false, reason: 'not-retryable-status' } : undefined;
}

/**
 * The code stands in a header (`Code:http://...`), in a JSON body (`com.amazonaws.dynamodb#Code`) or in an element of
 * XML.
 */
function awsCodeOf(answer: Answer): string {
  const [line = ''] = linesOf(answer.field('x-amzn-errortype') ?? []);
  const content = contentOf(answer);
  const named =
    line ||
    textAt(content, '__type') ||
    textAt(content, 'code') ||
    textAt(content, 'Code') ||
    textAt(content, 'Error', 'Code') ||
    elementText(answer.body, 'Code');
  const [code = ''] = named.slice(named.indexOf('#') + 1).split(':', 1);
  return trimmed(code);
}

// ---------------------------------------------------------------- Google: the reasons of its older APIs, and the details of google.rpc

const googleLimits = ['userRateLimitExceeded', 'rateLimitExceeded', 'quotaExceeded'];
const googleFaults = ['internalServerError', 'backendError'];

function hintOfGoogleReason(reason: string): Hint | undefined {
  if (reason === 'dailyLimitExceeded') return longQuota;
  if (googleLimits.includes(reason)) return again('google-rate-limit');
  return googleFaults.includes(reason) ? again('google-legacy-reason') : undefined;
}

/** `limit 'CLIENT_PROJECT-1d'` is a daily quota. Only the message says so. */
const dailyLimit = /limit '[A-Za-z_]{1,64}-1d'/;

const longestMessage = 1_024;

/**
 * The error of an answer. APIs that stream their answer as a list send errors in a list, too:
 * google-gemini/gemini-cli#6454.
 */
function errorIn(answer: Answer): unknown {
  const content = contentOf(answer);
  return property(content, 'error') ?? property(content, '0', 'error');
}

const quotaFailure = 'type.googleapis.com/google.rpc.QuotaFailure';

/**
 * Gemini's `GenerateRequestsPerDayPerProjectPerModel` is a daily quota, although the RetryInfo beside it asks for a few
 * seconds.
 */
function isDailyQuota(violation: unknown): boolean {
  return textAt(violation, 'quotaId').includes('PerDay');
}

export function googleReason(answer: Answer): Hint | undefined {
  const error = errorIn(answer);
  const failures = listAt(error, 'details').filter((detail) => textAt(detail, '@type') === quotaFailure);
  if (failures.some((failure) => listAt(failure, 'violations').some(isDailyQuota))) return longQuota;
  const limited = textAt(error, 'status') === 'RESOURCE_EXHAUSTED';
  if (limited && dailyLimit.test(textAt(error, 'message').slice(0, longestMessage))) return longQuota;
  for (const member of listAt(error, 'errors')) {
    const hint = hintOfGoogleReason(textAt(member, 'reason'));
    if (hint !== undefined) return hint;
  }
  return undefined;
}

/** Analytics says that a query which met a server error may be sent once more, and no more than once. */
export function analyticsOnce({ status }: Answer): Hint | undefined {
  return status === 500 || status === 503 ? again(onceReason) : undefined;
}

const retryInfo = 'type.googleapis.com/google.rpc.RetryInfo';

/** google.rpc.RetryInfo holds the least wait. */
export function googleRetryInfo(answer: Answer): Hint | undefined {
  const details = listAt(errorIn(answer), 'details');
  const info = details.find((detail) => textAt(detail, '@type') === retryInfo);
  if (info === undefined) return undefined;
  const delayMs = parseProtoDuration(property(info, 'retryDelay'));
  return delayMs === undefined ? malformed : { delayMs, reason: 'google-retryinfo' };
}

// ---------------------------------------------------------------- Anthropic and OpenAI

/** The monthly spend limit has no Retry-After. A 529 means that the whole API is overloaded. */
export function anthropicLimit(answer: Answer): Hint | undefined {
  const error = property(contentOf(answer), 'error');
  if (textAt(error, 'details', 'error_code') === 'enforced_spend_limit_reached') return longQuota;
  const overloaded = answer.status === 529 || textAt(error, 'type') === 'overloaded_error';
  return overloaded ? { delayMs: null, reason: 'anthropic-overloaded' } : undefined;
}

/** `insufficient_quota`: no request succeeds before the account has credit again. */
export function openaiQuota(answer: Answer): Hint | undefined {
  const error = property(contentOf(answer), 'error');
  const exhausted = [textAt(error, 'code'), textAt(error, 'type')].includes('insufficient_quota');
  return exhausted ? longQuota : undefined;
}

// ---------------------------------------------------------------- GitHub: two limits, in REST and in GraphQL

/** The shortest wait after a limit that does not say how long. */
const unsaidMs = 60_000;

/**
 * The primary limit: nothing remains. The secondary limit: Retry-After, or only a message that says so. GraphQL reports
 * either in a 200.
 */
export function githubLimit(answer: Answer): Hint | undefined {
  const { status } = answer;
  const isGraphql = status === 200;
  if (!isGraphql && status !== 403 && status !== 429) return undefined;
  const content = contentOf(answer);
  const errors = listAt(content, 'errors');
  const saysPrimary = isGraphql && errors.some(isRateLimit);
  const saysSecondary = [content, ...errors].some(isSecondaryLimit);
  const says = saysPrimary || saysSecondary;
  // On a 200 of GraphQL, an error must say so: the last success of the hour leaves nothing, too.
  if ((says || !isGraphql) && isExhausted(answer, 'x-ratelimit-remaining')) {
    return again('github-primary-limit');
  }
  const told = readRetryAfter(answer);
  if (says) {
    const isTold = isWait(told) && told.delayMs > 0;
    return again(saysPrimary ? 'github-primary-limit' : 'github-secondary-limit', isTold ? null : unsaidMs);
  }
  // A 429 with Retry-After needs no signal. A 403 means a secondary limit if it has Retry-After, and missing rights
  // otherwise.
  return status === 403 && isWait(told) ? again('github-secondary-limit') : undefined;
}

function isSecondaryLimit(error: unknown): boolean {
  return textAt(error, 'message').toLowerCase().includes('secondary rate limit');
}

/** GraphQL's error types: the documented one, and the one that is sent since 2025. */
function isRateLimit(error: unknown): boolean {
  const type = textAt(error, 'type');
  return type === 'RATE_LIMITED' || type === 'RATE_LIMIT';
}

// ---------------------------------------------------------------- Elasticsearch, gRPC-Web and Zendesk

/** A circuit breaker that only an operator can reset is PERMANENT. Before version 7, rejections were a 503. */
export function elasticsearchRejection(answer: Answer): Hint | undefined {
  const error = property(contentOf(answer), 'error');
  if (textAt(error, 'durability') === 'PERMANENT') return forbidden;
  const type = textAt(error, 'type');
  const rejected = type === 'es_rejected_execution_exception' || type === 'circuit_breaking_exception';
  return rejected ? { delayMs: null, reason: 'elasticsearch-rejected' } : undefined;
}

const pushback = /^-?\d{1,10}$/;

/** gRFC A6: retry after exactly this time; if the value is negative or unreadable, do not retry. */
export function grpcPushback(answer: Answer): Hint | undefined {
  const field = answer.field('grpc-retry-pushback-ms');
  if (field === undefined || answer.field('grpc-status') === '0') return undefined;
  const text = linesOf(field).map(trimmed).join(',');
  const delayMs = pushback.test(text) ? parseDecimal(text, 1) : undefined;
  return delayMs === undefined ? forbidden : again('grpc-pushback', delayMs);
}

/** Zendesk sends one header per endpoint: `zendesk-ratelimit-tickets-index: total=100; remaining=0; resets=41`. */
export function zendeskEndpoints(answer: Answer): Hint | undefined {
  let hint: Hint | undefined;
  for (const name of namesStartingWith(answer, 'zendesk-ratelimit-')) {
    for (const value of valuesOf(answer.field(name) ?? [])) hint = longest(hint, zendeskEndpoint(value));
  }
  return hint;
}

/** How many names are searched if only the beginning of a field's name is known. */
const mostNames = 1_000;

/** The names that begin with the prefix, if the headers can be listed at all. */
function namesStartingWith({ headers }: Answer, prefix: string): readonly string[] {
  const found: string[] = [];
  try {
    let seen = 0;
    // `Headers` and `Map` can list their names; other objects with `get` have them as properties.
    const { keys } = headers;
    const names =
      typeof keys === 'function' ? (keys.call(headers) as Iterable<unknown>) : Object.keys(headers);
    for (const name of names) {
      if (seen++ === mostNames) break;
      const lower = String(name).toLowerCase();
      if (lower.startsWith(prefix)) found.push(lower);
    }
  } catch {
    // The headers could not be listed to the end; the names found so far are used.
  }
  return found;
}

function zendeskEndpoint(value: string): Hint {
  const parts = value.split(';', 8).map((part) => trimmed(part).split('=', 2));
  const numberOf = (key: string): number | undefined =>
    parseDelay(parts.find(([name]) => name === key)?.[1] ?? '', 1000);
  const delayMs = numberOf('resets');
  if (delayMs === undefined) return malformed;
  if ((numberOf('remaining') ?? 0) >= 1000) return notExhausted;
  return { delayMs, reason: 'zendesk-endpoint-reset' };
}

// ---------------------------------------------------------------- HubSpot, Microsoft Graph and Salesforce

/** HubSpot's daily quota resets at midnight in the account's own time zone. */
export function hubspotPolicy(answer: Answer): Hint | undefined {
  return textAt(contentOf(answer), 'policyName') === 'DAILY' ? longQuota : undefined;
}

/**
 * 507 means that the storage is full. 509, or a code on any status, means that the app, the user or the tenant is
 * throttled.
 */
export function graphLimit(answer: Answer): Hint | undefined {
  if (answer.status === 507) return longQuota;
  const error = property(contentOf(answer), 'error');
  const codes = [error, property(error, 'innerError'), property(error, 'innererror')].map((at) =>
    textAt(at, 'code'),
  );
  if (codes.includes('quotaLimitReached')) return longQuota;
  const throttled = codes.includes('activityLimitReached') || codes.includes('throttledRequest');
  return throttled || answer.status === 509 ? { delayMs: null, reason: 'graph-throttled' } : undefined;
}

/**
 * REQUEST_LIMIT_EXCEEDED means that the daily total is used up, which the message says, or that too many requests came
 * at once.
 */
export function salesforceLimit(answer: Answer): Hint | undefined {
  const error = listAt(contentOf(answer)).find(
    (member) => textAt(member, 'errorCode') === 'REQUEST_LIMIT_EXCEEDED',
  );
  if (error === undefined) return undefined;
  return textAt(error, 'message').includes('TotalRequests') ? longQuota : again('salesforce-request-limit');
}

// ---------------------------------------------------------------- Shopify and Linear: GraphQL errors

/** A throttled query gets a 200. The bucket's numbers say when there will be enough for this query. */
export function shopifyCost(answer: Answer): Hint | undefined {
  const content = contentOf(answer);
  const throttled = listAt(content, 'errors').some(
    (error) => textAt(error, 'extensions', 'code') === 'THROTTLED',
  );
  if (!throttled) return undefined;
  const cost = property(content, 'extensions', 'cost');
  const missing =
    numberAt(cost, 'requestedQueryCost') - numberAt(cost, 'throttleStatus', 'currentlyAvailable');
  const waitMs = Math.ceil((missing / numberAt(cost, 'throttleStatus', 'restoreRate')) * 1000);
  return waitMs >= 0 ? again('graphql-cost', clamped(waitMs)) : again('graphql-throttled');
}

/** The number at a path, or NaN, which fails every comparison. */
function numberAt(value: unknown, ...path: readonly string[]): number {
  const found = property(value, ...path);
  return typeof found === 'number' ? found : Number.NaN;
}

/** A 400 that means "rate limited". If the body was not read, the quota's headers have to say so. */
export function linearLimit(answer: Answer): Hint | undefined {
  const limited = again('linear-ratelimited');
  if (contentOf(answer) !== undefined) {
    const codes = listAt(contentOf(answer), 'errors').map((error) => textAt(error, 'extensions', 'code'));
    return codes.includes('RATELIMITED') ? limited : undefined;
  }
  const exhausted = ['requests', 'complexity'].some((quota) =>
    isExhausted(answer, `x-ratelimit-${quota}-remaining`),
  );
  return answer.status === 400 && exhausted ? limited : undefined;
}
