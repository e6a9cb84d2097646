/**
 * Reads the `RateLimit` field: the list of draft-ietf-httpapi-ratelimit-headers-08 and later (RFC 9651 syntax), and the
 * dictionary of -07. The drafts say that a malformed field MUST be ignored.
 */

import type { Hint } from '../types.js';
import type { Answer } from './answer.js';
import { longestDelayMs } from './decimal.js';
import { isWait, longest, malformed, notExhausted } from './reading.js';
import { type Member, parseDictionary, parseList, type Value } from './structured-field.js';
import { linesOf, trimmed } from './values.js';

/** Room for dozens of policies. The limit is there because parsing time grows with the length. */
export const longestRateLimit = 8_192;

/** Only the dictionary of -07 begins with a key and a value. */
const dictionary = /^[a-z]+=/;

/** `violated`: the policies that a problem document in the body names. */
export function readRateLimit(answer: Answer, violated: readonly unknown[] = []): Hint | undefined {
  const field = answer.field('ratelimit');
  if (field === undefined) return undefined;
  const text = trimmed(linesOf(field).join(', '));
  if (text === '' || text.length > longestRateLimit) return malformed;
  // A stored answer describes another time and another client (section 7.3 of the draft).
  if (answer.isStored()) return { delayMs: null, reason: 'ratelimit-stored' };
  try {
    return dictionary.test(text) ? readDictionary(text) : readList(text, violated);
  } catch {
    return malformed;
  }
}

function readDictionary(text: string): Hint {
  const members = parseDictionary(text);
  if ((count(members.get('remaining')?.[0]) ?? 0) > 0) return notExhausted;
  const reset = count(members.get('reset')?.[0]);
  return reset === undefined ? malformed : { delayMs: inMs(reset), reason: 'ratelimit-reset-delta' };
}

function readList(text: string, violated: readonly unknown[]): Hint {
  const items = parseList(text);
  const chosen = items.filter(([name]) => violated.includes(nameOf(name)));
  if (chosen.length > 0) {
    const hint = readItems(chosen);
    return isWait(hint) ? { ...hint, reason: 'ratelimit-t-violated' } : hint;
  }
  return readItems(items);
}

/**
 * The longest wait among the exhausted policies. If there is none, a faulty item is reported before one that has
 * something left.
 */
function readItems(items: readonly Member[]): Hint {
  const hints = items.map(readItem);
  const waits = hints.filter(isWait);
  const [first] = waits;
  if (first === undefined) return hints.find((hint) => hint !== notExhausted) ?? notExhausted;
  const { delayMs } = waits.reduce<Hint>(longest, first);
  return { delayMs, reason: waits.length > 1 ? 'ratelimit-t-max' : 'ratelimit-t' };
}

function readItem([name, parameters]: Member): Hint {
  const remaining = count(parameters.get('r'));
  const window = parameters.get('t');
  if (nameOf(name) === undefined || remaining === undefined) return malformed;
  if (window !== undefined && count(window) === undefined) return malformed;
  if (remaining > 0) return notExhausted;
  const seconds = count(window);
  if (seconds === undefined) return { delayMs: null, reason: 'ratelimit-without-t' };
  return { delayMs: inMs(seconds), reason: 'ratelimit-t' };
}

/** The name is a String; the draft's own examples also use a Token. */
function nameOf(name: Value): string | undefined {
  return typeof name === 'string' ? name : undefined;
}

/** A non-negative Integer, or undefined. */
function count(value: Value | undefined): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}

function inMs(seconds: number): number {
  return Math.min(seconds * 1000, longestDelayMs);
}
