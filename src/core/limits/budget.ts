/**
 * How many retries a whole scope may still cost, as values with pure transitions. What changes nothing
 * returns the state itself. A clock that stands still or jumps back neither adds nor removes anything.
 *
 * Tokens are counted in thousandths: deposits and costs become whole numbers, so that ten tenths are
 * exactly one. The trickle fits in: so many tokens a second are as many thousandths a millisecond.
 */

import { timeoutCodes } from '../decide/failures/known.js';
import type { BucketBudget, Budget, Cost, WindowBudget } from '../policy/limits.js';
import type { Finding } from '../types.js';

/** Tokens in thousandths, so that tenths add up exactly. */
export interface BucketState {
  readonly tokens: number;
  /** Monotonic time up to which the trickle is in `tokens`. */
  readonly at: number;
}

/** Ten slices of a sliding window, the newest last; each its deposits less its spendings, in thousandths. */
export interface WindowState {
  readonly slices: readonly number[];
  /** Number of the newest slice since time 0. */
  readonly slice: number;
}

export type BudgetState = BucketState | WindowState;

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
  // Stryker disable next-line ConditionalExpression: a window has no `refund`; the kind is for the compiler.
  const refund = budget.kind === 'bucket' && budget.refund ? lastCost : undefined;
  return kindOf(budget).credit(budget, state, thousandths(refund ?? budget.perSuccess), now);
}

/** An attempt failed, whether or not a retry follows. */
export function afterFailure(
  budget: Budget,
  state: BudgetState,
  failure: keyof Cost,
  now: number,
): BudgetState {
  if (!chargesFailures(budget)) return state;
  return kindOf(budget).debit(budget, state, thousandths(budget.cost[failure]), now);
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
  return chargesFailures(budget) ? 0 : budget.cost[failure];
}

/** May a retry answer this failure, which was charged before where failures are? */
export function affords(budget: Budget, state: BudgetState, failure: keyof Cost, now: number): boolean {
  const level = kindOf(budget).level(budget, state, now);
  const floor = thousandths(budget.kind === 'bucket' ? budget.floor : 0);
  // gRPC A6: with exactly the threshold left, there is no retry.
  if (chargesFailures(budget)) return level > floor;
  return level - thousandths(budget.cost[failure]) >= floor;
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

function chargesFailures(budget: Budget): boolean {
  // Stryker disable next-line ConditionalExpression: a window has no `charge`; the kind is for the compiler.
  return budget.kind === 'bucket' && budget.charge === 'failure';
}

function thousandths(tokens: number): number {
  return Math.round(tokens * 1_000);
}

/** What buckets and windows do in their own way; amounts and levels are in thousandths. */
interface Kind<B, S> {
  full(budget: B, now: number): S;
  level(budget: B, state: S, now: number): number;
  credit(budget: B, state: S, amount: number, now: number): S;
  debit(budget: B, state: S, amount: number, now: number): S;
}

/** A state is only ever used with the budget that it was made for, so that its kind is the budget's. */
function kindOf(budget: Budget): Kind<Budget, BudgetState> {
  return budget.kind === 'bucket' ? bucket : slidingWindow;
}

// ---------------------------------------------------------------- bucket

const bucket: Kind<BucketBudget, BucketState> = {
  full: ({ capacity }, now) => ({ tokens: thousandths(capacity), at: now }),

  level: ({ capacity, perSecond }, { tokens, at }, now) =>
    Math.min(thousandths(capacity), tokens + perSecond * Math.max(0, now - at)),

  // No clock: the trickle since `at` may be added later, since for a, b >= 0 in either order
  // min(c, min(c, t + a) + b) = min(c, t + a + b).
  credit(budget, state, amount) {
    const tokens = Math.min(thousandths(budget.capacity), state.tokens + amount);
    return tokens === state.tokens ? state : { tokens, at: state.at };
  },

  // The trickle comes first: what overflowed before the spending is lost, and so is debt below 0.
  debit(budget, state, amount, now) {
    if (amount === 0) return state;
    const tokens = Math.max(0, bucket.level(budget, state, now) - amount);
    return { tokens, at: Math.max(state.at, now) };
  },
};

// ---------------------------------------------------------------- window

/** As many as Finagle has; the window moves by a whole slice at a time. */
const sliceCount = 10;

const slidingWindow: Kind<WindowBudget, WindowState> = {
  full: (budget, now) => ({ slices: emptySlices(sliceCount), slice: sliceAt(budget, now) }),

  level: (budget, state, now) =>
    slide(budget, state, now).slices.reduce((sum, balance) => sum + balance, thousandths(budget.reserve)),

  credit(budget, state, amount, now) {
    if (amount === 0) return state;
    const { slices, slice } = slide(budget, state, now);
    return { slices: slices.with(-1, (slices.at(-1) ?? 0) + amount), slice };
  },

  // Spendings leave the window like deposits: what the reserve lent comes back.
  debit: (budget, state, amount, now) => slidingWindow.credit(budget, state, -amount, now),
};

function slide(budget: WindowBudget, state: WindowState, now: number): WindowState {
  const slice = sliceAt(budget, now);
  const passed = slice - state.slice;
  // Stryker disable next-line EqualityOperator: moving by 0 slices would only make an equal copy.
  if (passed <= 0) return state;
  const kept = state.slices.slice(passed);
  return { slices: [...kept, ...emptySlices(sliceCount - kept.length)], slice };
}

function sliceAt({ windowMs }: WindowBudget, now: number): number {
  return Math.floor((now * sliceCount) / windowMs);
}

function emptySlices(count: number): number[] {
  return new Array<number>(count).fill(0);
}
