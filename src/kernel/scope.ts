/** What the requests of one scope share: its limits, and what is learnt from its answers. */

import type { LimitName } from '../core/limits/all.js';
import type { Rule } from '../core/policy/policy.js';
import type { Settings } from '../core/policy/settings.js';
import type { RefusalReason } from '../core/types.js';
import type { FleetMember, FleetScope } from './fleet.js';
import type { Latencies, LearntSnapshot } from './latencies.js';
import type { LimitsPassed } from './limits/clear.js';
import {
  isOccupied,
  type LimitSnapshots,
  Limits,
  limitFrom,
  type NamedLimit,
  renewedLimits,
  type Shared,
  type Siblings,
  snapshotOfLimits,
} from './limits/limits.js';
import type { KernelParts } from './parts.js';
import type { Ports } from './ports.js';
import type { SessionScope } from './session.js';

/** A scope as `snapshot()` shows it: plain data. */
export interface ScopeSnapshot extends LimitSnapshots {
  readonly name: string;
  /** Requests that are waiting for the gate. */
  readonly waiting: number;
  /** Attempts that were not sent, and (with `enforce: false`) attempts that would not have been. */
  readonly refused: Readonly<Record<RefusalReason, number>>;
  /** Present if something is learnt from the answers: one entry for each rule with a hedge or an adaptive timeout. */
  readonly learnt?: readonly LearntSnapshot[];
}

/** The retrier that a scope belongs to. */
export interface ScopeOwner extends Siblings {
  readonly parts: KernelParts;
  readonly ports: Ports;
}

/** Each rule has its settings, and so have the overrides of single requests, of which there may be any number. */
const mostKnown = 100;

export class Scope implements SessionScope, Shared {
  readonly name: string;
  readonly ports: Ports;
  readonly siblings: Siblings;
  readonly parts: KernelParts;
  /** Since the last sweep of idle scopes: 0 is none, 1 the request that made the scope, 2 others. */
  uses: 0 | 1 | 2 = 1;
  /** When a sweep last found it used. */
  usedAt: number;
  latencies: Latencies | undefined = undefined;
  waiting = 0;
  queued = 0;
  out = 0;
  readonly refused: Record<RefusalReason, number>;
  /** The link to the fleet, if other processes share this scope. */
  fleet: FleetScope | undefined;
  readonly limits: Map<object, NamedLimit>;
  private readonly known: Map<Settings, Limits> = new Map();
  private newest: Limits | undefined = undefined;

  /** `limits`: those that it has from the start. */
  constructor(name: string, retrier: ScopeOwner, fleet?: FleetMember, limits?: [object, NamedLimit][]) {
    const { parts, ports } = retrier;
    this.parts = parts;
    // Without the limits that refuse, there are no reasons.
    this.refused = parts.admission?.asked.noRefusals() ?? ({} as Record<RefusalReason, number>);
    this.siblings = retrier;
    this.name = name;
    this.ports = ports;
    this.limits = new Map(limits);
    this.usedAt = ports.now();
    this.fleet = fleet?.scope(name);
  }

  /** The limits that a request with these settings passes. It looks them up once. */
  limitsOf(rule: Rule, settings: Settings): Limits {
    const { newest } = this;
    if (newest?.settings === settings) return newest;
    const limits = this.known.get(settings) ?? this.made(rule, settings);
    this.newest = limits;
    return limits;
  }

  private made(rule: Rule, settings: Settings): Limits {
    if (this.known.size >= mostKnown) this.known.clear();
    const limits = new Limits(this, rule, settings);
    this.known.set(settings, limits);
    return limits;
  }

  limit<K extends LimitName>(name: K, settings: Settings): LimitsPassed[K] {
    const setting = settings[name];
    if (setting === false) return undefined as LimitsPassed[K];
    const known = this.limits.get(setting) ?? limitFrom(name, setting, this);
    if (known !== undefined) this.limits.set(setting, known);
    return known?.limit as LimitsPassed[K];
  }

  /** Whether attempts occupy its limits, which therefore have to go on counting. */
  get isOccupied(): boolean {
    return [...this.limits.values()].some(isOccupied);
  }

  /** The retrier has forgotten this scope: other processes hear nothing more about it. */
  close(): void {
    for (const { limit } of this.limits.values()) limit.leaveFleet();
    this.fleet?.close();
    this.fleet = undefined;
  }
}

// ---------------------------------------------------------------- for retriers that a program has made

export function snapshotOf({ name, latencies, limits, waiting, refused }: Scope, now: number): ScopeSnapshot {
  const learnt = latencies?.snapshot(now) ?? [];
  return {
    name,
    ...snapshotOfLimits(limits, now),
    waiting,
    refused: { ...refused },
    ...(learnt.length > 0 && { learnt }),
  };
}

/** Clears what was learnt. */
export function forget({ limits, latencies }: Scope): void {
  for (const { limit } of limits.values()) limit.forget();
  latencies?.forget();
}

/** A new scope in its place, which knows only what was not learnt; undefined: that is nothing. */
export function renewed(
  { name, limits }: Scope,
  retrier: ScopeOwner,
  fleet: FleetMember | undefined,
): Scope | undefined {
  const kept = renewedLimits(limits);
  return kept.length === 0 ? undefined : new Scope(name, retrier, fleet, kept);
}
