/** A shared budget as one process knows it: it leases tokens in batches and spends them without asking. */

import { leasedState, priceOf, pricesOf, termsOf } from '../core/limits/budget/budget.js';
import type { FilledBudget } from '../core/limits/budget/kind.js';
import type { BudgetReport } from '../core/limits/budget/record.js';
import type { Cost } from '../core/limits/budget/setting.js';
import type { BudgetState } from '../core/limits/budget/state.js';
import type { Facts } from '../core/limits/fleet/messages.js';
import type { Finding } from '../core/types.js';
import type { BudgetShare, FleetScope } from '../kernel/fleet.js';
import { ScopeBudget } from '../kernel/limits/budget.js';
import { FleetLink } from '../kernel/limits/fleet-link.js';
import type { Ports } from '../kernel/ports.js';
import type { Courier, Receipt, RecordShare } from './share.js';

/** Tokens that a process keeps at hand while it is busy, and while it is idle, in thousandths. */
const batch = 10_000;
const reserve = 2_000;

export class BudgetRecordShare implements BudgetShare, RecordShare {
  readonly key: string;
  isMarked = false;
  private readonly budget: FilledBudget;
  private readonly courier: Courier;
  private readonly capacity: number;
  private readonly perSecond: number;
  private slice = 0;
  /** Before the first facts arrive, the process spends its own budget. */
  private isTold = false;
  private isBarren = false;
  private leased = 0;
  // -- since the last report
  /** Those that add the usual deposit. */
  private successes = 0;
  private hasSucceeded = false;
  private hasFailed = false;
  private spentLately = 0;
  /** What retries that helped have given back, and this process does not need at hand. */
  private refunded = 0;
  private back = 0;
  // -- between the last two reports
  private spentBefore = 0;

  constructor(key: string, budget: FilledBudget, courier: Courier) {
    this.key = key;
    this.budget = budget;
    this.courier = courier;
    const { capacity, perSecond } = termsOf(budget);
    this.capacity = capacity;
    this.perSecond = perSecond;
  }

  // -------------------------------------------------------------- what happens here

  /** On the path of every request. */
  succeeded(refund: number | undefined): void {
    if (refund === undefined) this.successes += 1;
    else this.giveBack(refund);
    this.hasSucceeded = true;
    this.hasFailed = false;
    if (!this.isMarked) this.courier.reportSoon(this);
  }

  /** At hand again at once, up to what this process would ask for anyway. Alone, it has spent its own budget. */
  private giveBack(refund: number): void {
    if (!this.isTold || !this.courier.isShared) return;
    const kept = Math.min(refund, Math.max(0, this.target() - this.leased));
    this.leased += kept;
    this.refunded += refund - kept;
  }

  failed(failure: keyof Cost): void {
    this.hasFailed = true;
    this.take(pricesOf(this.budget, failure).failure);
  }

  spent(failure: keyof Cost): void {
    this.take(pricesOf(this.budget, failure).retry);
  }

  moved(failure: keyof Cost): void {
    this.giveBack(pricesOf(this.budget, failure).retry);
    this.courier.reportSoon(this);
  }

  private take(price: number): void {
    this.leased = Math.max(0, this.leased - price);
    this.spentLately += price;
    this.courier.reportSoon(this);
  }

  /** While the store is silent, the process spends its own budget. */
  spendable(own: BudgetState, now: number): BudgetState {
    if (!this.isTold || !this.courier.isShared) return own;
    return leasedState(this.budget, own, this.leased, now);
  }

  // -------------------------------------------------------------- what is told

  report(): BudgetReport {
    const { successes, hasSucceeded, hasFailed, refunded, back } = this;
    const report: BudgetReport = {
      limit: 'budget',
      slice: this.slice,
      capacity: this.capacity,
      perSecond: this.perSecond,
      earned: Math.round(successes * this.budget.perSuccess * 1_000) + refunded,
      back,
      succeeded: hasSucceeded,
      failed: hasFailed,
      want: back > 0 ? 0 : Math.max(0, this.target() - this.leased),
    };
    this.successes = 0;
    this.hasSucceeded = false;
    this.hasFailed = false;
    this.spentBefore = this.spentLately;
    this.spentLately = 0;
    this.refunded = 0;
    this.back = 0;
    return report;
  }

  /** Twice what was spent lately. If nothing succeeds anywhere, only a process that has just failed gets tokens. */
  private target(): number {
    if (this.isBarren && !this.hasFailed) return 0;
    return Math.min(this.capacity, Math.max(batch, 2 * Math.max(this.spentLately, this.spentBefore)));
  }

  told(facts: Facts, { isOwn, isLate }: Receipt): void {
    if (facts.limit !== 'budget') return;
    if (isOwn) this.slice = facts.slice;
    // These tokens were leased while requests succeeded; now all processes together have too many of them.
    if (facts.isBarren && !this.isBarren) this.leased = 0;
    this.isBarren = facts.isBarren;
    this.isTold = true;
    if (isOwn && !isLate) this.leased = Math.min(this.capacity, this.leased + facts.granted);
  }

  alone(): void {
    // The process spends its own budget, which it has updated all the time.
  }

  rest(kept: number = reserve): void {
    const surplus = this.leased - kept;
    if (surplus <= 0) return;
    this.leased = kept;
    this.back += surplus;
    this.courier.reportSoon(this);
  }
}

// ---------------------------------------------------------------- the budget of a scope that other processes have as well

/** They hear what is spent, and lease to this process what it may spend. */
export class SharedBudget extends ScopeBudget {
  private readonly link: FleetLink<BudgetShare>;

  constructor(budget: FilledBudget, ports: Ports, fleet: FleetScope) {
    super(budget, ports);
    this.link = new FleetLink(fleet, (joined) => joined.budget(budget));
  }

  /** No more than this process has leased. */
  override spendable(now: number): BudgetState {
    const own = super.spendable(now);
    return this.link.share?.spendable(own, now) ?? own;
  }

  override spend(finding: Finding, now: number): void {
    this.link.share?.spent(priceOf(finding));
    super.spend(finding, now);
  }

  override moved(finding: Finding, now: number): void {
    this.link.share?.moved(priceOf(finding));
    super.moved(finding, now);
  }

  override failed(finding: Finding, now: number): void {
    this.link.share?.failed(priceOf(finding));
    super.failed(finding, now);
  }

  override succeeded(refund: number | undefined): void {
    this.link.share?.succeeded(refund);
    super.succeeded(refund);
  }

  override leaveFleet(): void {
    this.link.leave();
  }
}
