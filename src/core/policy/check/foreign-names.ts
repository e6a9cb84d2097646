/**
 * What other libraries call our settings: axios-retry, retry-axios, undici, got, ky, p-retry, async-retry, node-retry,
 * ofetch, ffetch, fetch-retry, exponential-backoff, gaxios, cockatiel, opossum, Polly, axios-auth-refresh, the SDKs; for hedges, gRPC, Finagle
 * and Cassandra. Strings, since a page carries them.
 */

import { limitNamesElsewhere } from '../../limits/checks.js';
import type { ForeignName } from './wording.js';

/**
 * Without a name of ours, nothing takes the place of theirs, and the note says why. Names that are nearly ours (`method`) are
 * not here: those are found without this list.
 */
const names: readonly ForeignName[] = /* @__PURE__ */ (() => [
  ['maxRetries', 'limit retryLimit retryCount noResponseRetries maxNetworkRetries maxRetryAttempts forever'],
  [
    'maxRetries',
    'maxAttempts numOfAttempts maxTries attempts tries times',
    ' It does not count the first attempt.',
  ],
  [
    'schedule',
    'retryDelay retryBackoff calculateDelay delay delayGenerator delayResolver backoff backoffType exponentialBackoff interval wait',
  ],
  ['schedule.firstMs', 'minTimeout minDelay baseDelay initialDelay initialRetryDelay startingDelay'],
  ['schedule.maxMs', 'maxTimeout maxDelay maxRetryDelay backoffLimit'],
  ['schedule.factor', 'factor timeoutFactor multiplier retryDelayMultiplier timeMultiple exponent'],
  ['schedule.jitter', 'jitter useJitter randomize noise generator'],
  ['statuses', 'statusCodes statusCodesToRetry retryStatusCodes retryOn'],
  ['methods', 'httpMethodsToRetry retryMethods'],
  ['retryIf', 'retryCondition shouldRetry shouldHandle validateResponse until handle'],
  ['retryIf', 'enforceRetryRules', ' It returns undefined where the rules should decide.'],
  ['hints', 'retryAfter afterStatusCodes respectRetryAfter respectRetryAfterHeader'],
  ['maxHintMs', 'maxRetryAfter'],
  ['attemptTimeoutMs', 'timeout adaptiveTimeout perTryTimeout'],
  ['deadlineMs', 'totalTimeout maxRetryTime'],
  ['deadlineMs', 'shouldResetTimeout', " The client's own timeout is for each attempt here."],
  ['', 'retryOnTimeout', 'Not needed: timeouts are retried if that is safe.'],
  ['', 'errorCodes', 'Not needed: transient transport errors are known; "retryIf" gets outcome.code.'],
  ['', 'throwOnError throwOnHttpError throwHttpErrors', 'Not needed: the last answer is returned as it is.'],
  ['beforeRetry', 'onRetry onRetryAttempt', ' To be told only, use "observe".'],
  ['observe', 'onFailedAttempt onMaxRetryTimesExceeded onError onFailure onSuccess onGiveUp'],
  ['credentials', 'authRefresh tokenRefresh'],
  ['credentials.renew', 'refresh refreshToken refreshAuthLogic'],
  ['credentials.statuses', 'statusCodes'],
  ...limitNamesElsewhere,
  ['hedge', 'hedging hedgingPolicy backup backupRequest backupRequests speculativeRetry'],
  ['hedge', 'maxHedges maxHedgedAttempts', ' There is one hedge at most.'],
  ['hedge.afterMs', 'hedgeDelay hedgingDelay hedgeAfter delay'],
  ['hedge.quantile', 'percentile hedgePercentile hedgeQuantile'],
  ['hedge.share', 'maxExtraLoad hedgeBudget'],
  ['rules', 'skip'],
  ['', 'preset policy extends', 'Spread a preset: { ...presets.policies.service }.'],
])();

/** `place` is the path of the object, without its rule: empty for settings, `schedule` within one. */
export function adviceOnForeign(name: string, place: string): string | undefined {
  const meant = bare(name);
  const row = names.find(
    ([ours, theirs]) =>
      (place === '' || ours.startsWith(`${place}.`)) && theirs.split(' ').map(bare).includes(meant),
  );
  if (row === undefined) return undefined;
  const [ours, , note = ''] = row;
  return ours === '' ? note : `Did you mean "${place === '' ? ours : ours.slice(place.length + 1)}"?${note}`;
}

/** C# writes `MaxRetryAttempts`, Python `max_retry_attempts`; some say the unit, and some do not. */
function bare(name: string): string {
  return name.replaceAll(/[-_]|ms$/gi, '').toLowerCase();
}
