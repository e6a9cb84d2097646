/** Gauges of the shared state of retriers, read at each collection. */

import type {
  Attributes,
  BatchObservableCallback,
  BatchObservableResult,
  Meter,
  ObservableGauge,
} from '@opentelemetry/api';
import type { GateState } from '../core/limits/gate/state.js';
import type { Retrier } from '../kernel/retrier.js';
import type { ScopeSnapshot } from '../kernel/scope.js';
import type { Bounded } from './bounded.js';

export type NamedRetriers = Readonly<Record<string, Retrier>>;

const gateStates: readonly GateState['kind'][] = ['open', 'shut', 'ramping'];

interface Gauges {
  readonly tokens: ObservableGauge;
  readonly gates: ObservableGauge;
  readonly holds: ObservableGauge;
  readonly waiting: ObservableGauge;
  readonly inFlight: ObservableGauge;
  readonly inLine: ObservableGauge;
  readonly shared: ObservableGauge;
}

/** Refusals are left out: events report them. */
type Gauged = Omit<ScopeSnapshot, 'refused'>;

/** The states by name: each is one scope, or all scopes that are not told apart. */
type Shown = ReadonlyMap<string, Gauged>;

/** Returns a function that stops the gauges. */
export function watch(meter: Meter, retriers: NamedRetriers, names: Bounded): () => void {
  const gauges = gaugesOf(meter);
  const all = Object.values(gauges);
  const shown: Map<string, Shown> = new Map();
  const observe: BatchObservableCallback = (result) => {
    for (const [name, retrier] of Object.entries(retriers)) {
      const { scopes, fleet } = retrier.snapshot();
      if (fleet !== undefined)
        result.observe(gauges.shared, fleet.isShared ? 1 : 0, { 'undaunted.retrier': name });
      const now = byName(scopes, names);
      for (const scope of [...now.values(), ...forgottenSince(shown.get(name), now)]) {
        report(result, gauges, { 'undaunted.retrier': name, 'undaunted.scope': scope.name }, scope);
      }
      shown.set(name, now);
    }
  };
  meter.addBatchObservableCallback(observe, all);
  return () => meter.removeBatchObservableCallback(observe, all);
}

function gaugesOf(meter: Meter): Gauges {
  return {
    tokens: meter.createObservableGauge('undaunted.budget.tokens', {
      unit: '{token}',
      description:
        'Tokens left in the budget of a scope; if its rules have several budgets, in the one with the fewest.',
    }),
    gates: meter.createObservableGauge('undaunted.gate.state', {
      unit: '{gate}',
      description: 'Gates of a scope by state: 1 for the state that the gate is in, and 0 for the others.',
    }),
    holds: meter.createObservableGauge('undaunted.hold.remaining', {
      unit: 's',
      description: 'How long a hold still keeps requests to a scope back.',
    }),
    waiting: meter.createObservableGauge('undaunted.gate.waiting', {
      unit: '{request}',
      description: 'Requests waiting for the gate of a scope.',
    }),
    inFlight: meter.createObservableGauge('undaunted.concurrency.in_flight', {
      unit: '{attempt}',
      description: 'Attempts in flight in a scope that limits them.',
    }),
    inLine: meter.createObservableGauge('undaunted.concurrency.waiting', {
      unit: '{request}',
      description: 'Requests waiting for room among the attempts in flight.',
    }),
    shared: meter.createObservableGauge('undaunted.fleet.shared', {
      unit: '{retrier}',
      description:
        'Retriers that share their scopes: 1 while the store answers, 0 while the process goes on alone.',
    }),
  };
}

function byName(scopes: readonly ScopeSnapshot[], names: Bounded): Shown {
  const shown = new Map<string, Gauged>();
  for (const scope of scopes) {
    const name = names.of(scope.name);
    const before = shown.get(name);
    shown.set(name, before === undefined ? { ...scope, name } : together(before, scope));
  }
  return shown;
}

function together(one: Gauged, other: Gauged): Gauged {
  const concurrencies = [...(one.concurrencies ?? []), ...(other.concurrencies ?? [])];
  return {
    name: one.name,
    budgets: [...one.budgets, ...other.budgets],
    gates: [...one.gates, ...other.gates],
    holds: [...one.holds, ...other.holds],
    waiting: one.waiting + other.waiting,
    ...(concurrencies.length > 0 && { concurrencies }),
  };
}

/**
 * An expired scope has no gate that is shut, so it is reported once more as open: otherwise a backend would go on
 * showing the last value.
 */
function forgottenSince(before: Shown = new Map(), now: Shown): Gauged[] {
  return [...before.values()]
    .filter(({ name }) => !now.has(name))
    .map(({ name, gates, holds, concurrencies }) => ({
      name,
      budgets: [],
      gates: gates.map(() => ({ state: 'open' })),
      holds: holds.map(() => ({ forMs: 0 })),
      waiting: 0,
      ...(concurrencies && {
        concurrencies: concurrencies.map((one) => ({ ...one, inFlight: 0, waiting: 0 })),
      }),
    }));
}

/** Parts that a scope has not used yet are not reported. */
function report(
  result: BatchObservableResult,
  gauges: Gauges,
  scope: Attributes,
  { budgets, gates, holds, concurrencies = [], waiting }: Gauged,
): void {
  if (budgets.length > 0) {
    result.observe(gauges.tokens, Math.min(...budgets.map(({ tokens }) => tokens)), scope);
  }
  if (holds.length > 0) {
    result.observe(gauges.holds, Math.max(...holds.map(({ forMs }) => forMs)) / 1_000, scope);
  }
  if (concurrencies.length > 0) {
    const sum = (of: 'inFlight' | 'waiting'): number => concurrencies.reduce((all, one) => all + one[of], 0);
    result.observe(gauges.inFlight, sum('inFlight'), scope);
    result.observe(gauges.inLine, sum('waiting'), scope);
  }
  if (gates.length === 0) return;
  result.observe(gauges.waiting, waiting, scope);
  for (const kind of gateStates) {
    const count = gates.filter(({ state }) => state === kind).length;
    result.observe(gauges.gates, count, { ...scope, 'undaunted.gate.state': kind });
  }
}
