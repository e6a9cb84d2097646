/** The hint sets that belong to no vendor, as rows of data. Every other set has the first two in it. */

import type { HintSet, Quota } from './hint-set.js';
import { abnormalUsage, idempotencyKeyProblem, requestTimeout } from './rulings.js';
import type { BaseName } from './sets.js';

/** The name most use, for which at least seven encodings are in the wild. */
export const xRateLimit: Quota = { reset: 'x-ratelimit-reset', remaining: 'x-ratelimit-remaining' };
export const xRateDashLimit: Quota = { reset: 'x-rate-limit-reset', remaining: 'x-rate-limit-remaining' };

export const bases: Readonly<Record<BaseName, HintSet>> = {
  standard: {
    // Where draft-ietf-httpapi-idempotency-key-header answers; the rules look at the body alone.
    statuses: [400, 409, 422],
    signals: [requestTimeout, idempotencyKeyProblem],
    waits: [{ header: 'retry-after', as: 'retry-after' }],
  },
  common: {
    rulings: ['x-should-retry'],
    signals: [abnormalUsage],
    waits: [
      { header: 'retry-after-ms', as: 'delta-ms' },
      { header: 'x-ms-retry-after-ms', as: 'delta-ms' },
      { header: 'x-retry-after', as: 'delta-s' },
    ],
    resets: [
      {
        quotas: [{ reset: 'ratelimit-reset', remaining: 'ratelimit-remaining' }],
        // Delta seconds in every draft; GitLab and others send epoch seconds.
        as: 'by-magnitude',
        reason: {
          'delta-s': 'ratelimit-reset-delta',
          'epoch-s': 'ratelimit-reset-epoch',
          'epoch-ms': 'ratelimit-reset-epoch',
        },
      },
    ],
  },
  heuristic: {
    resets: [xRateLimit, xRateDashLimit].map((quota) => ({
      quotas: [quota],
      as: 'by-magnitude',
      reason: { 'delta-s': 'delta-s', 'epoch-s': 'epoch-s', 'epoch-ms': 'epoch-ms' },
    })),
  },
};
