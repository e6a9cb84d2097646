/**
 * How many retries a whole scope may still cost, as values with pure transitions. What changes nothing
 * returns the state itself. A clock that stands still or jumps back neither adds nor removes anything.
 *
 * Tokens are counted in thousandths: deposits and costs become whole numbers, so that ten tenths are
 * exactly one. The trickle fits in: so many tokens a second are as many thousandths a millisecond.
 */

import { timeoutCodes } from '../../decide/failures/known.js';
import type { Budget, Cost } from '../../policy/limits.js';
import type { Finding } from '../../types.js';
import { bucket } from './bucket.js';
import type { Kind } from './kind.js';
import { thousandths } from './kind.js';
import type { BudgetState } from './state.js';
import { slidingWindow } from './window.js';

export function fullBudget(budget: Budget, now: number): BudgetState {
  return kindOf(budget).full(budget, now);
}

/** Whether a success happens at a time; where not, `afterSuccess` does not look at `now`. */
export function needsClock(budget: Budget): boolean {
  return budget.kind === 'window';
}

/** A request succeeded; `lastCost` is what its last retry cost, undefined if it needed none. */
export function afterSuccess(
  budget: Budget,
  state: BudgetState,
  lastCost: number | undefined,
  now: number,
): BudgetState {
  return kindOf(budget).credit(budget, state, lastCost, now);
}

/** An attempt failed, whether or not a retry follows. */
export function afterFailure(
  budget: Budget,
  state: BudgetState,
  failure: keyof Cost,
  now: number,
): BudgetState {
  const kind = kindOf(budget);
  return kind.debit(budget, state, thousandths(kind.failureCost(budget, failure)), now);
}

/** Which price a failure has; what `retryIf` alone calls one counts as transient. */
export function priceOf(finding: Finding): keyof Cost {
  if (finding.class === 'throttled') return 'throttled';
  return isTimeout(finding) ? 'timeout' : 'transient';
}

/** A server that could not be reached in time has nothing to do with the request. */
function isTimeout(finding: Finding): boolean {
  return (
    finding.kind === 'error' &&
    finding.evidence !== 'unsent' &&
    (timeoutCodes.has(finding.code ?? '') || finding.name === 'TimeoutError')
  );
}

/** What a retry takes, in tokens. */
export function costOf(budget: Budget, failure: keyof Cost): number {
  return kindOf(budget).retryCost(budget, failure);
}

/** May a retry answer this failure, which was charged before where failures are? */
export function affords(budget: Budget, state: BudgetState, failure: keyof Cost, now: number): boolean {
  const kind = kindOf(budget);
  return kind.suffices(budget, kind.level(budget, state, now), failure);
}

export function afterRetry(
  budget: Budget,
  state: BudgetState,
  failure: keyof Cost,
  now: number,
): BudgetState {
  return kindOf(budget).debit(budget, state, thousandths(costOf(budget, failure)), now);
}

/** For people to look at. */
export function tokensLeft(budget: Budget, state: BudgetState, now: number): number {
  return Math.max(0, kindOf(budget).level(budget, state, now)) / 1_000;
}

/** A state is only ever used with the budget that it was made for, so that its kind is the budget's. */
function kindOf(budget: Budget): Kind<Budget, BudgetState> {
  return budget.kind === 'bucket' ? bucket : slidingWindow;
}
