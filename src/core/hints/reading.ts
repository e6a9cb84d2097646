/** What one source says, and how several are weighed against each other. */

import type { Hint } from '../types.js';

export const malformed: Hint = Object.freeze({ delayMs: null, reason: 'malformed' });
export const empty: Hint = Object.freeze({ delayMs: null, reason: 'empty' });
export const notExhausted: Hint = Object.freeze({ delayMs: null, reason: 'ratelimit-not-exhausted' });

/** Says something usable, 0 included. */
export type Wait = Hint & { readonly delayMs: number };

export function isWait(hint: Hint | undefined): hint is Wait {
  return hint !== undefined && hint.delayMs !== null;
}

/** Of several waits the longest (the first of equals); without any, why the first could not be read. */
export function longest(previous: Hint | undefined, next: Hint): Hint {
  if (previous === undefined) return next;
  if (!isWait(next)) return previous;
  return isWait(previous) && previous.delayMs >= next.delayMs ? previous : next;
}
