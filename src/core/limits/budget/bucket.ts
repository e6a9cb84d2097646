/** A bucket of tokens: successes fill it, and so does time, up to its brim. */

import type { BucketBudget } from '../../policy/limits.js';
import type { Kind } from './kind.js';
import { thousandths } from './kind.js';
import type { BucketState } from './state.js';

export const bucket: Kind<BucketBudget, BucketState> = {
  full: ({ capacity }, now) => ({ tokens: thousandths(capacity), at: now }),

  level: ({ capacity, perSecond }, { tokens, at }, now) =>
    Math.min(thousandths(capacity), tokens + perSecond * Math.max(0, now - at)),

  // No clock: the trickle since `at` may be added later, since for a, b >= 0 in either order
  // min(c, min(c, t + a) + b) = min(c, t + a + b).
  credit({ capacity, refund, perSuccess }, state, lastCost) {
    // Rounded on either side: a fraction that is chosen first is boxed, 16 bytes at each success.
    const deposit = refund && lastCost !== undefined ? thousandths(lastCost) : thousandths(perSuccess);
    const tokens = Math.min(thousandths(capacity), state.tokens + deposit);
    return tokens === state.tokens ? state : { tokens, at: state.at };
  },

  // The trickle comes first: what overflowed before the spending is lost, and so is debt below 0.
  debit(budget, state, amount, now) {
    if (amount === 0) return state;
    const tokens = Math.max(0, bucket.level(budget, state, now) - amount);
    return { tokens, at: Math.max(state.at, now) };
  },

  failureCost: ({ charge, cost }, failure) => (charge === 'failure' ? cost[failure] : 0),

  retryCost: ({ charge, cost }, failure) => (charge === 'failure' ? 0 : cost[failure]),

  // gRPC A6: with exactly the threshold left, there is no retry.
  suffices: ({ charge, cost, floor }, level, failure) =>
    charge === 'failure'
      ? level > thousandths(floor)
      : level - thousandths(cost[failure]) >= thousandths(floor),
};
