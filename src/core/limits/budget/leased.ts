/** A budget of which a process may spend only what it has leased from the fleet. */

import { bucket } from './bucket.js';
import { thousandths } from './kind.js';
import type { Budget } from './setting.js';
import type { BudgetState } from './state.js';
import { slidingWindow } from './window.js';

/** The most that a process may have, in thousandths, and the tokens that are added every second. */
export function termsOf(budget: Budget): { readonly capacity: number; readonly perSecond: number } {
  if (budget.kind === 'window') {
    return { capacity: thousandths(budget.reserve), perSecond: (budget.reserve * 1_000) / budget.windowMs };
  }
  return { capacity: thousandths(budget.capacity - budget.floor), perSecond: budget.perSecond };
}

/** The process's own state, but with at most `leased` thousandths to spend. */
export function leasedState(budget: Budget, own: BudgetState, leased: number, now: number): BudgetState {
  if (budget.kind === 'bucket' && 'tokens' in own) {
    const tokens = thousandths(budget.floor) + leased;
    return tokens < bucket.level(budget, own, now) ? { tokens, at: now } : own;
  }
  if (budget.kind !== 'window' || !('slices' in own)) return own;
  if (leased >= slidingWindow.level(budget, own, now)) return own;
  const { slices, slice } = slidingWindow.full(budget, now);
  return { slices: slices.with(-1, leased - thousandths(budget.reserve)), slice };
}

/** What a failure and a retry take, in thousandths. */
export function pricesOf(
  budget: Budget,
  failure: 'transient' | 'throttled' | 'timeout',
): { readonly failure: number; readonly retry: number } {
  const isForFailures = budget.kind === 'bucket' && budget.charge === 'failure';
  const price = thousandths(budget.cost[failure]);
  return isForFailures ? { failure: price, retry: 0 } : { failure: 0, retry: price };
}
