import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  affords,
  afterFailure,
  afterRetry,
  afterSuccess,
  costOf,
  fullBudget,
  refundOf,
  tokensLeft,
} from '../../src/core/limits/budget/budget.js';
import type { FilledBudget, SlidingBudget } from '../../src/core/limits/budget/kind.js';
import type { BucketBudget, Cost } from '../../src/core/limits/budget/setting.js';
import type { BucketState, BudgetState } from '../../src/core/limits/budget/state.js';
import { fillWindow } from '../../src/core/limits/budget/window.js';
import type { Attempt, History } from '../../src/core/types.js';
import { serverError } from '../kit.js';

// Numbers with three decimals, as budgets count them.
const tokens = (max: number): fc.Arbitrary<number> => fc.nat(max * 1_000).map((count) => count / 1_000);
const cost = fc.record({ transient: tokens(20), throttled: tokens(20), timeout: tokens(20) });

const bucket: fc.Arbitrary<BucketBudget> = fc.record({
  kind: fc.constant('bucket' as const),
  capacity: tokens(100),
  perSuccess: tokens(3),
  // Quarters of a token per second are exact in whole milliseconds, so that sums can be compared.
  perSecond: fc.nat(40).map((quarters) => quarters / 4),
  cost,
  refund: fc.constantFrom(false, true, 'all' as const),
  charge: fc.constantFrom('retry' as const, 'failure' as const),
  floor: tokens(50),
});
const window: fc.Arbitrary<SlidingBudget> = fc
  .record({
    kind: fc.constant('window' as const),
    windowMs: fc.integer({ min: 10, max: 60_000 }),
    reserve: tokens(50),
    perSuccess: tokens(3),
    cost,
  })
  .map(fillWindow);

const failure = fc.constantFrom<keyof Cost>('transient', 'throttled', 'timeout');

interface Operation {
  readonly what: 'success' | 'failure' | 'retry';
  readonly failure: keyof Cost;
  readonly now: number;
  readonly retried: boolean;
}
const operation = (now: fc.Arbitrary<number>): fc.Arbitrary<Operation> =>
  fc.record({
    what: fc.constantFrom('success', 'failure', 'retry'),
    failure,
    now,
    retried: fc.boolean(),
  });
/** Operations on a clock that jumps back and forth, and on one that does not. */
const wildly = fc.array(operation(fc.oneof(fc.integer(), fc.double({ noNaN: true, min: -1e12, max: 1e12 }))));
const inOrder = fc
  .array(operation(fc.nat(100_000)))
  .map((operations) => operations.toSorted((one, other) => one.now - other.now));

function retryOf(cost: number): Attempt {
  const reason = 'transient-status';
  const decision = {
    action: 'retry',
    reason,
    attempt: 1,
    finding: serverError,
    delayMs: 0,
    waitFrom: 'schedule',
    cost,
  } as const;
  return { endedAt: 0, decision };
}

/** Does what the runtime does: a retry only if the budget affords it. */
function apply(
  budget: FilledBudget,
  state: BudgetState,
  { what, failure: kind, now, retried }: Operation,
): BudgetState {
  if (what === 'success') {
    const history = retried ? [retryOf(costOf(budget, kind))] : [];
    return afterSuccess(budget, state, refundOf(budget, history), now);
  }
  if (what === 'failure') return afterFailure(budget, state, kind, now);
  return affords(budget, state, kind, now) ? afterRetry(budget, state, kind, now) : state;
}

describe('a bucket', () => {
  test('holds from 0 to its capacity, whatever happens and whatever the clock says', () => {
    fc.assert(
      fc.property(
        bucket,
        wildly,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (budget, operations, later) => {
          let state = fullBudget(budget, 0);
          for (const one of operations) {
            // Even if the retry was not checked first.
            state =
              one.what === 'retry'
                ? afterRetry(budget, state, one.failure, one.now)
                : apply(budget, state, one);
            for (const now of [one.now, later]) {
              expect(tokensLeft(budget, state, now)).toBeGreaterThanOrEqual(0);
              expect(tokensLeft(budget, state, now)).toBeLessThanOrEqual(budget.capacity);
            }
          }
        },
      ),
    );
  });

  test('gives no more than was put in', () => {
    fc.assert(
      fc.property(bucket, inOrder, (budget, operations) => {
        let state = fullBudget(budget, 0);
        let given = budget.capacity;
        let taken = 0;
        for (const one of operations) {
          const before = state;
          state = apply(budget, state, one);
          if (one.what === 'success') {
            given += budget.refund && one.retried ? costOf(budget, one.failure) : budget.perSuccess;
          } else if (one.what === 'retry' && state !== before) {
            taken += costOf(budget, one.failure);
          }
          expect(taken).toBeLessThanOrEqual(given + (budget.perSecond * one.now) / 1_000 + 1e-6);
        }
      }),
    );
  });

  test('deposits and trickle commute: a success needs no clock', () => {
    fc.assert(
      fc.property(bucket, inOrder, (budget, operations) => {
        let state = fullBudget(budget, 0);
        // The same events in the order in which they happen.
        let level = budget.capacity * 1_000;
        let levelAt = 0;
        for (const one of operations) {
          level = Math.min(budget.capacity * 1_000, level + budget.perSecond * (one.now - levelAt));
          levelAt = one.now;
          if (one.what === 'success') {
            level = Math.min(budget.capacity * 1_000, level + Math.round(budget.perSuccess * 1_000));
            state = afterSuccess(budget, state, undefined, Number.NaN);
          } else {
            level = Math.max(0, level - Math.round(costOf(budget, one.failure) * 1_000));
            state = afterRetry(budget, state, one.failure, one.now);
          }
          expect(tokensLeft(budget, state, one.now)).toBeCloseTo(level / 1_000, 9);
        }
      }),
    );
  });

  test('a clock that does not advance changes nothing', () => {
    fc.assert(
      fc.property(
        bucket,
        wildly,
        fc.double({ noNaN: true, min: 0, max: 1e12 }),
        (budget, operations, back) => {
          const { tokens: left, at } = operations.reduce<BudgetState>(
            (state, one) => apply(budget, state, one),
            fullBudget(budget, 0),
          ) as BucketState;
          expect(tokensLeft(budget, { tokens: left, at }, at - back)).toBe(left / 1_000);
        },
      ),
    );
  });

  test('with less in it never affords more', () => {
    const level = fc.nat(100_000);
    fc.assert(
      fc.property(bucket, level, level, failure, fc.nat(10_000), (budget, one, other, kind, now) => {
        const poor = affords(budget, { tokens: Math.min(one, other), at: 0 }, kind, now);
        const rich = affords(budget, { tokens: Math.max(one, other), at: 0 }, kind, now);
        expect(poor && !rich).toBe(false);
      }),
    );
  });

  test('of less capacity never affords more after the same events', () => {
    fc.assert(
      fc.property(bucket, tokens(100), inOrder, failure, (budget, capacity, operations, kind) => {
        const outcome = (size: number): boolean => {
          const own = { ...budget, capacity: size };
          let state = fullBudget(own, 0);
          for (const one of operations) {
            state =
              one.what === 'retry' ? afterRetry(own, state, one.failure, one.now) : apply(own, state, one);
          }
          return affords(own, state, kind, operations.at(-1)?.now ?? 0);
        };
        const poor = outcome(Math.min(capacity, budget.capacity));
        const rich = outcome(Math.max(capacity, budget.capacity));
        expect(poor && !rich).toBe(false);
      }),
    );
  });
});

describe('refunds', () => {
  const atOnce = 6;
  /** What one of the requests under way does: another retry, or its end. */
  const step = fc.record({
    request: fc.nat(atOnce - 1),
    what: fc.constantFrom('retry' as const, 'retry' as const, 'success' as const, 'failure' as const),
    failure,
    now: fc.nat(100_000),
  });
  const steps = fc
    .array(step, { maxLength: 300 })
    .map((all) => all.toSorted((one, other) => one.now - other.now));
  const charging = bucket.map((some): BucketBudget => ({ ...some, charge: 'retry' }));

  /** What requests took for good: retries that did not lead to a success may cost no more than was put in. */
  function property(refundFor: (budget: FilledBudget, history: History) => number | undefined) {
    return fc.property(charging, steps, (budget, all) => {
      let state = fullBudget(budget, 0);
      const under: Attempt[][] = Array.from({ length: atOnce }, () => []);
      let givenByOthers = budget.capacity;
      let keptForGood = 0;
      let level = budget.capacity;
      let levelAt = 0;
      for (const { request, what, failure: kind, now } of all) {
        const history = under[request] ?? [];
        level = Math.min(budget.capacity, level + (budget.perSecond * (now - levelAt)) / 1_000);
        levelAt = now;
        if (what === 'retry') {
          if (!affords(budget, state, kind, now)) continue;
          history.push(retryOf(costOf(budget, kind)));
          state = afterRetry(budget, state, kind, now);
          keptForGood += costOf(budget, kind);
          level -= costOf(budget, kind);
        } else {
          const refund = refundFor(budget, history);
          if (what === 'success') state = afterSuccess(budget, state, refund, now);
          if (what === 'success') {
            const isRefunded = budget.refund !== false && history.length > 0;
            if (!isRefunded) givenByOthers += budget.perSuccess;
            keptForGood -= justRefund(budget, history);
            const deposit = isRefunded ? justRefund(budget, history) : budget.perSuccess;
            level = Math.min(budget.capacity, level + deposit);
          }
          under[request] = [];
        }
        const trickle = (budget.perSecond * now) / 1_000;
        expect(tokensLeft(budget, state, now)).toBeCloseTo(level, 6);
        expect(keptForGood).toBeLessThanOrEqual(givenByOthers + trickle + 1e-6);
      }
    });
  }

  /** By the words of the setting. */
  function justRefund({ refund }: BucketBudget, history: History): number {
    const costs = history.map(({ decision }) => (decision.action === 'retry' ? decision.cost : 0));
    if (refund === false) return 0;
    return refund === 'all' ? costs.reduce((sum, cost) => sum + cost, 0) : (costs.at(-1) ?? 0);
  }

  test('are what a success took: retries that do not help cost as much as they would without them', () => {
    fc.assert(property(refundOf));
  });

  test.each<[string, typeof refundOf]>([
    ['gives twice as much back', (budget, history) => 2 * (refundOf(budget, history) ?? 0)],
    ['gives 15 tokens back at every success', () => 15_000],
    [
      'gives back what the last one cost for each of them',
      (budget, history) => {
        const refund = refundOf({ ...budget, refund: true } as FilledBudget, history);
        return refund === undefined ? undefined : refund * history.length;
      },
    ],
  ])('a budget that %s is found out', (_, faulty) => {
    expect(fc.check(property(faulty), { numRuns: 2_000, seed: 1, endOnFailure: true }).failed).toBe(true);
  });
});

describe('a window', () => {
  /** The contents of the last ten slices, computed from a list of all events. */
  function balance(
    budget: SlidingBudget,
    log: readonly (readonly [now: number, amount: number])[],
    now: number,
  ) {
    const slice = (time: number): number => Math.floor((time * 10) / budget.windowMs);
    return log.reduce(
      (sum, [time, amount]) => (slice(now) - slice(time) < 10 ? sum + amount : sum),
      Math.round(budget.reserve * 1_000),
    );
  }

  test('is the reserve plus what happened within it, to the thousandth', () => {
    fc.assert(
      fc.property(window, inOrder, (budget, operations) => {
        let state = fullBudget(budget, 0);
        const log: [number, number][] = [];
        for (const one of operations) {
          const price = Math.round(budget.cost[one.failure] * 1_000);
          const affordable = balance(budget, log, one.now) >= price;
          expect(affords(budget, state, one.failure, one.now)).toBe(affordable);
          state = apply(budget, state, one);
          if (one.what === 'success') log.push([one.now, Math.round(budget.perSuccess * 1_000)]);
          if (one.what === 'retry' && affordable) log.push([one.now, -price]);
          const left = Math.max(0, balance(budget, log, one.now)) / 1_000;
          expect(tokensLeft(budget, state, one.now)).toBe(left);
        }
      }),
    );
  });

  test('stays finite and never shows a debt, whatever the clock says', () => {
    fc.assert(
      fc.property(window, wildly, (budget, operations) => {
        let state = fullBudget(budget, 0);
        let deposits = budget.reserve;
        for (const one of operations) {
          state = apply(budget, state, one);
          if (one.what === 'success') deposits += budget.perSuccess;
          const left = tokensLeft(budget, state, one.now);
          expect(left).toBeGreaterThanOrEqual(0);
          expect(left).toBeLessThanOrEqual(deposits + 1e-6);
        }
      }),
    );
  });

  test('with less in it never affords more', () => {
    fc.assert(
      fc.property(window, fc.nat(20), fc.nat(20), failure, (budget, one, other, kind) => {
        const rich = (successes: number): boolean => {
          let state = fullBudget(budget, 0);
          for (let count = 0; count < successes; count++) state = afterSuccess(budget, state, undefined, 0);
          return affords(budget, state, kind, 0);
        };
        expect(rich(Math.min(one, other)) && !rich(Math.max(one, other))).toBe(false);
      }),
    );
  });
});

test('no transition changes the state that it was given', () => {
  const frozen = (state: BudgetState): BudgetState =>
    Object.freeze('slices' in state ? { ...state, slices: Object.freeze([...state.slices]) } : { ...state });
  fc.assert(
    fc.property(fc.oneof(bucket, window), wildly, (budget, operations) => {
      operations.reduce<BudgetState>(
        (state, one) => frozen(apply(budget, state, one)),
        frozen(fullBudget(budget, 0)),
      );
    }),
  );
});
