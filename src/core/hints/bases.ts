/**
 * The hint sets that belong to no vendor, as rows of data, without what the first two read in bodies. Every other set includes
 * these two.
 */

import { deltaMs, deltaS } from './fields.js';
import type { HintSet, Quota } from './hint-set.js';
import { readRateLimit } from './ratelimit.js';
import { requestTimeout } from './rulings.js';

/** The most common name for a reset, for which at least seven encodings are in use. */
export const xRateLimit: Quota = { reset: 'x-ratelimit-reset', remaining: 'x-ratelimit-remaining' };
export const xRateDashLimit: Quota = { reset: 'x-rate-limit-reset', remaining: 'x-rate-limit-remaining' };

export const standard: HintSet = {
  signals: [requestTimeout],
  waits: [{ header: 'retry-after', as: 'retry-after', rank: 3 }],
};

export const common: HintSet = {
  rulings: ['x-should-retry'],
  waits: [
    { header: 'retry-after-ms', as: deltaMs, rank: 0 },
    { header: 'x-ms-retry-after-ms', as: deltaMs, rank: 1 },
    { header: 'x-retry-after', as: deltaS, rank: 4 },
  ],
  rateLimit: (answer) => readRateLimit(answer),
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
  throttles: ['ratelimit-t', 'ratelimit-t-max', 'ratelimit-t-violated', 'ratelimit-without-t'],
};

export const heuristic: HintSet = {
  resets: /* @__PURE__ */ [xRateLimit, xRateDashLimit].map((quota) => ({
    quotas: [quota],
    as: 'by-magnitude',
    reason: { 'delta-s': 'delta-s', 'epoch-s': 'epoch-s', 'epoch-ms': 'epoch-ms' },
  })),
};
