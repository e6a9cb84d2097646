/** What comes from a store may be anything: only facts that are whole are facts. */

import type { BudgetFacts, Facts, GateFacts, HoldFacts, PaceName } from '../core/limits/fleet/messages.js';

type Kinds<F> = { readonly [K in keyof Omit<F, 'limit'>]: 'number' | 'numbers' | 'boolean' | 'pace' };

const gate: Kinds<GateFacts> = {
  slice: 'number',
  processes: 'number',
  epoch: 'number',
  isShut: 'boolean',
  row: 'number',
  failures: 'number',
  forMs: 'number',
  lives: 'number',
  witnesses: 'number',
  probeInMs: 'number',
  leaseLeftMs: 'number',
  lease: 'number',
};

const hold: Kinds<HoldFacts> = {
  firsts: 'number',
  refusals: 'number',
  successes: 'number',
  turn: 'number',
  forMs: 'number',
  pacedMs: 'number',
  places: 'number',
  spacingMs: 'number',
  pace: 'pace',
  nextPlace: 'number',
  granted: 'numbers',
};

const budget: Kinds<BudgetFacts> = {
  slice: 'number',
  processes: 'number',
  isBarren: 'boolean',
  granted: 'number',
  tokens: 'number',
};

const kinds: Readonly<Record<string, Readonly<Record<string, string>>>> = { gate, hold, budget };

const paces: readonly PaceName[] = ['none', 'keen', 'courteous'];

/** Undefined: it is not whole. Numbers are finite; of what else is in it, nothing is said. */
export function factsIn(value: unknown): Facts | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found = value as Readonly<Record<string, unknown>>;
  const wanted = Object.hasOwn(kinds, String(found['limit'])) ? kinds[String(found['limit'])] : undefined;
  if (wanted === undefined) return undefined;
  const isWhole = Object.entries(wanted).every(([key, kind]) => isOfKind(found[key], kind));
  return isWhole ? (value as Facts) : undefined;
}

function isOfKind(value: unknown, kind: string): boolean {
  if (kind === 'number') return Number.isFinite(value);
  if (kind === 'numbers') return Array.isArray(value) && value.every((one) => Number.isFinite(one));
  return kind === 'boolean' ? typeof value === 'boolean' : (paces as readonly unknown[]).includes(value);
}
