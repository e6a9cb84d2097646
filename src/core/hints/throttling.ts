/** Which reasons mean "too much", though the status may not be 429. */

import type { ResetField } from './hint-set.js';
import { vendors } from './vendors.js';

/** A reset is only read where nothing is left, so every one of them means it. */
const resets: readonly ResetField[] = Object.values(vendors).flatMap(({ resets = [] }) => resets);

const throttlingReasons: ReadonlySet<string> = new Set([
  ...resets.flatMap(({ reason }) => (typeof reason === 'string' ? reason : Object.values(reason))),
  'aws-throttling-code',
  'github-primary-limit',
  'github-secondary-limit',
  'google-rate-limit',
  'google-retryinfo',
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
