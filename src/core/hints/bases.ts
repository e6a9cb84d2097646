/**
 * The hint sets that belong to no vendor, without what they read in bodies. `common` has all that `standard` has, and every
 * other set includes `common`.
 */

import type { Hint } from '../types.js';
import type { Answer } from './answer.js';
import { byMagnitude, deltaMs, deltaS, readQuota, sourceIn } from './fields.js';
import type { BaseSet, HintSet, Quota, Source } from './hint-set.js';
import { readRateLimit } from './ratelimit.js';
import { readRetryAfter } from './retry-after.js';
import { requestTimeout } from './rulings.js';

/** The most common name for a reset, for which at least seven encodings are in use. */
export const xRateLimit: Quota = { reset: 'x-ratelimit-reset', remaining: 'x-ratelimit-remaining' };
export const xRateDashLimit: Quota = { reset: 'x-rate-limit-reset', remaining: 'x-rate-limit-remaining' };

const retryAfter: Source = { headers: ['retry-after'], rank: 3, read: readRetryAfter };

const rateLimit: Quota = { reset: 'ratelimit-reset', remaining: 'ratelimit-remaining' };

/** Of the headers of quotas. */
export const quotaRank = 9;

export const standard: BaseSet = {
  rulings: [],
  signals: [requestTimeout],
  sources: [retryAfter],
  throttles: [],
};

export const common: BaseSet = {
  rulings: ['x-should-retry'],
  signals: [requestTimeout],
  sources: [
    /* @__PURE__ */ sourceIn({ header: 'retry-after-ms', as: deltaMs, rank: 0 }),
    /* @__PURE__ */ sourceIn({ header: 'x-ms-retry-after-ms', as: deltaMs, rank: 1 }),
    retryAfter,
    /* @__PURE__ */ sourceIn({ header: 'x-retry-after', as: deltaS, rank: 4 }),
    { headers: ['ratelimit'], rank: 8, read: (answer) => readRateLimit(answer) },
    { headers: ['ratelimit-reset'], rank: quotaRank, read: readReset },
  ],
  throttles: [
    'ratelimit-t',
    'ratelimit-t-max',
    'ratelimit-t-violated',
    'ratelimit-without-t',
    'ratelimit-reset-delta',
    'ratelimit-reset-epoch',
  ],
};

/** Every draft defines seconds from now, but GitLab and others send epoch seconds. */
function readReset(answer: Answer): Hint | undefined {
  return readQuota(answer, rateLimit, byMagnitude, (told) =>
    told === 'delta-s' ? 'ratelimit-reset-delta' : 'ratelimit-reset-epoch',
  );
}

export const heuristic: HintSet = {
  resets: /* @__PURE__ */ [xRateLimit, xRateDashLimit].map((quota) => ({
    quotas: [quota],
    as: byMagnitude,
    reason: (told) => told,
  })),
  throttles: ['delta-s', 'epoch-s', 'epoch-ms'],
};
