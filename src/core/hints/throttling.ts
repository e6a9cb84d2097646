/** Which reasons mean "too much", though the status may not be 429. */

/** Of resets. They are only read where nothing is left, so every one of them means it. */
const resetReasons = [
  'anthropic-ratelimit-reset',
  'anthropic-ratelimit-unified-reset',
  'delta-s',
  'epoch-ms',
  'epoch-s',
  'go-duration',
  'hubspot-interval',
  'integer-seconds',
  'ratelimit-reset-delta',
  'ratelimit-reset-epoch',
  'ratelimit-reset-time',
  'x-ratelimit-next-iso',
  'x-ratelimit-reset-after',
  'x-ratelimit-reset-delta-ms',
  'x-ratelimit-reset-delta-s',
  'x-ratelimit-reset-epoch-ms',
  'x-ratelimit-reset-epoch-s',
  'x-ratelimit-reset-epoch-s+1s',
  'x-ratelimit-reset-http-date',
  'x-ratelimit-reset-iso',
  'x-ratelimit-reset-js-date',
] as const;

/** No row can have another, so that whoever only decides need not carry the rows. */
export type ResetReason = (typeof resetReasons)[number];

const throttlingReasons: ReadonlySet<string> = new Set([
  ...resetReasons,
  'anthropic-overloaded',
  'aws-throttling-code',
  'elasticsearch-rejected',
  'github-primary-limit',
  'github-secondary-limit',
  'google-rate-limit',
  'google-retryinfo',
  'graph-throttled',
  'graphql-cost',
  'graphql-throttled',
  'linear-ratelimited',
  'ratelimit-t',
  'ratelimit-t-max',
  'ratelimit-t-violated',
  'ratelimit-without-t',
  'salesforce-request-limit',
  'x-ratelimit-retry-after',
  'zendesk-endpoint-reset',
]);

export function isThrottlingReason(reason: string): boolean {
  return throttlingReasons.has(reason);
}
