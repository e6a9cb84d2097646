/** The shared state of one scope, and every change that a request makes to it. */

import {
  afterFailure,
  afterRetry,
  afterSuccess,
  fullBudget,
  needsClock,
  priceOf,
  tokensLeft,
} from '../core/limits/budget/budget.js';
import type { BudgetState } from '../core/limits/budget/state.js';
import type { Sign } from '../core/limits/gate/signs.js';
import type { GateState } from '../core/limits/gate/state.js';
import type { Sample } from '../core/limits/hold/sample.js';
import type { HoldState } from '../core/limits/hold/state.js';
import type { Budget, Gate, Hold } from '../core/policy/limits.js';
import type { Rule } from '../core/policy/policy.js';
import type { Settings } from '../core/policy/settings.js';
import type { Admission, Finding, RefusalReason, RequestFacts } from '../core/types.js';
import type { FleetMember, ScopeShare, SharedScope } from './fleet.js';
import type { Ports } from './ports.js';
import type { SessionScope } from './session.js';
import type { LearntSnapshot, Tails } from './tails.js';
import type { Turn } from './turn.js';

/** A scope as `snapshot()` shows it: plain data. */
export interface ScopeSnapshot {
  readonly name: string;
  /** One entry for each budget, gate and hold that the rules of this scope have used. */
  readonly budgets: readonly { readonly tokens: number }[];
  readonly gates: readonly { readonly state: GateState['kind'] }[];
  readonly holds: readonly { readonly forMs: number }[];
  /** Requests that are waiting for the gate. */
  readonly waiting: number;
  /** Attempts that were not sent, and (with `enforce: false`) attempts that would not have been. */
  readonly refused: Readonly<Record<RefusalReason, number>>;
  /** Present if something is learnt from the answers: one entry for each rule with a hedge or an adaptive timeout. */
  readonly learnt?: readonly LearntSnapshot[];
}

/** The session, as far as it tells a gate whose request it is. */
export interface Asking {
  readonly request: RequestFacts;
  readonly rule: Pick<Rule, 'name'>;
  readonly settings: Settings;
}

/** A scope without gates and holds, for bundles without the two (docs/runtimes.md). Any other is a `GuardedScope`. */
export abstract class Scope implements SessionScope, SharedScope {
  readonly name: string;
  /** Since the last sweep of idle scopes: 0 is none, 1 the request that made the scope, 2 others. */
  uses: 0 | 1 | 2 = 1;
  /** When a sweep last found it used. */
  usedAt: number;
  readonly ports: Ports;
  /** Made by the first request that learns something. */
  tails: Tails | undefined = undefined;
  /** The link to the fleet, if other processes share this scope. */
  protected readonly share: ScopeShare | undefined;
  // State is kept per settings object: rules that inherit a budget share its state, a rule with a budget of its own has
  // its own.
  private readonly budgets: Map<Budget, BudgetState> = new Map();

  constructor(name: string, ports: Ports, fleet?: FleetMember) {
    this.name = name;
    this.ports = ports;
    this.usedAt = ports.now();
    this.share = fleet?.shareOf(this);
  }

  // -------------------------------------------------------------- gate and hold: called only if settings have one

  /**
   * Asks for admission. An admission may take something: a probe, a place in the ramp, or a place in the queue of the
   * hold.
   */
  abstract admit(asking: Asking, turn: Turn, deadlineAt: number, isRetry: boolean): Admission;
  /** Tells the gate what the end of an attempt says about the server's health. */
  abstract sign(asking: Asking, turn: Turn, isFirst: boolean, sign: Sign, finding?: Finding): void;
  abstract askedOf(settings: Settings): HoldState['asked'];
  abstract failureOf(settings: Settings): Finding | undefined;
  abstract gateOf(gate: Gate): GateState;
  abstract keepGate(gate: Gate, state: GateState): void;
  abstract holdOf(hold: Hold): HoldState;
  abstract keepHold(hold: Hold, state: HoldState): void;
  abstract sampleOf(hold: Hold): Sample;
  abstract keepSample(hold: Hold, sample: Sample): void;
  abstract judge(hold: Hold, now: number): void;

  // -------------------------------------------------------------- before an attempt

  /** The request stops waiting here; the requests behind it move up. */
  leave(_settings: Settings, _turn: Turn): void {
    // Without a gate and a hold, it waits for nothing.
  }

  /** How long a retry would have to queue. */
  queueMs(_settings: Settings, _now: number): number {
    return 0;
  }

  /** Whether the gate would turn away requests with these settings now. */
  refuses(_settings: Settings, _now: number): boolean {
    return false;
  }

  /** Whether neither the gate nor the hold is in the way. */
  isClear(_settings: Settings, _now: number): boolean {
    return true;
  }

  // -------------------------------------------------------------- after an attempt

  /** Records an attempt that did not succeed. It may cost the budget something. */
  learn(
    { budget }: Settings,
    finding: Finding,
    _isFirst: boolean,
    verdict: boolean | undefined,
    now: number,
    _sentAt: number,
  ): void {
    if (budget === false || !hasFailed(finding, verdict)) return;
    this.share?.failed(budget, priceOf(finding));
    this.keep(budget, afterFailure(budget, this.budgetOf(budget, now), priceOf(finding), now));
  }

  /** A request succeeded. `refund`: what it gives back to the budget, in place of the usual deposit. */
  succeed({ budget }: Settings, _isFirst: boolean, refund: number | undefined, _sentAt: number): void {
    if (budget === false) return;
    this.share?.succeeded(budget, refund);
    const timed = needsClock(budget);
    // A bucket without a state is full: nothing has been taken from it yet.
    if (!timed && !this.budgets.has(budget)) return;
    const now = timed ? this.ports.now() : 0;
    this.keep(budget, afterSuccess(budget, this.budgetOf(budget, now), refund, now));
  }

  spend(budget: Budget, finding: Finding, now: number): void {
    this.share?.spent(budget, priceOf(finding));
    this.keep(budget, afterRetry(budget, this.budgetOf(budget, now), priceOf(finding), now));
  }

  // -------------------------------------------------------------- what it knows

  budgetOf(budget: Budget, now: number): BudgetState {
    return this.budgets.get(budget) ?? fullBudget(budget, now);
  }

  /** What a retry may spend: in a fleet, no more than this process has leased. */
  spendable(budget: Budget, now: number): BudgetState {
    const own = this.budgetOf(budget, now);
    return this.share === undefined ? own : this.share.spendable(budget, own, now);
  }

  snapshot(now: number): ScopeSnapshot {
    const learnt = this.tails?.snapshot(now) ?? [];
    return {
      name: this.name,
      budgets: [...this.budgets.keys()].map((budget) => ({
        tokens: tokensLeft(budget, this.spendable(budget, now), now),
      })),
      gates: [],
      holds: [],
      waiting: 0,
      refused: noneRefused,
      ...(learnt.length > 0 && { learnt }),
    };
  }

  /** Clears what was learnt. */
  forget(): void {
    this.budgets.clear();
    this.tails?.forget();
  }

  private keep(budget: Budget, state: BudgetState): void {
    if (this.budgets.get(budget) !== state) this.budgets.set(budget, state);
  }

  /** The retrier has forgotten this scope: other processes hear nothing more about it. */
  close(): void {
    this.share?.close();
  }
}

export const noneRefused: ScopeSnapshot['refused'] = { 'gate-shut': 0, 'gate-full': 0, held: 0 };

/** If `retryIf` says that an outcome is worth a retry, the attempt counts as failed, whatever its status. */
export function hasFailed(finding: Finding, verdict: boolean | undefined): boolean {
  return finding.class !== 'final' || verdict === true;
}
