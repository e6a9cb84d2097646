/**
 * How many retries a whole scope may still cost: values with pure transitions. A transition that changes nothing
 * returns the state itself. A clock that stands still or jumps back neither adds nor removes anything.
 *
 * Tokens are counted in thousandths, so that deposits and costs are whole numbers, and ten tenths are exactly one. The
 * trickle fits in: tokens per second are thousandths per millisecond.
 */

import { timeoutCode } from '../../decide/failures/row.js';
import type { Finding, History } from '../../types.js';
import { bucket } from './bucket.js';
import type { AnyKind, FilledBudget } from './kind.js';
import { thousandths } from './kind.js';
import type { Cost } from './setting.js';
import type { BudgetState } from './state.js';

export function fullBudget(budget: FilledBudget, now: number): BudgetState {
  return kindOf(budget).full(budget, now);
}

/** Whether the time of a success matters. If not, `afterSuccess` ignores `now`. */
export function needsClock(budget: FilledBudget): boolean {
  return budget.kind === 'window';
}

/** Credits a request that succeeded. `refund`: as `refundOf` says, in place of the usual deposit. */
export function afterSuccess(
  budget: FilledBudget,
  state: BudgetState,
  refund: number | undefined,
  now: number,
): BudgetState {
  return kindOf(budget).credit(budget, state, refund, now);
}

/**
 * What a request gives back that succeeded after these attempts, in thousandths, never more than its retries took.
 * Undefined: nothing, because it had no retry, or because the budget does not work like that.
 */
export function refundOf(budget: FilledBudget, history: History): number | undefined {
  if (budget.kind === 'window' || budget.refund === false) return undefined;
  let refund: number | undefined;
  for (const { decision } of history) {
    if (decision.action !== 'retry' || decision.reason === 'fresh-credentials') continue;
    const cost = thousandths(decision.cost);
    refund = budget.refund === 'all' ? (refund ?? 0) + cost : cost;
  }
  return refund;
}

/** Charges a failed attempt, whether or not a retry follows. */
export function afterFailure(
  budget: FilledBudget,
  state: BudgetState,
  failure: keyof Cost,
  now: number,
): BudgetState {
  const kind = kindOf(budget);
  return kind.debit(budget, state, thousandths(kind.failureCost(budget, failure)), now);
}

/** The price of a failure. If only `retryIf` calls an outcome a failure, it counts as transient. */
export function priceOf(finding: Finding): keyof Cost {
  if (finding.class === 'throttled') return 'throttled';
  return isTimeout(finding) ? 'timeout' : 'transient';
}

/** Connect timeouts (`unsent`) do not count: a server that was not reached is not busy with the request. */
function isTimeout(finding: Finding): boolean {
  return (
    finding.kind === 'error' &&
    finding.evidence !== 'unsent' &&
    (timeoutCode.test(finding.code ?? '') || finding.name === 'TimeoutError')
  );
}

/** What a retry costs, in tokens. */
export function costOf(budget: FilledBudget, failure: keyof Cost): number {
  return kindOf(budget).retryCost(budget, failure);
}

/**
 * Whether the budget has enough for a retry after this failure. Where failures are charged, this one has been charged
 * already.
 */
export function affords(budget: FilledBudget, state: BudgetState, failure: keyof Cost, now: number): boolean {
  const kind = kindOf(budget);
  return kind.suffices(budget, kind.level(budget, state, now), failure);
}

export function afterRetry(
  budget: FilledBudget,
  state: BudgetState,
  failure: keyof Cost,
  now: number,
): BudgetState {
  return kindOf(budget).debit(budget, state, thousandths(costOf(budget, failure)), now);
}

/** The retry that was paid last goes to another scope, which pays for it in place of this one. */
export function afterMove(
  budget: FilledBudget,
  state: BudgetState,
  failure: keyof Cost,
  now: number,
): BudgetState {
  return kindOf(budget).debit(budget, state, -thousandths(costOf(budget, failure)), now);
}

/** The level in tokens, for people to read. */
export function tokensLeft(budget: FilledBudget, state: BudgetState, now: number): number {
  return Math.max(0, kindOf(budget).level(budget, state, now)) / 1_000;
}

function kindOf(budget: FilledBudget): AnyKind {
  return budget.kind === 'bucket' ? bucket : budget.operations;
}

// ---------------------------------------------------------------- a budget of which a process may spend only what it has leased from the fleet

/** The most that a process may have, in thousandths, and the tokens that are added every second. */
export function termsOf(budget: FilledBudget): { readonly capacity: number; readonly perSecond: number } {
  if (budget.kind === 'window') {
    return { capacity: thousandths(budget.reserve), perSecond: (budget.reserve * 1_000) / budget.windowMs };
  }
  return { capacity: thousandths(budget.capacity - budget.floor), perSecond: budget.perSecond };
}

/** The process's own state, but with at most `leased` thousandths to spend. */
export function leasedState(
  budget: FilledBudget,
  own: BudgetState,
  leased: number,
  now: number,
): BudgetState {
  if (budget.kind === 'bucket' && 'tokens' in own) {
    const tokens = thousandths(budget.floor) + leased;
    return tokens < bucket.level(budget, own, now) ? { tokens, at: now } : own;
  }
  if (budget.kind !== 'window' || !('slices' in own)) return own;
  const { operations } = budget;
  if (leased >= operations.level(budget, own, now)) return own;
  const { slices, slice } = operations.full(budget, now);
  return { slices: slices.with(-1, leased - thousandths(budget.reserve)), slice };
}

/** What a failure and a retry take, in thousandths. */
export function pricesOf(
  budget: FilledBudget,
  failure: 'transient' | 'throttled' | 'timeout',
): { readonly failure: number; readonly retry: number } {
  const isForFailures = budget.kind === 'bucket' && budget.charge === 'failure';
  const price = thousandths(budget.cost[failure]);
  return isForFailures ? { failure: price, retry: 0 } : { failure: 0, retry: price };
}
