/**
 * What other libraries call our settings: axios-retry, retry-axios, undici, got, ky, p-retry, async-retry, node-retry,
 * ofetch, fetch-retry, exponential-backoff, gaxios, cockatiel, opossum, the SDKs; for hedges, gRPC, Polly, Finagle and
 * Cassandra. Strings, since a page carries them.
 */

const names: readonly (readonly [ours: string, theirs: string, note?: string])[] = [
  ['maxRetries', 'retries limit retryLimit retryCount noResponseRetries maxNetworkRetries forever'],
  [
    'maxRetries',
    'maxAttempts numOfAttempts maxTries attempts tries times',
    ' It does not count the first attempt.',
  ],
  [
    'schedule',
    'retryDelay retryBackoff calculateDelay delay delayResolver backoff backoffType exponentialBackoff interval wait',
  ],
  ['schedule.firstMs', 'minTimeout minDelay baseDelay initialDelay initialRetryDelay startingDelay'],
  ['schedule.maxMs', 'maxTimeout maxDelay maxRetryDelay backoffLimit'],
  ['schedule.factor', 'factor timeoutFactor multiplier retryDelayMultiplier timeMultiple exponent'],
  ['schedule.jitter', 'jitter randomize noise generator'],
  ['statuses', 'status statusCodes statusCodesToRetry retryStatusCodes retryOn'],
  ['methods', 'method httpMethodsToRetry retryMethods'],
  ['retryIf', 'retryCondition shouldRetry errorCodes validateResponse until handle'],
  ['hints', 'retryAfter afterStatusCodes respectRetryAfter respectRetryAfterHeader'],
  ['maxHintMs', 'maxRetryAfter'],
  ['attemptTimeoutMs', 'timeout attemptTimeout retryOnTimeout shouldResetTimeout'],
  ['attemptTimeoutMs', 'adaptiveTimeout perTryTimeout'],
  ['deadlineMs', 'totalTimeout maxRetryTime'],
  ['beforeRetry', 'onRetry onRetryAttempt', ' To be told only, use "observe".'],
  ['observe', 'onFailedAttempt onMaxRetryTimesExceeded onError onFailure onSuccess onGiveUp'],
  ['gate', 'breaker circuitBreaker'],
  ['gate.failures', 'threshold volumeThreshold failureThreshold errorThresholdPercentage'],
  ['gate.probeMs', 'halfOpenAfter resetTimeout'],
  ['budget', 'retryBudget retryThrottling shouldConsumeRetry'],
  ['hedge', 'hedging hedgingPolicy hedged backup backupRequest backupRequests speculativeRetry'],
  ['hedge', 'maxHedges maxHedgedAttempts', ' There is one hedge at most.'],
  ['hedge.afterMs', 'hedgeDelay hedgingDelay hedgeAfter hedgeAfterMs delay delayMs'],
  ['hedge.quantile', 'percentile hedgePercentile hedgeQuantile'],
  ['hedge.share', 'maxExtraLoad hedgeBudget'],
  ['rules', 'skip'],
];

/** `place` is the path of the object, without its rule: empty for settings, `schedule` within one. */
export function adviceOnForeign(name: string, place: string): string | undefined {
  const row = names.find(
    ([ours, theirs]) => (place === '' || ours.startsWith(`${place}.`)) && theirs.split(' ').includes(name),
  );
  if (row === undefined) return undefined;
  const [ours, , note = ''] = row;
  return `Did you mean "${place === '' ? ours : ours.slice(place.length + 1)}"?${note}`;
}
