/** A budget that processes share, under reports that arrive late, and while requests of all of them succeed and fail. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { affords, costOf, fullBudget } from '../../src/core/limits/budget/budget.js';
import type { BudgetRecord } from '../../src/core/limits/budget/record.js';
import { mergeBudget } from '../../src/core/limits/budget/record.js';
import type { BucketBudget } from '../../src/core/limits/budget/setting.js';
import { BudgetRecordShare } from '../../src/fleet/budget-share.js';

const processes = 3;
const courier = { process: 'any', isShared: true, reportSoon: () => {}, reportNow: () => {} };

const budgets: fc.Arbitrary<BucketBudget> = fc.record({
  kind: fc.constant('bucket' as const),
  capacity: fc.integer({ min: 1, max: 30 }),
  perSuccess: fc.nat(300).map((count) => count / 1_000),
  perSecond: fc.constantFrom(0, 0.25, 1),
  cost: fc.constant({ transient: 1, throttled: 1, timeout: 2 }),
  refund: fc.constant('all' as const),
  charge: fc.constant('retry' as const),
  floor: fc.constant(0),
});

interface Step {
  readonly process: number;
  readonly what: 'retry' | 'succeeds' | 'fails' | 'moves' | 'reports';
  readonly afterMs: number;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    process: fc.nat(processes - 1),
    what: fc.constantFrom('retry', 'retry', 'succeeds', 'fails', 'moves', 'reports'),
    afterMs: fc.nat(200),
  }),
  { minLength: 20, maxLength: 400 },
);

/** A process, and the cost of its request under way. Its own bucket is always full: only its lease limits it. */
class Process {
  spent = 0;
  readonly share: BudgetRecordShare;
  private readonly budget: BucketBudget;

  constructor(budget: BucketBudget, share: (budget: BucketBudget) => BudgetRecordShare) {
    this.budget = budget;
    this.share = share(budget);
  }

  retry(now: number): void {
    const full = fullBudget(this.budget, now);
    if (!affords(this.budget, this.share.spendable(full, now), 'transient', now)) return;
    this.share.spent('transient');
    this.spent += costOf(this.budget, 'transient');
  }

  /** The last retry goes to another scope. */
  move(): void {
    if (this.spent === 0) return;
    this.share.moved('transient');
    this.spent -= costOf(this.budget, 'transient');
  }
}

/** Retries that do not help cost the fleet no more than its processes bring, earn and get as a trickle. */
function property(share: (budget: BucketBudget) => BudgetRecordShare) {
  return fc.property(budgets, steps, (budget, all) => {
    const fleet = Array.from({ length: processes }, () => new Process(budget, share));
    let record: BudgetRecord | undefined;
    let now = 0;
    let earned = 0;
    let useless = 0;
    const report = ({ share: own }: Process): void => {
      const merged = mergeBudget(record, own.report(), now);
      record = merged.record;
      own.told(merged.facts, { isOwn: true, sentAt: now, isLate: false });
      for (const other of fleet) {
        if (merged.news !== undefined && other.share !== own) {
          other.share.told(merged.news, { isOwn: false, sentAt: now, isLate: false });
        }
      }
    };
    for (const process of fleet) report(process);
    for (const { process: index, what, afterMs } of all) {
      const process = fleet[index] as Process;
      now += afterMs;
      if (what === 'reports') report(process);
      else if (what === 'retry') process.retry(now);
      else if (what === 'moves') process.move();
      else {
        const { spent } = process;
        process.spent = 0;
        if (what === 'fails') {
          process.share.failed('transient');
          useless += spent;
        } else {
          if (spent === 0) earned += budget.perSuccess;
          process.share.succeeded(spent === 0 ? undefined : 1_000 * spent);
        }
      }
      const trickle = (processes * budget.perSecond * now) / 1_000;
      expect(useless).toBeLessThanOrEqual(processes * budget.capacity + earned + trickle + 1e-6);
    }
  });
}

describe('a shared budget', () => {
  test('gives retries back that help, and nothing more', () => {
    fc.assert(property((budget) => new BudgetRecordShare('a', budget, courier)));
  });

  test('that gives them back twice is found out', () => {
    class Generous extends BudgetRecordShare {
      override succeeded(refund: number | undefined): void {
        super.succeeded(refund);
        if (refund !== undefined) super.succeeded(refund);
      }
    }
    const faulty = property((budget) => new Generous('a', budget, courier));
    expect(fc.check(faulty, { numRuns: 2_000, seed: 1, endOnFailure: true }).failed).toBe(true);
  });
});
