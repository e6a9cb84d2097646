/**
 * The limits of a scope that the requests with the same settings pass. Each setting of a limit has one object, which rules
 * that inherit the setting share.
 */

import type { AskedFirst, LimitName } from '../../core/limits/all.js';
import type { FilledBudget } from '../../core/limits/budget/kind.js';
import type { Filling } from '../../core/policy/parts.js';
import type { Rule } from '../../core/policy/policy.js';
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

/** A limit of a scope, with its setting; rules that inherit the setting share the limit. */
export interface NamedLimit {
  readonly name: LimitName;
  readonly limit: LimitNamed<LimitName>;
}

type LimitsBySetting = ReadonlyMap<object, NamedLimit>;

/** What the limits of a scope are made with. */
interface Ground {
  readonly parts: LimitParts;
  readonly ports: Ports;
  readonly fleet: FleetScope | undefined;
}

/** Undefined: never, since a policy without the part has no such setting. */
export function limitFrom(
  name: LimitName,
  setting: object,
  { parts, ports, fleet }: Ground,
): NamedLimit | undefined {
  if (name === 'budget' && fleet === undefined)
    return { name, limit: new ScopeBudget(setting as FilledBudget, ports) };
  const New: unknown = name === 'budget' ? fleet?.Budget : parts[name]?.Limit;
  if (New === undefined) return undefined;
  return { name, limit: new (New as NewLimit<object, NamedLimit['limit']>)(setting, ports, fleet) };
}

/** Whether attempts occupy something that would not be counted any more without the limit. */
export function isOccupied({ limit }: NamedLimit): boolean {
  return 'isOccupied' in limit && limit.isOccupied;
}

// ---------------------------------------------------------------- for retriers that a program has made

export function snapshotOfLimits(limits: LimitsBySetting, now: number): LimitSnapshots {
  const concurrencies = shown(limits, 'concurrency', now);
  return {
    budgets: shown(limits, 'budget', now),
    gates: shown(limits, 'gate', now),
    holds: shown(limits, 'hold', now),
    ...(concurrencies.length > 0 && { concurrencies }),
  };
}

function shown<K extends LimitName>(limits: LimitsBySetting, wanted: K, now: number): Shown<K>[] {
  return [...limits.values()].flatMap(({ name, limit }) =>
    name === wanted ? ((limit.snapshot(now) as Shown<K> | undefined) ?? []) : [],
  );
}

/** Those that count something, for a scope that begins anew: requests under way go on using them. */
export function renewedLimits(limits: LimitsBySetting): [object, NamedLimit][] {
  return [...limits].filter(([, { limit }]) => 'isOccupied' in limit);
}

// ---------------------------------------------------------------- what a request has to do with them

/** The scopes of a retrier. */
export interface Siblings {
  /** The limits of the scope that requests like this one belong to. */
  limitsFor(rule: Rule, settings: Settings, request: RequestFacts): Limits;
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
  /** Undefined: the settings do not have that one. */
  limit<K extends LimitName>(name: K, settings: Settings): LimitsPassed[K];
}

export class Limits implements LimitsPassed, SessionLimits {
  readonly scope: Shared;
  /** The rule whose settings these are, or which they override. */
  readonly rule: Rule;
  readonly settings: Settings;
  readonly budget: ScopeBudget | undefined;
  readonly gate: ScopeGate | undefined;
  readonly hold: ScopeHold | undefined;
  readonly concurrency: ScopeConcurrency | undefined;
  /** For `acceptPlainly`, at whose first call it is found out. */
  plainBelow: number | undefined = undefined;

  constructor(scope: Shared, rule: Rule, settings: Settings) {
    this.scope = scope;
    this.rule = rule;
    this.settings = settings;
    this.budget = scope.limit('budget', settings);
    this.gate = scope.limit('gate', settings);
    this.hold = scope.limit('hold', settings);
    this.concurrency = scope.limit('concurrency', settings);
  }

  refusal(reason: RefusalReason, own: ErrorOptions = {}): Error {
    const error = this.scope.parts.admission?.asked.refusal(this, reason, own);
    // Never reached: a limit that is not there refuses nothing.
    return error ?? new TypeError(reason);
  }
}
