/** Whether a scope can bear more requests than have been asked for: the server is up, and failures are few. */

import { affords, fullBudget, tokensLeft } from '../core/limits/budget/budget.js';
import type { Settings } from '../core/policy/settings.js';
import type { Scope } from './scope.js';

export function isAtEase(scope: Scope, settings: Settings, now: number): boolean {
  const { budget } = settings;
  if (!scope.isClear(settings, now)) return false;
  if (budget === false) return true;
  // In a fleet, a process has leased only a small part of the budget. If there is none of it left, the whole budget is spent.
  const left = tokensLeft(budget, scope.budgetOf(budget, now), now);
  const isHalfFull = left >= tokensLeft(budget, fullBudget(budget, now), now) / 2;
  return isHalfFull && affords(budget, scope.spendable(budget, now), 'transient', now);
}
