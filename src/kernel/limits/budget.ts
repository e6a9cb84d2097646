/** The budget of a scope: its setting, its state, and its link to the fleet. */

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
import type { Budget, Cost } from '../../core/limits/budget/setting.js';
import type { BudgetState } from '../../core/limits/budget/state.js';
import type { Finding } from '../../core/types.js';
import type { BudgetShare, FleetScope } from '../fleet.js';
import type { Ports } from '../ports.js';
import { FleetLink } from './fleet-link.js';

export class ScopeBudget {
  readonly budget: Budget;
  private readonly ports: Ports;
  /** Undefined: nothing has been taken yet, so it is full. */
  private state: BudgetState | undefined = undefined;
  private readonly link: FleetLink<BudgetShare>;

  constructor(budget: Budget, ports: Ports, fleet: FleetScope | undefined) {
    this.budget = budget;
    this.ports = ports;
    this.link = new FleetLink(fleet, (joined) => joined.budget(budget));
  }

  // -------------------------------------------------------------- before a retry

  /** What a retry may spend: in a fleet, no more than this process has leased. */
  spendable(now: number): BudgetState {
    const own = this.asOf(now);
    return this.link.share?.spendable(own, now) ?? own;
  }

  affords(failure: keyof Cost, now: number): boolean {
    return affords(this.budget, this.spendable(now), failure, now);
  }

  /** Whether failures are few. In a fleet, a process that has nothing left of its lease has spent the whole budget. */
  hasSpareCapacity(now: number): boolean {
    const { budget } = this;
    const isHalfFull =
      tokensLeft(budget, this.asOf(now), now) >= tokensLeft(budget, fullBudget(budget, now), now) / 2;
    return isHalfFull && this.affords('transient', now);
  }

  spend(finding: Finding, now: number): void {
    const price = priceOf(finding);
    this.link.share?.spent(price);
    this.state = afterRetry(this.budget, this.asOf(now), price, now);
  }

  /** A retry that this budget has paid is sent to another scope, which pays in its place. */
  moved(finding: Finding, now: number): void {
    const price = priceOf(finding);
    this.link.share?.moved(price);
    this.state = afterMove(this.budget, this.asOf(now), price, now);
  }

  // -------------------------------------------------------------- after an attempt

  failed(finding: Finding, now: number): void {
    const price = priceOf(finding);
    this.link.share?.failed(price);
    this.state = afterFailure(this.budget, this.asOf(now), price, now);
  }

  /** A request has succeeded. `refund`: what it gives back, in place of the usual deposit. */
  succeeded(refund: number | undefined): void {
    this.link.share?.succeeded(refund);
    const timed = needsClock(this.budget);
    if (!timed && this.state === undefined) return;
    const now = timed ? this.ports.now() : 0;
    this.state = afterSuccess(this.budget, this.asOf(now), refund, now);
  }

  // -------------------------------------------------------------- what it knows

  private asOf(now: number): BudgetState {
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

  leaveFleet(): void {
    this.link.leave();
  }
}
