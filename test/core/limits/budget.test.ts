import { describe, expect, test } from 'vitest';
import { classify } from '../../../src/core/decide/classify.js';
import {
  affords,
  afterFailure,
  afterMove,
  afterRetry,
  afterSuccess,
  costOf,
  fullBudget,
  needsClock,
  priceOf,
  refundOf,
  tokensLeft,
} from '../../../src/core/limits/budget/budget.js';
import type { FilledBudget, SlidingBudget } from '../../../src/core/limits/budget/kind.js';
import type { BucketBudget, Cost } from '../../../src/core/limits/budget/setting.js';
import type { BudgetState } from '../../../src/core/limits/budget/state.js';
import { fillWindow } from '../../../src/core/limits/budget/window.js';
import { defaults } from '../../../src/core/policy/defaults.js';
import { presets } from '../../../src/core/policy/presets.js';
import type { Attempt, Decision } from '../../../src/core/types.js';
import { answered, date, errorWith, failed, serverError, settingsOf } from '../../kit.js';

const { awsStandard, grpc } = presets.budgets;
const finagle = fillWindow(presets.budgets.finagle);

const plain: BucketBudget = {
  kind: 'bucket',
  capacity: 10,
  perSuccess: 0.1,
  perSecond: 0,
  cost: { transient: 1, throttled: 2, timeout: 3 },
  refund: false,
  charge: 'retry',
  floor: 0,
};
const sliding: SlidingBudget = fillWindow({
  kind: 'window',
  windowMs: 10_000,
  reserve: 0,
  perSuccess: 0.2,
  cost: { transient: 1, throttled: 2, timeout: 3 },
});

/** An attempt that was followed by a retry at this cost. */
function retryOf(cost: number): Attempt {
  const decision: Decision = {
    action: 'retry',
    reason: 'transient-status',
    attempt: 1,
    finding: serverError,
    delayMs: 0,
    waitFrom: 'schedule',
    cost,
  };
  return { endedAt: 0, decision };
}

/** A budget with its state and a clock, so that a test reads as a story. */
function account(budget: FilledBudget, now = 0) {
  let state: BudgetState = fullBudget(budget, now);
  return {
    at(time: number) {
      now = time;
      return this;
    },
    /** `costs`: of the retries before each success. */
    succeed(times = 1, ...costs: readonly number[]) {
      const refund = refundOf(budget, costs.map(retryOf));
      for (let time = 0; time < times; time++) state = afterSuccess(budget, state, refund, now);
      return this;
    },
    fail(failure: keyof Cost = 'transient') {
      state = afterFailure(budget, state, failure, now);
      return this;
    },
    /** Makes up to this many retries, as far as the budget allows. */
    retry(failure: keyof Cost = 'transient', most = 1): number {
      let count = 0;
      for (; count < most && affords(budget, state, failure, now); count++) {
        state = afterRetry(budget, state, failure, now);
      }
      return count;
    },
    /** The last retry goes to another scope. */
    move(failure: keyof Cost = 'transient') {
      state = afterMove(budget, state, failure, now);
      return this;
    },
    affords: (failure: keyof Cost = 'transient') => affords(budget, state, failure, now),
    left: () => tokensLeft(budget, state, now),
    state: () => state,
  };
}

describe('a retry that goes to another scope', () => {
  test('is paid back, whatever it cost', () => {
    const bucket = account(plain);
    bucket.retry('throttled', 2);
    expect(bucket.move('throttled').left()).toBe(8);
    const window = account({ ...sliding, reserve: 5 });
    window.retry('timeout');
    expect(window.move('timeout').left()).toBe(5);
  });

  test('fills no bucket above its brim', () => {
    const bucket = account(plain);
    expect(bucket.move().left()).toBe(10);
    expect(bucket.retry('transient', 99)).toBe(10);
  });

  test('gives nothing back where failures are charged, and not retries', () => {
    const bucket = account({ ...plain, charge: 'failure' });
    bucket.fail().retry();
    expect(bucket.move().left()).toBe(9);
  });
});

describe('a bucket', () => {
  test('starts full, at its time', () => {
    expect(fullBudget(plain, 123)).toEqual({ tokens: 10_000, at: 123 });
    expect(tokensLeft(plain, fullBudget(plain, 123), 123)).toBe(10);
  });

  test('is spent to the last token, by what each retry costs', () => {
    const bucket = account(plain);
    expect(bucket.retry('throttled', 4)).toBe(4);
    expect(bucket.left()).toBe(2);
    expect(bucket.retry()).toBe(1);
    expect(bucket.affords('throttled')).toBe(false);
    expect(bucket.retry('transient', 9)).toBe(1);
    expect(bucket.left()).toBe(0);
  });

  test('ten tenths are exactly one', () => {
    const bucket = account({ ...plain, capacity: 1 });
    bucket.retry();
    expect(bucket.succeed(9).affords()).toBe(false);
    expect(bucket.succeed().affords()).toBe(true);
    expect(bucket.left()).toBe(1);
  });

  test('counts three decimals', () => {
    const bucket = account({ ...plain, perSuccess: 0.0016, capacity: 1 });
    bucket.retry();
    expect(bucket.succeed().left()).toBe(0.002);
  });

  test('a floor is never touched by a retry', () => {
    const bucket = account({ ...plain, floor: 3 });
    expect(bucket.retry('transient', 99)).toBe(7);
    expect(bucket.left()).toBe(3);
    expect(account({ ...plain, floor: 9 }).affords('throttled')).toBe(false);
    expect(account({ ...plain, floor: 8 }).affords('throttled')).toBe(true);
  });

  test('without capacity it never affords a retry, whatever it earns', () => {
    const never = account({ ...plain, capacity: 0, perSuccess: 5, perSecond: 5 });
    expect(never.at(1_000).succeed(9).affords()).toBe(false);
    expect(never.left()).toBe(0);
    const neverCharged = account({ ...grpc, capacity: 0, floor: 0 });
    expect(neverCharged.succeed(9).affords()).toBe(false);
  });

  test('spending more than there is leaves 0, not a debt', () => {
    const state = afterRetry(
      { ...plain, capacity: 1 },
      fullBudget({ ...plain, capacity: 1 }, 0),
      'throttled',
      0,
    );
    expect(state).toEqual({ tokens: 0, at: 0 });
  });

  test('failures cost nothing where retries are charged', () => {
    const state = fullBudget(plain, 0);
    expect(afterFailure(plain, state, 'transient', 5)).toBe(state);
    expect(costOf(plain, 'transient')).toBe(1);
    expect(costOf(plain, 'throttled')).toBe(2);
  });

  test('refunds only if told to', () => {
    const bucket = account(plain);
    bucket.retry('throttled', 5);
    expect(bucket.succeed(1, 2).left()).toBe(0.1);
  });

  test.each([
    [false, 0.1],
    [true, 1],
    ['all', 6],
  ] as const)('refund %s: gives back what it says after retries at 3, 2 and 1', (refund, left) => {
    const bucket = account({ ...plain, refund });
    bucket.retry('transient', 10);
    expect(bucket.succeed(1, 3, 2, 1).left()).toBe(left);
  });

  test('gives back what was taken, to the thousandth, and no more', () => {
    // Each of them takes nothing.
    expect(refundOf({ ...plain, refund: 'all' }, [0.0004, 0.0004, 0.0004].map(retryOf))).toBe(0);
    const bucket = account({ ...plain, refund: 'all' });
    bucket.retry();
    expect(bucket.succeed(1, 1).left()).toBe(10);
    expect(bucket.succeed(1, 1).left()).toBe(10);
  });

  test('attempts without a retry give nothing back', () => {
    const { decision } = retryOf(1);
    const cut = { ...decision, action: 'stop', reason: 'cut' } as Decision;
    for (const refund of [true, 'all'] as const) {
      expect(refundOf({ ...plain, refund }, [{ endedAt: 0, decision: cut }])).toBeUndefined();
      expect(refundOf({ ...plain, refund }, [])).toBeUndefined();
    }
    expect(refundOf(sliding, [retryOf(1)])).toBeUndefined();
  });

  test('a success of a full one returns the state itself', () => {
    const state = fullBudget(plain, 0);
    expect(afterSuccess(plain, state, undefined, Number.NaN)).toBe(state);
    const used = afterRetry(plain, state, 'transient', 0);
    expect(afterSuccess(plain, used, undefined, Number.NaN)).toEqual({ tokens: 9_100, at: 0 });
    const unpaid = { ...plain, perSuccess: 0 };
    expect(afterSuccess(unpaid, used, undefined, Number.NaN)).toBe(used);
  });

  test('a retry that costs nothing returns the state itself', () => {
    const free = { ...plain, cost: { transient: 0, throttled: 1, timeout: 0 } };
    const state = afterRetry(free, fullBudget(free, 0), 'throttled', 0);
    expect(afterRetry(free, state, 'transient', 1_000)).toBe(state);
  });

  test('only a window needs a clock for a success', () => {
    expect(needsClock(plain)).toBe(false);
    expect(needsClock(grpc)).toBe(false);
    expect(needsClock(finagle)).toBe(true);
  });
});

describe("a bucket's trickle", () => {
  const trickling: BucketBudget = { ...plain, perSuccess: 0, perSecond: 0.5 };

  test('gives perSecond tokens a second, fractions included, up to the capacity', () => {
    const bucket = account(trickling, 1_000);
    bucket.retry('transient', 10);
    expect(bucket.at(1_500).left()).toBe(0.25);
    expect(bucket.at(2_999).affords()).toBe(false);
    expect(bucket.at(3_000).affords()).toBe(true);
    expect(bucket.at(20_999).left()).toBe(9.9995);
    expect(bucket.at(21_000).left()).toBe(10);
    expect(bucket.at(99_000).left()).toBe(10);
  });

  test('is not paid twice, and tokens that overflow are lost', () => {
    const bucket = account(trickling);
    bucket.at(60_000).retry();
    expect(bucket.state()).toEqual({ tokens: 9_000, at: 60_000 });
    expect(bucket.left()).toBe(9);
    expect(bucket.at(61_000).left()).toBe(9.5);
  });

  test('may be counted after a success that did not look at the clock', () => {
    const bucket = account({ ...trickling, perSuccess: 1 });
    bucket.retry('transient', 10);
    expect(bucket.at(Number.NaN).succeed(3).at(4_000).left()).toBe(5);
  });

  test('adds and removes nothing while the clock stands still or runs back', () => {
    const bucket = account(trickling, 5_000);
    bucket.retry('transient', 4);
    expect(bucket.left()).toBe(6);
    expect(bucket.at(1_000).left()).toBe(6);
    bucket.retry();
    expect(bucket.state()).toEqual({ tokens: 5_000, at: 5_000 });
    expect(bucket.at(5_000).left()).toBe(5);
    expect(bucket.at(7_000).left()).toBe(6);
  });

  test('continues after failures are charged', () => {
    const bucket = account({ ...grpc, perSecond: 1 });
    bucket.fail().fail().fail();
    expect(bucket.at(2_000).left()).toBe(9);
    expect(bucket.fail().state()).toEqual({ tokens: 8_000, at: 2_000 });
  });
});

describe('AWS standard mode 2.1', () => {
  test('500 tokens are 35 transient retries, and the rest is too little for one more', () => {
    const quota = account(awsStandard);
    for (let retry = 1; retry <= 35; retry++) {
      expect(quota.retry()).toBe(1);
      expect(quota.left()).toBe(500 - 14 * retry);
    }
    expect(quota.left()).toBe(10);
    expect(quota.affords()).toBe(false);
    expect(quota.retry('throttled', 99)).toBe(2);
    expect(quota.left()).toBe(0);
  });

  test('500 tokens are 100 throttled retries', () => {
    const quota = account(awsStandard);
    expect(quota.retry('throttled', 999)).toBe(100);
    expect(quota.left()).toBe(0);
  });

  test('a success after retries gives back the cost of the last one only', () => {
    const quota = account(awsStandard);
    quota.retry('transient', 2);
    expect(quota.left()).toBe(472);
    expect(quota.succeed(1, 14, costOf(awsStandard, 'transient')).left()).toBe(486);
    quota.retry('throttled');
    expect(quota.left()).toBe(481);
    expect(quota.succeed(1, costOf(awsStandard, 'throttled')).left()).toBe(486);
  });

  test('a success without retries gives 1, up to the capacity', () => {
    const quota = account(awsStandard);
    quota.retry();
    expect(quota.succeed(13).left()).toBe(499);
    expect(quota.succeed().left()).toBe(500);
    expect(quota.succeed().left()).toBe(500);
    quota.retry('throttled');
    expect(quota.succeed(1, 14).left()).toBe(500);
  });

  test('a request that fails gives nothing back, and time adds nothing', () => {
    const quota = account(awsStandard);
    quota.retry('transient', 2);
    expect(quota.fail().at(3_600_000).left()).toBe(472);
  });

  test('in the long run, 14 clean successes pay for one retry', () => {
    const quota = account(awsStandard);
    quota.retry('transient', 99);
    expect(quota.succeed(3).affords()).toBe(false);
    expect(quota.succeed(1).retry('transient', 9)).toBe(1);
    expect(quota.succeed(13).affords()).toBe(false);
    expect(quota.succeed(1).retry('transient', 9)).toBe(1);
  });
});

describe('gRPC retryThrottling with 10 tokens and a ratio of 0.5', () => {
  test('failures cost 1 each; at exactly half there is no retry', () => {
    const throttle = account(grpc);
    for (const left of [9, 8, 7, 6]) {
      expect(throttle.fail().left()).toBe(left);
      expect(throttle.retry()).toBe(1);
      expect(throttle.left()).toBe(left);
    }
    expect(throttle.fail().left()).toBe(5);
    expect(throttle.affords()).toBe(false);
  });

  test('successes bring retries back, half a token each', () => {
    const throttle = account(grpc);
    for (let failure = 0; failure < 7; failure++) throttle.fail('throttled');
    expect(throttle.left()).toBe(3);
    expect(throttle.succeed(4).left()).toBe(5);
    expect(throttle.affords()).toBe(false);
    expect(throttle.succeed().left()).toBe(5.5);
    expect(throttle.affords()).toBe(true);
    expect(throttle.affords('throttled')).toBe(true);
    expect(throttle.fail().left()).toBe(4.5);
    expect(throttle.affords()).toBe(false);
  });

  test('the count stays between 0 and 10', () => {
    const throttle = account(grpc);
    for (let failure = 0; failure < 12; failure++) throttle.fail();
    expect(throttle.left()).toBe(0);
    expect(throttle.succeed(19).left()).toBe(9.5);
    expect(throttle.succeed(5).left()).toBe(10);
  });

  test('a retry itself is free', () => {
    const state = fullBudget(grpc, 0);
    expect(costOf(grpc, 'transient')).toBe(0);
    expect(costOf(grpc, 'throttled')).toBe(0);
    expect(afterRetry(grpc, state, 'transient', 9)).toBe(state);
  });

  test('a success after retries earns the ratio, as any other', () => {
    expect(account(grpc).fail().fail().succeed(1, 0).left()).toBe(8.5);
  });

  test('each kind of failure has its own cost', () => {
    const own = account({ ...grpc, cost: { transient: 1, throttled: 3, timeout: 1 } });
    expect(own.fail('throttled').left()).toBe(7);
    expect(own.fail('transient').left()).toBe(6);
  });
});

describe("Finagle's RetryBudget", () => {
  test('by default: 100 retries in ten seconds, and one for every five successes', () => {
    const budget = account(finagle);
    expect(budget.left()).toBe(100);
    expect(budget.retry('transient', 999)).toBe(100);
    expect(budget.succeed(4).affords()).toBe(false);
    expect(budget.succeed(1).retry('transient', 9)).toBe(1);
    expect(budget.succeed(100).retry('throttled', 99)).toBe(20);
  });

  test.each([0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.99, 2])(
    '10,000 requests at a share of %d, with and without a reserve',
    (share) => {
      const own = { ...finagle, perSuccess: share, reserve: 0 };
      const without = account(own).succeed(10_000).retry('transient', 99_999);
      expect(Math.abs(without - share * 10_000)).toBeLessThanOrEqual(1);
      const withReserve = account({ ...own, reserve: 50 })
        .succeed(10_000)
        .retry('transient', 99_999);
      expect(withReserve).toBe(without + 50);
    },
  );

  test('a share of 0 leaves the reserve, and neither leaves nothing', () => {
    expect(
      account({ ...finagle, perSuccess: 0 })
        .succeed(10_000)
        .retry('transient', 999),
    ).toBe(100);
    expect(
      account({ ...finagle, perSuccess: 0, reserve: 0 })
        .succeed(10_000)
        .affords(),
    ).toBe(false);
  });
});

describe('a window', () => {
  test('starts empty in the slice of its time', () => {
    expect(fullBudget(sliding, 12_345)).toEqual({ slices: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], slice: 12 });
  });

  test('costs what each retry costs', () => {
    const window = account({ ...sliding, reserve: 3 });
    expect(window.retry('throttled', 9)).toBe(1);
    expect(window.left()).toBe(1);
    expect(window.affords('throttled')).toBe(false);
    expect(window.retry('transient', 9)).toBe(1);
    expect(costOf(sliding, 'throttled')).toBe(2);
  });

  test('deposits go into the newest slice and leave with it', () => {
    const window = account(sliding).succeed(5).at(1_000).succeed(10);
    expect(window.state()).toEqual({ slices: [0, 0, 0, 0, 0, 0, 0, 0, 1_000, 2_000], slice: 1 });
    expect(window.at(9_999).left()).toBe(3);
    expect(window.at(10_000).left()).toBe(2);
    expect(window.at(10_999).left()).toBe(2);
    expect(window.at(11_000).left()).toBe(0);
  });

  test('costs leave, too, so that the reserve fills up again', () => {
    const window = account({ ...sliding, reserve: 2 }).at(500);
    expect(window.retry('transient', 9)).toBe(2);
    expect(window.at(9_999).retry('transient', 9)).toBe(0);
    expect(window.at(10_000).retry('transient', 9)).toBe(2);
  });

  test('may fall below 0 when deposits leave, and then shows 0', () => {
    const window = account(sliding).succeed(5).at(5_000);
    expect(window.retry()).toBe(1);
    window.at(10_000);
    expect(window.left()).toBe(0);
    expect(window.succeed(5).affords()).toBe(false);
    expect(window.succeed(5).affords()).toBe(true);
  });

  test('forgets everything after a long silence', () => {
    const window = account({ ...sliding, reserve: 1 }).succeed(50);
    window.retry('transient', 4);
    expect(window.at(86_400_000).left()).toBe(1);
    expect(window.succeed(5).state()).toEqual({ slices: [0, 0, 0, 0, 0, 0, 0, 0, 0, 1_000], slice: 86_400 });
  });

  test('stays where it is while the clock runs back', () => {
    const window = account(sliding, 20_000).succeed(5).at(3_000).succeed(5);
    expect(window.state()).toEqual({ slices: [0, 0, 0, 0, 0, 0, 0, 0, 0, 2_000], slice: 20 });
    expect(window.left()).toBe(2);
    expect(window.at(20_000).left()).toBe(2);
  });

  test('has slices of a tenth of it', () => {
    const short = account({ ...sliding, windowMs: 50 }).succeed(5);
    expect(short.at(49).left()).toBe(1);
    expect(short.at(50).left()).toBe(0);
  });

  test('a deposit of nothing returns the state itself', () => {
    const unpaid = { ...sliding, perSuccess: 0, cost: { transient: 0, throttled: 0, timeout: 0 } };
    const state = fullBudget(unpaid, 0);
    expect(afterSuccess(unpaid, state, undefined, 5_000)).toBe(state);
    expect(afterSuccess(unpaid, state, 7, 5_000)).toBe(state);
    expect(afterRetry(unpaid, state, 'transient', 5_000)).toBe(state);
    expect(afterFailure(sliding, state, 'transient', 5_000)).toBe(state);
  });
});

test.each([
  ['ours', { code: 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT' }, 'timeout'],
  ['undici: no head in time', { code: 'UND_ERR_HEADERS_TIMEOUT' }, 'timeout'],
  ['undici: a body that stalled', { code: 'UND_ERR_BODY_TIMEOUT' }, 'timeout'],
  ['axios', { code: 'ECONNABORTED' }, 'timeout'],
  ['axios, with clarifyTimeoutError, and a connection that died', { code: 'ETIMEDOUT' }, 'timeout'],
  ['a TimeoutError that is not the caller’s', { name: 'TimeoutError', aborted: false }, 'timeout'],
  ['a connection that was never made', { code: 'ETIMEDOUT', syscall: 'connect' }, 'transient'],
  ['undici: the same', { code: 'UND_ERR_CONNECT_TIMEOUT' }, 'transient'],
  ['a cut', { code: 'ECONNRESET' }, 'transient'],
] as const)('the price of a timeout: %s', (_, properties, price) => {
  const finding = classify(settingsOf(), failed(errorWith(properties), { aborted: false }), date);
  expect(finding.class).toBe('transient');
  expect(priceOf(finding)).toBe(price);
});

test('the price of an answer', () => {
  expect(priceOf(classify(settingsOf(), answered(504), date))).toBe('transient');
  expect(priceOf(classify(settingsOf(), answered(429), date))).toBe('throttled');
});

test('the default budget: 50 retries at once (25 after timeouts), then 15 for 100 successes and 6 a minute', () => {
  expect(account(defaults.budget).retry('timeout', 999)).toBe(25);
  const budget = account(defaults.budget);
  expect(budget.retry('transient', 999)).toBe(50);
  expect(budget.succeed(100).retry('throttled', 99)).toBe(15);
  expect(budget.at(60_000).retry('transient', 99)).toBe(6);
});
