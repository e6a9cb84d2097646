/** What comes from a store may be anything: only facts that are whole are facts. */

import type { Part, Wanted } from '../core/limits/fleet/merged.js';
import { type Facts, type Told, wanted } from '../core/limits/fleet/messages.js';
import type { Answer } from './port.js';

interface Reply {
  readonly facts: Answer;
  readonly garbled: number;
}

const noReply: Reply = { facts: [], garbled: 0 };

/** What the store answered, and how much of it could not be read. */
export function replyIn(reply: unknown): Reply {
  const { facts, garbled } = (parsed(String(reply)) ?? {}) as Partial<Record<keyof Reply, unknown>>;
  if (!Array.isArray(facts)) return noReply;
  const read = facts.map(factsIn);
  const unread = read.filter((one) => one === undefined).length;
  return { facts: read, garbled: unread + (typeof garbled === 'number' ? garbled : 0) };
}

/** What another process has told the store. */
export function newsIn(message: unknown, prefix: string): Told | undefined {
  const { key, facts } = (parsed(String(message)) ?? {}) as Partial<Record<keyof Told, unknown>>;
  const read = factsIn(facts);
  if (read === undefined || typeof key !== 'string' || !key.startsWith(prefix)) return undefined;
  return { key: key.slice(prefix.length), facts: read };
}

/** Undefined if the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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
