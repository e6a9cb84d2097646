/** The reasons of hints that mean "rate limited", also if the status is not 429. */

/** The reasons of resets. A reset is only read if its quota is exhausted, so each of them means "rate limited". */
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

/** The type of a row's reason, so that this list is complete and code that only decides need not load the rows. */
export type ResetReason = (typeof resetReasons)[number];

const throttlingReasons: ReadonlySet<string> = /* @__PURE__ */ (() =>
  new Set([
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
  ]))();

export function isThrottlingReason(reason: string): boolean {
  return throttlingReasons.has(reason);
}
