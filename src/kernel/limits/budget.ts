/** The budget of a scope: its setting and its state. In a fleet, another class tells the other processes of it. */

import {
  affords,
  afterFailure,
  afterMove,
  afterRetry,
  afterSuccess,
  fullBudget,
  needsClock,
  priceOf,
  tokensLeft,
} from '../../core/limits/budget/budget.js';
import type { FilledBudget } from '../../core/limits/budget/kind.js';
import type { Cost } from '../../core/limits/budget/setting.js';
import type { BudgetState } from '../../core/limits/budget/state.js';
import type { Finding } from '../../core/types.js';
import type { Ports } from '../ports.js';

export class ScopeBudget {
  readonly budget: FilledBudget;
  protected readonly ports: Ports;
  /** Undefined: nothing has been taken yet, so it is full. */
  private state: BudgetState | undefined = undefined;

  constructor(budget: FilledBudget, ports: Ports) {
    this.budget = budget;
    this.ports = ports;
  }

  // -------------------------------------------------------------- before a retry

  /** What a retry may spend. */
  spendable(now: number): BudgetState {
    return this.asOf(now);
  }

  affords(failure: keyof Cost, now: number): boolean {
    return affords(this.budget, this.spendable(now), failure, now);
  }

  spend(finding: Finding, now: number): void {
    const price = priceOf(finding);
    this.state = afterRetry(this.budget, this.asOf(now), price, now);
  }

  /** A retry that this budget has paid is sent to another scope, which pays in its place. */
  moved(finding: Finding, now: number): void {
    const price = priceOf(finding);
    this.state = afterMove(this.budget, this.asOf(now), price, now);
  }

  // -------------------------------------------------------------- after an attempt

  failed(finding: Finding, now: number): void {
    const price = priceOf(finding);
    this.state = afterFailure(this.budget, this.asOf(now), price, now);
  }

  /** A request has succeeded. `refund`: what it gives back, in place of the usual deposit. */
  succeeded(refund: number | undefined): void {
    const timed = needsClock(this.budget);
    if (!timed && this.state === undefined) return;
    const now = timed ? this.ports.now() : 0;
    this.state = afterSuccess(this.budget, this.asOf(now), refund, now);
  }

  // -------------------------------------------------------------- what it knows

  asOf(now: number): BudgetState {
    return this.state ?? fullBudget(this.budget, now);
  }

  /** Undefined: it has not been used yet. */
  snapshot(now: number): { readonly tokens: number } | undefined {
    if (this.state === undefined) return undefined;
    return { tokens: tokensLeft(this.budget, this.spendable(now), now) };
  }

  /** Clears what was learnt. */
  forget(): void {
    this.state = undefined;
  }

  leaveFleet(): void {}
}

/** Whether failures are few. In a fleet, a process that has nothing left of its lease has spent the whole budget. */
export function isHalfFull(limit: ScopeBudget, now: number): boolean {
  const { budget } = limit;
  const left = tokensLeft(budget, limit.asOf(now), now);
  return left >= tokensLeft(budget, fullBudget(budget, now), now) / 2 && limit.affords('transient', now);
}
