/**
 * The limits of a scope that the requests with the same settings pass. Each setting of a limit has one object, which rules
 * that inherit the setting share.
 */

import { type AskedFirst, type LimitName, limitNames } from '../../core/limits/all.js';
import type { FilledBudget } from '../../core/limits/budget/kind.js';
import type { Filling } from '../../core/policy/parts.js';
import type { Settings } from '../../core/policy/settings.js';
import type { RefusalReason, RequestFacts } from '../../core/types.js';
import type { ChannelsPart } from '../events.js';
import type { FleetScope } from '../fleet.js';
import type { Latencies } from '../latencies.js';
import type { Layers } from '../layers.js';
import type { Ports } from '../ports.js';
import type { SessionLimits } from '../session.js';
import { ScopeBudget } from './budget.js';
import type { LimitsPassed } from './clear.js';
import type { ScopeConcurrency } from './concurrency.js';
import type { ScopeGate } from './gate.js';
import type { ScopeHold } from './hold.js';

// ---------------------------------------------------------------- the limits of a scope, by their settings

type NewLimit<Setting, Limit> = new (setting: Setting, ports: Ports, fleet: FleetScope | undefined) => Limit;

type LimitNamed<K extends LimitName> = NonNullable<LimitsPassed[K]>;

/** The parts of an installation that are limits. Only the budget is always there. */
export type LimitParts = {
  readonly [K in AskedFirst]?: Filling<K> & {
    readonly Limit: NewLimit<Exclude<Settings[K], false>, LimitNamed<K>>;
  };
};

/** The limits as `snapshot()` shows them: one entry for each that the rules of the scope have used. */
export interface LimitSnapshots {
  readonly budgets: readonly { readonly tokens: number }[];
  readonly gates: readonly { readonly state: 'open' | 'shut' | 'ramping' }[];
  readonly holds: readonly { readonly forMs: number }[];
  /** Present if a rule of the scope limits it: how many attempts are in flight, and how many requests wait. */
  readonly concurrencies?: readonly {
    readonly limit: number;
    readonly inFlight: number;
    readonly waiting: number;
  }[];
}

type Shown<K extends LimitName> = NonNullable<ReturnType<LimitNamed<K>['snapshot']>>;

export class ScopeLimits {
  readonly ports: Ports;
  readonly parts: LimitParts;
  readonly known: { readonly [K in LimitName]: Map<object, LimitNamed<K>> };

  constructor(ports: Ports, parts: LimitParts) {
    this.ports = ports;
    this.parts = parts;
    this.known = Object.fromEntries(limitNames.map((name) => [name, new Map()])) as ScopeLimits['known'];
  }

  /** Those that a request with these settings passes. */
  of(settings: Settings, fleet: FleetScope | undefined): LimitsPassed {
    const passed = limitNames.map((name) => [name, this.one(name, settings, fleet)]);
    return Object.fromEntries(passed) as LimitsPassed;
  }

  private one<K extends LimitName>(
    name: K,
    settings: Settings,
    fleet: FleetScope | undefined,
  ): LimitNamed<K> | undefined {
    const setting = settings[name];
    if (setting === false) return undefined;
    const known: Map<object, LimitNamed<K>> = this.known[name];
    const limit = known.get(setting) ?? this.make(name, setting, fleet);
    if (limit !== undefined) known.set(setting, limit);
    return limit;
  }

  /** Undefined: never, since a policy without the part has no such setting. */
  private make<K extends LimitName>(
    name: K,
    setting: object,
    fleet: FleetScope | undefined,
  ): LimitNamed<K> | undefined {
    if (name === 'budget' && fleet === undefined)
      return new ScopeBudget(setting as FilledBudget, this.ports) as unknown as LimitNamed<K>;
    const New: unknown = name === 'budget' ? fleet?.Budget : this.parts[name as AskedFirst]?.Limit;
    return New === undefined
      ? undefined
      : new (New as NewLimit<object, LimitNamed<K>>)(setting, this.ports, fleet);
  }

  get all(): readonly LimitNamed<LimitName>[] {
    return limitNames.flatMap((name) => [...this.known[name].values()]);
  }

  /** Whether attempts occupy something that would not be counted any more without these limits. */
  get isOccupied(): boolean {
    return this.all.some(isOccupied);
  }

  leaveFleet(): void {
    for (const limit of this.all) limit.leaveFleet();
  }
}

function isOccupied(limit: LimitNamed<LimitName> & { readonly isOccupied?: boolean }): boolean {
  return limit.isOccupied === true;
}

// ---------------------------------------------------------------- for retriers that a program has made

export function snapshotOfLimits(limits: ScopeLimits, now: number): LimitSnapshots {
  const concurrencies = shown(limits, 'concurrency', now);
  return {
    budgets: shown(limits, 'budget', now),
    gates: shown(limits, 'gate', now),
    holds: shown(limits, 'hold', now),
    ...(concurrencies.length > 0 && { concurrencies }),
  };
}

function shown<K extends LimitName>({ known }: ScopeLimits, name: K, now: number): Shown<K>[] {
  const ofName: Map<object, LimitNamed<K>> = known[name];
  return [...ofName.values()].flatMap((limit) => (limit.snapshot(now) as Shown<K> | undefined) ?? []);
}

/** Those that count something, for a scope that begins anew: requests under way go on using them. */
export function renewedLimits({ ports, parts, known }: ScopeLimits): ScopeLimits | undefined {
  const anew = new ScopeLimits(ports, parts);
  for (const name of limitNames) {
    for (const [setting, limit] of known[name]) {
      if ('isOccupied' in limit) (anew.known[name] as Map<object, object>).set(setting, limit);
    }
  }
  return anew.all.length === 0 ? undefined : anew;
}

// ---------------------------------------------------------------- what a request has to do with them

/** The scopes of a retrier. */
export interface Siblings {
  /** The limits of the scope that requests like this one belong to. */
  limitsFor(settings: Settings, request: RequestFacts): Limits;
}

/** What all requests of a scope have in common, whatever their settings. */
export interface Shared {
  readonly siblings: Siblings;
  readonly name: string;
  readonly ports: Ports;
  readonly parts: LimitParts & {
    readonly layers?: Layers;
    readonly channels?: ChannelsPart;
    readonly hooks?: { moveTo(session: object, url: string): void };
    readonly admission?: {
      readonly asked: {
        refusal(limits: Limits, reason: RefusalReason, own: ErrorOptions): Error | undefined;
        noRefusals(): Record<RefusalReason, number>;
      };
    };
  };
  /** Made by the first request that learns something. */
  latencies: Latencies | undefined;
  /** How many attempts wait for a gate, queue for a hold, and are out with a permit. */
  waiting: number;
  queued: number;
  out: number;
  readonly refused: Record<RefusalReason, number>;
}

export class Limits implements LimitsPassed, SessionLimits {
  readonly scope: Shared;
  readonly settings: Settings;
  readonly budget: ScopeBudget | undefined;
  readonly gate: ScopeGate | undefined;
  readonly hold: ScopeHold | undefined;
  readonly concurrency: ScopeConcurrency | undefined;

  constructor(scope: Shared, settings: Settings, { budget, gate, hold, concurrency }: LimitsPassed) {
    this.scope = scope;
    this.settings = settings;
    this.budget = budget;
    this.gate = gate;
    this.hold = hold;
    this.concurrency = concurrency;
  }

  refusal(reason: RefusalReason, own: ErrorOptions = {}): Error {
    const error = this.scope.parts.admission?.asked.refusal(this, reason, own);
    // Never reached: a limit that is not there refuses nothing.
    return error ?? new TypeError(reason);
  }
}
