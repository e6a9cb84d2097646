/** Google: the reasons of its older APIs, and the details of google.rpc. */

import type { Hint } from '../../types.js';
import type { Answer } from '../answer.js';
import { listAt, property, textAt } from '../content.js';
import { parseProtoDuration } from '../duration.js';
import { onceReason } from '../once.js';
import { malformed } from '../reading.js';
import { again, longQuota } from './again.js';

const googleReasons: Readonly<Record<string, Hint>> = {
  dailyLimitExceeded: longQuota,
  userRateLimitExceeded: again('google-rate-limit'),
  rateLimitExceeded: again('google-rate-limit'),
  quotaExceeded: again('google-rate-limit'),
  internalServerError: again('google-legacy-reason'),
  backendError: again('google-legacy-reason'),
};

/** `limit 'CLIENT_PROJECT-1d'` is a daily quota. Only the message says so. */
const dailyLimit = /limit '[A-Za-z_]{1,64}-1d'/;

const longestMessage = 1_024;

/**
 * The error of an answer. APIs that stream their answer as a list send errors in a list, too:
 * google-gemini/gemini-cli#6454.
 */
function errorIn(answer: Answer): unknown {
  const content = answer.content();
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
  for (const { reason } of listAt(error, 'errors').map((member) => ({ reason: textAt(member, 'reason') }))) {
    if (Object.hasOwn(googleReasons, reason)) return googleReasons[reason];
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
