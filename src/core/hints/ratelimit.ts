/**
 * Reads the `RateLimit` field: the list of draft-ietf-httpapi-ratelimit-headers-08 and later (RFC 9651 syntax), and the
 * dictionary of -07. The drafts say that a malformed field MUST be ignored.
 */

import type { Hint } from '../types.js';
import type { Answer } from './answer.js';
import { clamped } from './decimal.js';
import { longestOf, malformed, notExhausted } from './reading.js';
import { type Item, parseDictionary, parseList, type Value } from './structured-field.js';
import { linesOf, trimmed } from './values.js';

/** Room for dozens of policies. The limit is there because parsing time grows with the length. */
export const longestRateLimit = 8_192;

/** Only the dictionary of -07 begins with a key and a value. */
const dictionary = /^[a-z]+=/;

/** `read`: reads the list. */
export function readRateLimit(answer: Answer, read: typeof readItems = readItems): Hint | undefined {
  const field = answer.field('ratelimit');
  if (field === undefined) return undefined;
  const text = trimmed(linesOf(field).join(', '));
  if (text === '' || text.length > longestRateLimit) return malformed;
  // A stored answer describes another time and another client (section 7.3 of the draft).
  if (answer.isStored()) return { delayMs: null, reason: 'ratelimit-stored' };
  try {
    return dictionary.test(text) ? readDictionary(text) : read(parseList(text));
  } catch {
    return malformed;
  }
}

function readDictionary(text: string): Hint {
  const members = parseDictionary(text);
  if ((count(members.get('remaining')?.[0]) ?? 0) > 0) return notExhausted;
  const reset = count(members.get('reset')?.[0]);
  return reset === undefined
    ? malformed
    : { delayMs: clamped(reset * 1000), reason: 'ratelimit-reset-delta' };
}

/**
 * The longest wait among the exhausted policies. If there is none, a faulty item is reported before one that has
 * something left.
 */
export function readItems(items: readonly Item[]): Hint {
  const hints = items.map(readItem);
  return (
    longestOf(hints, () => 'ratelimit-t-max') ?? hints.find((hint) => hint !== notExhausted) ?? notExhausted
  );
}

function readItem([name, parameters]: Item): Hint {
  const remaining = count(parameters.get('r'));
  const window = parameters.get('t');
  const seconds = count(window);
  // The name is a String; the draft's own examples also use a Token.
  if (typeof name !== 'string' || remaining === undefined || seconds !== window) return malformed;
  if (remaining > 0) return notExhausted;
  if (seconds === undefined) return { delayMs: null, reason: 'ratelimit-without-t' };
  return { delayMs: clamped(seconds * 1000), reason: 'ratelimit-t' };
}

/** A non-negative Integer, or undefined. */
function count(value: Value | undefined): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}
