/** Verdicts and waits of single vendors that no row of data can describe. */

import type { Hint } from '../types.js';
import type { Answer } from './answer.js';
import { listAt, property, textAt } from './content.js';
import { longestDelayMs, parseDecimal } from './decimal.js';
import { parseProtoDuration } from './duration.js';
import { isExhausted } from './fields.js';
import { isWait, longest, malformed } from './reading.js';
import { readRetryAfter } from './retry-after.js';
import { linesOf, trimmed, valuesOf } from './values.js';
import { forbidden } from './verdicts.js';

/** A quota that starts anew in hours or never: repeating is of no use to anybody. */
const longQuota: Hint = Object.freeze({ delayMs: null, retry: false, reason: 'quota-exhausted-long' });

function again(reason: string, delayMs: number | null = null): Hint {
  return { delayMs, retry: true, reason };
}

/** Primary limit: nothing remains. Secondary: Retry-After, or only a message that says so. */
export function githubLimit(answer: Answer): Hint | undefined {
  if (answer.status !== 403 && answer.status !== 429) return undefined;
  if (isExhausted(answer, 'x-ratelimit-remaining')) return again('github-primary-limit');
  const message = textAt(answer.content(), 'message').toLowerCase();
  // A 429 with Retry-After is like any other; of a 403 it is what tells it from a lack of rights.
  const told = answer.status === 403 && isWait(readRetryAfter(answer));
  return told || message.includes('secondary rate limit') ? again('github-secondary-limit') : undefined;
}

const awsThrottling: ReadonlySet<string> = new Set([
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
]);
const awsTransient: ReadonlySet<string> = new Set([
  'RequestTimeout',
  'RequestTimeoutException',
  'TimeoutError',
]);
const awsClockSkew: ReadonlySet<string> = new Set([
  'RequestExpired',
  'RequestInTheFuture',
  'RequestTimeTooSkewed',
]);

/** Many services throttle with 400: only the code tells. Any other code on a 4xx is final. */
export function awsCode(answer: Answer): Hint | undefined {
  const code = awsCodeOf(answer);
  if (code === '') return undefined;
  if (awsThrottling.has(code)) return again('aws-throttling-code');
  if (awsTransient.has(code)) return again('aws-transient-code');
  if (awsClockSkew.has(code)) return again('aws-clock-skew');
  const final = answer.status === 400 || answer.status === 403;
  return final ? { delayMs: null, retry: false, reason: 'not-retryable-status' } : undefined;
}

/** `com.amazonaws.dynamodb#Code` in a body, `Code:http://...` in a header. */
function awsCodeOf(answer: Answer): string {
  const [line = ''] = linesOf(answer.field('x-amzn-errortype') ?? []);
  const content = answer.content();
  const named =
    line ||
    textAt(content, '__type') ||
    textAt(content, 'code') ||
    textAt(content, 'Code') ||
    textAt(content, 'Error', 'Code');
  const [code = ''] = named.slice(named.indexOf('#') + 1).split(':', 1);
  return trimmed(code);
}

/** Throttled queries are a 200; the bucket says when there will be enough for this one. */
export function shopifyCost(answer: Answer): Hint | undefined {
  const content = answer.content();
  const throttled = listAt(content, 'errors').some(
    (error) => textAt(error, 'extensions', 'code') === 'THROTTLED',
  );
  if (!throttled) return undefined;
  const cost = property(content, 'extensions', 'cost');
  const missing =
    numberAt(cost, 'requestedQueryCost') - numberAt(cost, 'throttleStatus', 'currentlyAvailable');
  const waitMs = Math.ceil((missing / numberAt(cost, 'throttleStatus', 'restoreRate')) * 1000);
  return waitMs >= 0 ? again('graphql-cost', Math.min(waitMs, longestDelayMs)) : again('graphql-throttled');
}

/** NaN, which no comparison lets pass, where there is no such number. */
function numberAt(value: unknown, ...path: readonly string[]): number {
  const found = property(value, ...path);
  return typeof found === 'number' ? found : Number.NaN;
}

/** A 400 that means 429. Unread, the quota's own headers must do as a sign. */
export function linearLimit(answer: Answer): Hint | undefined {
  const limited = again('linear-ratelimited');
  if (answer.content() !== undefined) {
    const codes = listAt(answer.content(), 'errors').map((error) => textAt(error, 'extensions', 'code'));
    return codes.includes('RATELIMITED') ? limited : undefined;
  }
  const exhausted = ['requests', 'complexity'].some((quota) =>
    isExhausted(answer, `x-ratelimit-${quota}-remaining`),
  );
  return answer.status === 400 && exhausted ? limited : undefined;
}

/** The daily one ends at midnight of the account's own zone. */
export function hubspotPolicy(answer: Answer): Hint | undefined {
  return textAt(answer.content(), 'policyName') === 'DAILY' ? longQuota : undefined;
}

/** Somebody has to pay first. */
export function openaiQuota(answer: Answer): Hint | undefined {
  const error = property(answer.content(), 'error');
  const exhausted = [textAt(error, 'code'), textAt(error, 'type')].includes('insufficient_quota');
  return exhausted ? longQuota : undefined;
}

const googleReasons: Readonly<Record<string, Hint>> = {
  dailyLimitExceeded: longQuota,
  userRateLimitExceeded: again('google-rate-limit'),
  rateLimitExceeded: again('google-rate-limit'),
  quotaExceeded: again('google-rate-limit'),
  internalServerError: again('google-legacy-reason'),
  backendError: again('google-legacy-reason'),
};

/** `limit 'CLIENT_PROJECT-1d'`: a day's quota, of which only the message tells. */
const dailyLimit = /limit '[A-Za-z_]{1,64}-1d'/;

const longestMessage = 1_024;

export function googleReason(answer: Answer): Hint | undefined {
  const error = property(answer.content(), 'error');
  const limited = textAt(error, 'status') === 'RESOURCE_EXHAUSTED';
  if (limited && dailyLimit.test(textAt(error, 'message').slice(0, longestMessage))) return longQuota;
  for (const { reason } of listAt(error, 'errors').map((member) => ({ reason: textAt(member, 'reason') }))) {
    if (Object.hasOwn(googleReasons, reason)) return googleReasons[reason];
  }
  return undefined;
}

const retryInfo = 'type.googleapis.com/google.rpc.RetryInfo';

/** google.rpc.RetryInfo: at least so long. */
export function googleRetryInfo(answer: Answer): Hint | undefined {
  const details = listAt(answer.content(), 'error', 'details');
  const info = details.find((detail) => textAt(detail, '@type') === retryInfo);
  if (info === undefined) return undefined;
  const delayMs = parseProtoDuration(property(info, 'retryDelay'));
  return delayMs === undefined ? malformed : { delayMs, reason: 'google-retryinfo' };
}

/** REQUEST_LIMIT_EXCEEDED is the day's total, or too many at once: the message names the former. */
export function salesforceLimit(answer: Answer): Hint | undefined {
  const error = listAt(answer.content()).find(
    (member) => textAt(member, 'errorCode') === 'REQUEST_LIMIT_EXCEEDED',
  );
  if (error === undefined) return undefined;
  return textAt(error, 'message').includes('TotalRequests') ? longQuota : again('salesforce-request-limit');
}

const pushback = /^-?\d{1,10}$/;

/** gRFC A6: exactly so long; negative or unreadable: not at all. */
export function grpcPushback(answer: Answer): Hint | undefined {
  const field = answer.field('grpc-retry-pushback-ms');
  if (field === undefined || answer.field('grpc-status') === '0') return undefined;
  const text = linesOf(field).map(trimmed).join(',');
  const delayMs = pushback.test(text) ? parseDecimal(text, 1) : undefined;
  return delayMs === undefined ? forbidden : again('grpc-pushback', delayMs);
}

/** One header per endpoint: `zendesk-ratelimit-tickets-index: total=100; remaining=0; resets=41`. */
export function zendeskEndpoints(answer: Answer): Hint | undefined {
  let hint: Hint | undefined;
  for (const name of answer.namesStartingWith('zendesk-ratelimit-')) {
    for (const value of valuesOf(answer.field(name) ?? [])) hint = longest(hint, zendeskEndpoint(value));
  }
  return hint;
}

function zendeskEndpoint(value: string): Hint {
  const parts = value.split(';', 8).map((part) => trimmed(part).split('=', 2));
  const numberOf = (key: string): number | undefined =>
    parseDecimal(parts.find(([name]) => name === key)?.[1] ?? '', 1000);
  const delayMs = numberOf('resets');
  if (delayMs === undefined) return malformed;
  if ((numberOf('remaining') ?? 0) >= 1000) return { delayMs: null, reason: 'ratelimit-not-exhausted' };
  return { delayMs: Math.min(delayMs, longestDelayMs), reason: 'zendesk-endpoint-reset' };
}
