/** A sliding window: its reserve, plus the deposits in the window, minus the costs in it. */

import type { Kind, SlidingBudget } from './kind.js';
import { thousandths } from './kind.js';
import { costOf, type WindowBudget, type WindowOptions, windowDefaults } from './setting.js';
import type { WindowState } from './state.js';

/** As many slices as Finagle has. The window moves by a whole slice at a time. */
const sliceCount = 10;

export const slidingWindow: Kind<WindowBudget, WindowState> & { toJSON(): undefined } = {
  /** It stands beside the settings but is none: the names of records in a fleet say what is set. */
  toJSON: () => undefined,
  full: (budget, now) => ({ slices: emptySlices(sliceCount), slice: sliceAt(budget, now) }),

  level: (budget, state, now) =>
    slide(budget, state, now).slices.reduce((sum, balance) => sum + balance, thousandths(budget.reserve)),

  credit: (budget, state, _refund, now) => plus(budget, state, thousandths(budget.perSuccess), now),

  // Costs leave the window as deposits do, so that the reserve fills up again.
  debit: (budget, state, amount, now) => plus(budget, state, -amount, now),

  failureCost: () => 0,

  retryCost: ({ cost }, failure) => cost[failure],

  suffices: ({ cost }, level, failure) => level >= thousandths(cost[failure]),
};

export function fillWindow(options: WindowOptions): SlidingBudget {
  const cost = costOf(options.cost ?? windowDefaults.cost);
  return Object.freeze({ ...windowDefaults, ...options, cost, operations: slidingWindow });
}

function plus(budget: WindowBudget, state: WindowState, amount: number, now: number): WindowState {
  if (amount === 0) return state;
  const { slices, slice } = slide(budget, state, now);
  return { slices: slices.with(-1, (slices.at(-1) ?? 0) + amount), slice };
}

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
