/** What comes from a store may be anything: only facts that are whole are facts. */

import type { Part, Wanted } from '../core/limits/fleet/merged.js';
import { type Facts, wanted } from '../core/limits/fleet/messages.js';

/** Beyond 2^53, numbers that differ by 1 are equal. No counter gets that far, and no duration is that long. */
const largest = Number.MAX_SAFE_INTEGER;

const byLimit: Readonly<Record<string, Wanted<Facts>>> = wanted;

/** Undefined: it is not whole, or its numbers cannot be right. */
export function factsIn(value: unknown): Facts | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found = value as Readonly<Record<string, unknown>>;
  const limit = String(found['limit']);
  if (!Object.hasOwn(byLimit, limit)) return undefined;
  const { parts, canBe } = byLimit[limit] as Wanted<Facts>;
  const isWhole = Object.entries<Part>(parts).every(([key, part]) => isOfKind(found[key], part));
  return isWhole && canBe?.(value as Facts) !== false ? (value as Facts) : undefined;
}

function isOfKind(value: unknown, part: Part): boolean {
  if (part === 'number') return isNumber(value) && value >= 0;
  if (part === 'text or none') return value === undefined || typeof value === 'string';
  if (part === 'sooner or later') return isNumber(value);
  if (part === 'numbers') return Array.isArray(value) && value.every((one) => isNumber(one) && one >= 0);
  return part === 'boolean' ? typeof value === 'boolean' : part.includes(String(value));
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value) && Math.abs(value as number) <= largest;
}
