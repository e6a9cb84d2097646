/** A bucket of tokens. Successes and time fill it, up to its capacity. */

import type { Kind } from './kind.js';
import { thousandths } from './kind.js';
import type { BucketBudget } from './setting.js';
import type { BucketState } from './state.js';

export const bucket: Kind<BucketBudget, BucketState> = {
  full: ({ capacity }, now) => ({ tokens: thousandths(capacity), at: now }),

  level: ({ capacity, perSecond }, { tokens, at }, now) =>
    Math.min(thousandths(capacity), tokens + perSecond * Math.max(0, now - at)),

  // This reads no clock: the trickle since `at` may be added later, because for a, b >= 0 the order does not matter:
  // min(c, min(c, t + a) + b) = min(c, t + a + b).
  credit({ capacity, perSuccess }, state, refund) {
    const deposit = refund ?? thousandths(perSuccess);
    const tokens = Math.min(thousandths(capacity), state.tokens + deposit);
    return tokens === state.tokens ? state : { tokens, at: state.at };
  },

  // The trickle is added first: tokens that overflowed before this cost are lost. A level below 0 becomes 0, so there
  // is no debt.
  debit(budget, state, amount, now) {
    if (amount === 0) return state;
    const tokens = Math.max(0, bucket.level(budget, state, now) - amount);
    return { tokens, at: Math.max(state.at, now) };
  },

  failureCost: ({ charge, cost }, failure) => (charge === 'failure' ? cost[failure] : 0),

  retryCost: ({ charge, cost }, failure) => (charge === 'failure' ? 0 : cost[failure]),

  // gRPC A6: at exactly the threshold, there is no retry.
  suffices: ({ charge, cost, floor }, level, failure) =>
    charge === 'failure'
      ? level > thousandths(floor)
      : level - thousandths(cost[failure]) >= thousandths(floor),
};
