/** The hint sets that belong to no vendor, as rows of data. Every other set includes the first two. */

import type { HintSet, Quota } from './hint-set.js';
import { abnormalUsage, idempotencyKeyProblem, requestTimeout } from './rulings.js';
import type { BaseName } from './sets.js';

/** The most common name for a reset, for which at least seven encodings are in use. */
export const xRateLimit: Quota = { reset: 'x-ratelimit-reset', remaining: 'x-ratelimit-remaining' };
export const xRateDashLimit: Quota = { reset: 'x-rate-limit-reset', remaining: 'x-rate-limit-remaining' };

export const bases: Readonly<Record<BaseName, HintSet>> = {
  standard: {
    // The statuses of draft-ietf-httpapi-idempotency-key-header; its rules look only at the body.
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
        // Every draft defines seconds from now, but GitLab and others send epoch seconds.
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
    resets: /* @__PURE__ */ [xRateLimit, xRateDashLimit].map((quota) => ({
      quotas: [quota],
      as: 'by-magnitude',
      reason: { 'delta-s': 'delta-s', 'epoch-s': 'epoch-s', 'epoch-ms': 'epoch-ms' },
    })),
  },
};
