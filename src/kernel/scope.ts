/** What the requests of one scope share: its limits, and what is learnt from its answers. */

import type { Settings } from '../core/policy/settings.js';
import type { RefusalReason } from '../core/types.js';
import type { FleetMember, FleetScope } from './fleet.js';
import { ScopeBudget } from './limits/budget.js';
import { ScopeGate } from './limits/gate.js';
import { ScopeHold } from './limits/hold.js';
import { Limits, type Shared, type Siblings } from './limits/limits.js';
import type { Ports } from './ports.js';
import type { SessionScope } from './session.js';
import type { LearntSnapshot, Tails } from './tails.js';

/** A scope as `snapshot()` shows it: plain data. */
export interface ScopeSnapshot {
  readonly name: string;
  /** One entry for each budget, gate and hold that the rules of this scope have used. */
  readonly budgets: readonly { readonly tokens: number }[];
  readonly gates: readonly { readonly state: 'open' | 'shut' | 'ramping' }[];
  readonly holds: readonly { readonly forMs: number }[];
  /** Requests that are waiting for the gate. */
  readonly waiting: number;
  /** Attempts that were not sent, and (with `enforce: false`) attempts that would not have been. */
  readonly refused: Readonly<Record<RefusalReason, number>>;
  /** Present if something is learnt from the answers: one entry for each rule with a hedge or an adaptive timeout. */
  readonly learnt?: readonly LearntSnapshot[];
}

type NewLimit<Setting, Limit> = new (setting: Setting, ports: Ports, fleet: FleetScope | undefined) => Limit;

/** A bundle may be made without gate and hold (docs/runtimes.md): then no settings ask for either. */
const NewGate: typeof ScopeGate | undefined =
  typeof __UNDAUNTED_GATE_AND_HOLD__ === 'undefined' || __UNDAUNTED_GATE_AND_HOLD__ ? ScopeGate : undefined;
const NewHold: typeof ScopeHold | undefined =
  typeof __UNDAUNTED_GATE_AND_HOLD__ === 'undefined' || __UNDAUNTED_GATE_AND_HOLD__ ? ScopeHold : undefined;

/** Each rule has its settings, and so have the overrides of single requests, of which there may be any number. */
const mostKnown = 100;

export class Scope implements SessionScope, Shared {
  readonly name: string;
  readonly ports: Ports;
  readonly siblings: Siblings;
  /** Since the last sweep of idle scopes: 0 is none, 1 the request that made the scope, 2 others. */
  uses: 0 | 1 | 2 = 1;
  /** When a sweep last found it used. */
  usedAt: number;
  tails: Tails | undefined = undefined;
  waiting = 0;
  queued = 0;
  out = 0;
  readonly refused: Record<RefusalReason, number> = { 'gate-shut': 0, 'gate-full': 0, held: 0 };
  /** The link to the fleet, if other processes share this scope. */
  private fleet: FleetScope | undefined;
  // Each setting has a limit of its own: rules that inherit a setting share it.
  private readonly budgets: Map<object, ScopeBudget> = new Map();
  private readonly gates: Map<object, ScopeGate> = new Map();
  private readonly holds: Map<object, ScopeHold> = new Map();
  private readonly known: Map<Settings, Limits> = new Map();
  private newest: Limits | undefined = undefined;

  constructor(name: string, ports: Ports, siblings: Siblings, fleet?: FleetMember) {
    this.siblings = siblings;
    this.name = name;
    this.ports = ports;
    this.usedAt = ports.now();
    this.fleet = fleet?.scope(name);
  }

  /** The limits that a request with these settings passes. It looks them up once. */
  limitsOf(settings: Settings): Limits {
    const { newest } = this;
    if (newest !== undefined && newest.settings === settings) return newest;
    const limits = this.known.get(settings) ?? this.made(settings);
    this.newest = limits;
    return limits;
  }

  private made(settings: Settings): Limits {
    const { budget, gate, hold } = settings;
    if (this.known.size >= mostKnown) this.known.clear();
    const limits = new Limits(this, settings, {
      budget: budget === false ? undefined : this.limit(this.budgets, budget, ScopeBudget),
      gate: gate === false || NewGate === undefined ? undefined : this.limit(this.gates, gate, NewGate),
      hold: hold === false || NewHold === undefined ? undefined : this.limit(this.holds, hold, NewHold),
    });
    this.known.set(settings, limits);
    return limits;
  }

  private limit<Setting extends object, Limit>(
    known: Map<object, Limit>,
    setting: Setting,
    New: NewLimit<Setting, Limit>,
  ): Limit {
    const limit = known.get(setting) ?? new New(setting, this.ports, this.fleet);
    known.set(setting, limit);
    return limit;
  }

  snapshot(now: number): ScopeSnapshot {
    const learnt = this.tails?.snapshot(now) ?? [];
    return {
      name: this.name,
      budgets: [...this.budgets.values()].flatMap((budget) => budget.snapshot(now) ?? []),
      gates: [...this.gates.values()].flatMap((gate) => gate.snapshot(now) ?? []),
      holds: [...this.holds.values()].flatMap((hold) => hold.snapshot(now) ?? []),
      waiting: this.waiting,
      refused: { ...this.refused },
      ...(learnt.length > 0 && { learnt }),
    };
  }

  private get limits(): readonly (ScopeBudget | ScopeGate | ScopeHold)[] {
    return [...this.budgets.values(), ...this.gates.values(), ...this.holds.values()];
  }

  /** Clears what was learnt. */
  forget(): void {
    for (const limit of this.limits) limit.forget();
    this.tails?.forget();
  }

  /** The retrier has forgotten this scope: other processes hear nothing more about it. */
  close(): void {
    for (const limit of this.limits) limit.leaveFleet();
    this.fleet?.close();
    this.fleet = undefined;
  }
}
