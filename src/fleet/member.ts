/** A retrier as a member of a fleet: passes what its scopes report on to the share of the limit that it is about. */

import type { BudgetState } from '../core/limits/budget/state.js';
import type { Sign } from '../core/limits/gate/signs.js';
import type { Pass } from '../core/limits/gate/state.js';
import type { AnswerKind } from '../core/limits/hold/sample.js';
import type { Budget, Cost, Gate, Hold } from '../core/policy/limits.js';
import type { Policy } from '../core/policy/policy.js';
import type {
  FleetHome,
  FleetMember,
  FleetSnapshot,
  GateChange,
  ScopeShare,
  SharedScope,
} from '../runtime/fleet.js';
import { BudgetShare } from './budget-share.js';
import { GateShare } from './gate-share.js';
import { HoldShare } from './hold-share.js';
import type { LimitName } from './record-name.js';
import { recordName } from './record-name.js';
import type { RecordShare } from './share.js';
import type { Voice } from './voice.js';

export class Member implements FleetMember {
  private readonly home: FleetHome;
  private readonly voice: Voice;
  private readonly keyFor: (name: string) => string;
  private readonly look: () => FleetSnapshot;

  constructor(home: FleetHome, voice: Voice, keyFor: (name: string) => string, look: () => FleetSnapshot) {
    this.home = home;
    this.voice = voice;
    this.keyFor = keyFor;
    this.look = look;
  }

  shareOf(scope: SharedScope): ScopeShare {
    return new LiveShare(scope, this.home, this.voice, this.keyFor);
  }

  snapshot(): FleetSnapshot {
    return this.look();
  }
}

/** Null: these settings are not shared. */
type Shares<L, S> = Map<L, S | null>;

class LiveShare implements ScopeShare {
  private readonly scope: SharedScope;
  private readonly home: FleetHome;
  private readonly voice: Voice;
  private readonly keyFor: (name: string) => string;
  private readonly gates: Shares<Gate, GateShare> = new Map();
  private readonly holds: Shares<Hold, HoldShare> = new Map();
  private readonly budgets: Shares<Budget, BudgetShare> = new Map();
  /** The retrier has forgotten the scope; requests under way may still use it. */
  private isClosed = false;

  constructor(scope: SharedScope, home: FleetHome, voice: Voice, keyFor: (name: string) => string) {
    this.scope = scope;
    this.home = home;
    this.voice = voice;
    this.keyFor = keyFor;
  }

  alive(gate: Gate): void {
    this.gateShare(gate)?.alive();
  }

  signed(gate: Gate, sign: Sign, pass: Pass, change: GateChange, now: number): void {
    this.gateShare(gate)?.signed(sign, pass, change, now);
  }

  waits(gate: Gate, attemptTimeoutMs: number | undefined, now: number): void {
    this.gateShare(gate)?.waits(attemptTimeoutMs, now);
  }

  isHearing(hold: Hold): boolean {
    return this.holdShare(hold)?.isHearing === true;
  }

  answered(hold: Hold, isCounted: boolean, kind: AnswerKind): void {
    this.holdShare(hold)?.answered(isCounted, kind);
  }

  sent(hold: Hold): void {
    this.holdShare(hold)?.sent();
  }

  held(hold: Hold, now: number): void {
    this.holdShare(hold)?.held(now);
  }

  queues(hold: Hold, more: 1 | -1, withinMs: number): void {
    this.holdShare(hold)?.queues(more, withinMs);
  }

  left(hold: Hold): void {
    this.holdShare(hold)?.left();
  }

  succeeded(budget: Budget, refund: number | undefined): void {
    this.budgetShare(budget)?.succeeded(refund);
  }

  failed(budget: Budget, failure: keyof Cost): void {
    this.budgetShare(budget)?.failed(failure);
  }

  spent(budget: Budget, failure: keyof Cost): void {
    this.budgetShare(budget)?.spent(failure);
  }

  spendable(budget: Budget, own: BudgetState, now: number): BudgetState {
    return this.budgetShare(budget)?.spendable(own, now) ?? own;
  }

  close(): void {
    this.isClosed = true;
    for (const shares of [this.gates, this.holds, this.budgets]) {
      for (const share of shares.values()) if (share !== null) this.voice.forget(share);
      shares.clear();
    }
  }

  private gateShare(gate: Gate): GateShare | null {
    return (
      this.gates.get(gate) ??
      this.found(this.gates, gate, 'gate', (key) => {
        return new GateShare(key, gate, this.scope, this.voice, this.home.ports.random);
      })
    );
  }

  private holdShare(hold: Hold): HoldShare | null {
    return (
      this.holds.get(hold) ??
      this.found(this.holds, hold, 'hold', (key) => {
        return new HoldShare(key, hold, this.scope, this.voice, longestWindowMs(this.home.policy, hold));
      })
    );
  }

  private budgetShare(budget: Budget): BudgetShare | null {
    return (
      this.budgets.get(budget) ??
      this.found(this.budgets, budget, 'budget', (key) => {
        return new BudgetShare(key, budget, this.voice);
      })
    );
  }

  private found<L extends object, S extends RecordShare>(
    shares: Shares<L, S>,
    settings: L,
    limit: LimitName,
    make: (key: string) => S,
  ): S | null {
    if (this.isClosed || shares.has(settings)) return null;
    const name = recordName(this.home.policy, limit, settings, this.scope.name);
    const share = name === undefined ? null : make(this.keyFor(name));
    shares.set(settings, share);
    if (share !== null) this.voice.add(share);
    return share;
  }
}

/** Rules that share a hold may differ in this setting. */
function longestWindowMs({ fallback, rules }: Policy, hold: Hold): number {
  const ownRules = [fallback, ...rules].filter(({ settings }) => settings.hold === hold);
  return Math.max(...ownRules.map(({ settings }) => settings.maxHintMs));
}
