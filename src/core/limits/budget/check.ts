/** What the check of a policy knows of the budget: its form, and budgets that can never afford a retry, or never run out. */

import { found } from '../../found.js';
import {
  boolean,
  either,
  type JsonSchema,
  million,
  ms,
  object,
  oneOf,
  ref,
  someTokens,
  tokens,
} from '../../policy/check/json-schema.js';
import type { Contradiction, Findings, Level } from '../../policy/check/level.js';
import { writtenPath } from '../../policy/check/level.js';
import { day, type ForeignName, type PlausibleTimes, problem } from '../../policy/check/wording.js';
import type { SettingsOptions } from '../../policy/options.js';
import { affords, afterFailure, fullBudget } from './budget.js';
import type { FilledBudget } from './kind.js';
import type { Cost } from './setting.js';

export const budgetSchema: JsonSchema = /* @__PURE__ */ (() =>
  either({ const: false }, ref('bucket'), ref('window')))();

export const budgetDefinitions: Readonly<Record<string, JsonSchema>> = /* @__PURE__ */ (() => ({
  bucket: object({
    kind: { const: 'bucket' },
    capacity: someTokens,
    perSuccess: tokens,
    perSecond: { type: 'number', minimum: 0, maximum: million },
    cost: either(someTokens, ref('cost')),
    refund: either(boolean, { const: 'all' }),
    charge: oneOf('retry', 'failure'),
    floor: tokens,
  }),
  window: object(
    {
      kind: { const: 'window' },
      // The window has ten slices of at least a millisecond.
      windowMs: ms(10),
      reserve: tokens,
      perSuccess: tokens,
      cost: either(someTokens, ref('cost')),
    },
    ['kind'],
  ),
  cost: object({ transient: tokens, throttled: tokens, timeout: tokens }, ['transient', 'throttled']),
}))();

export const budgetTimes: PlausibleTimes = { 'budget.windowMs': [100, day] };

export const budgetElsewhere: readonly ForeignName[] = [
  ['budget', 'retryBudget retryThrottling shouldConsumeRetry'],
];

// ---------------------------------------------------------------- contradictions

export const budgetContradictions: readonly Contradiction[] = [
  { written: ['budget'], find: neverAffordable },
];

const failures = ['transient', 'throttled', 'timeout'] as const;

function neverAffordable({ own, settings: { budget } }: Level): Findings {
  if (budget === false) return false;
  if (failures.every((failure) => budget.cost[failure] === 0)) {
    const allowed = 'a cost above 0 for one of them, or budget: false';
    return problem('budget.cost', 'retries that cost nothing', allowed);
  }
  return [idleRefund(budget), unaffordable(budget, own.budget)];
}

function idleRefund(budget: FilledBudget): Findings {
  // Stryker disable next-line ConditionalExpression: a window has no `refund`; the kind is for the compiler.
  if (budget.kind === 'window' || !budget.refund || budget.charge === 'retry') return false;
  const allowed = 'false: with charge "failure", a retry costs nothing that could be refunded';
  return problem('budget.refund', found(budget.refund), allowed);
}

/** Not even when it is full: retries would silently be off. */
function unaffordable(budget: FilledBudget, own: SettingsOptions['budget']): Findings {
  // In a window, successes can pay for what the reserve cannot.
  if (budget.kind === 'window' && budget.perSuccess > 0) return false;
  // Stryker disable next-line ConditionalExpression: a window has no `floor`; the kind is for the compiler.
  if (budget.kind === 'bucket' && budget.floor >= budget.capacity) {
    const allowed = `less than capacity, which is ${budget.capacity}`;
    return problem('budget.floor', `a floor of ${budget.floor}`, allowed);
  }
  const path = writtenPath('budget', own, 'cost', 'capacity', 'floor', 'reserve');
  const costsApart = own && typeof own.cost === 'object' && own.cost;
  const problems = failures
    .filter((failure) => !costsApart || failure in costsApart)
    .filter((failure) => !paysOnce(budget, failure))
    .map((failure) =>
      problem(
        costsApart ? `${path}.${failure}` : path,
        `a cost of ${budget.cost[failure]}`,
        `at most what a full budget can spend (${purse(budget)})`,
      ),
    );
  // One number for all failures is one problem.
  return costsApart ? problems : problems[0];
}

function paysOnce(budget: FilledBudget, failure: keyof Cost): boolean {
  const full = fullBudget(budget, 0);
  return affords(budget, afterFailure(budget, full, failure, 0), failure, 0);
}

function purse(budget: FilledBudget): string {
  return budget.kind === 'bucket'
    ? `capacity ${budget.capacity}, floor ${budget.floor}`
    : `reserve ${budget.reserve}, perSuccess 0`;
}
