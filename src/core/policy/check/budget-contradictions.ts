/** Budgets that can never afford a retry, or never run out. */

import type { Problem } from '../../errors.js';
import { found } from '../../found.js';
import { affords, afterFailure, fullBudget } from '../../limits/budget/budget.js';
import type { BucketBudget, Budget, Cost } from '../../limits/budget/setting.js';
import type { SettingsOptions } from '../options.js';
import type { Level } from './level.js';
import { writtenPath } from './level.js';

const failures = ['transient', 'throttled', 'timeout'] as const;

export function budgetContradictions({ own, settings: { budget } }: Level): readonly Problem[] {
  if (budget === false) return [];
  if (failures.every((failure) => budget.cost[failure] === 0)) {
    const allowed = 'a cost above 0 for one of them, or budget: false';
    return [{ path: 'budget.cost', found: 'retries that cost nothing', allowed }];
  }
  // Stryker disable next-line ConditionalExpression: a window has no `refund`; the kind is for the compiler.
  return budget.kind === 'bucket'
    ? [...inBucket(budget), ...unaffordable(budget, own.budget)]
    : unaffordable(budget, own.budget);
}

function inBucket({ refund, charge }: BucketBudget): readonly Problem[] {
  if (!refund || charge === 'retry') return [];
  const allowed = 'false: with charge "failure", a retry costs nothing that could be refunded';
  return [{ path: 'budget.refund', found: found(refund), allowed }];
}

/** Not even when it is full: retries would silently be off. */
function unaffordable(budget: Budget, own: SettingsOptions['budget']): readonly Problem[] {
  // In a window, successes can pay for what the reserve cannot.
  if (budget.kind === 'window' && budget.perSuccess > 0) return [];
  // Stryker disable next-line ConditionalExpression: a window has no `floor`; the kind is for the compiler.
  if (budget.kind === 'bucket' && budget.floor >= budget.capacity) {
    const allowed = `less than capacity, which is ${budget.capacity}`;
    return [{ path: 'budget.floor', found: `a floor of ${budget.floor}`, allowed }];
  }
  const path = writtenPath('budget', own, 'cost', 'capacity', 'floor', 'reserve');
  const costsApart = own && typeof own.cost === 'object' && own.cost;
  const problems = failures
    .filter((failure) => !costsApart || failure in costsApart)
    .filter((failure) => !paysOnce(budget, failure))
    .map((failure) => ({
      path: costsApart ? `${path}.${failure}` : path,
      found: `a cost of ${budget.cost[failure]}`,
      allowed: `at most what a full budget can spend (${purse(budget)})`,
    }));
  // One number for all failures is one problem.
  return costsApart ? problems : problems.slice(0, 1);
}

function paysOnce(budget: Budget, failure: keyof Cost): boolean {
  const full = fullBudget(budget, 0);
  return affords(budget, afterFailure(budget, full, failure, 0), failure, 0);
}

function purse(budget: Budget): string {
  return budget.kind === 'bucket'
    ? `capacity ${budget.capacity}, floor ${budget.floor}`
    : `reserve ${budget.reserve}, perSuccess 0`;
}
