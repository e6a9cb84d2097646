/** What comes from a store may be anything: only facts that are whole are facts. */

import type { BudgetFacts, Facts, GateFacts, HoldFacts } from '../core/limits/fleet/messages.js';
import { type HoldPhase, paces } from '../core/limits/hold/state.js';

type Kinds<F> = {
  readonly [K in keyof Required<Omit<F, 'limit'>>]:
    | 'number'
    | 'sooner or later'
    | 'numbers'
    | 'boolean'
    | 'phase'
    | 'text or none';
};

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
  kinds: 'text or none',
  probeInMs: 'number',
  leaseLeftMs: 'number',
  lease: 'number',
};

const hold: Kinds<HoldFacts> = {
  firsts: 'number',
  refusals: 'number',
  successes: 'number',
  sent: 'number',
  turn: 'number',
  phase: 'phase',
  dueMs: 'number',
  share: 'number',
  restMs: 'number',
  forMs: 'number',
  pacedMs: 'sooner or later',
  places: 'number',
  spacingMs: 'number',
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

/** Beyond 2^53, numbers that differ by 1 are equal. No counter gets that far, and no duration is that long. */
const largest = Number.MAX_SAFE_INTEGER;

/** Undefined: it is not whole, or its numbers cannot be right. */
export function factsIn(value: unknown): Facts | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found = value as Readonly<Record<string, unknown>>;
  const wanted = Object.hasOwn(kinds, String(found['limit'])) ? kinds[String(found['limit'])] : undefined;
  if (wanted === undefined) return undefined;
  const isWhole = Object.entries(wanted).every(([key, kind]) => isOfKind(found[key], kind));
  return isWhole && canBe(value as Facts) ? (value as Facts) : undefined;
}

/** A queue whose places come no time apart has no end. */
function canBe(facts: Facts): boolean {
  return facts.limit !== 'hold' || paces[facts.phase as HoldPhase] === undefined || facts.spacingMs > 0;
}

function isOfKind(value: unknown, kind: string): boolean {
  if (kind === 'number') return isNumber(value) && value >= 0;
  if (kind === 'text or none') return value === undefined || typeof value === 'string';
  if (kind === 'sooner or later') return isNumber(value);
  if (kind === 'numbers') return Array.isArray(value) && value.every((one) => isNumber(one) && one >= 0);
  return kind === 'boolean' ? typeof value === 'boolean' : Object.hasOwn(paces, String(value));
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value) && Math.abs(value as number) <= largest;
}
