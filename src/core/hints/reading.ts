/** What one source can say, and how several are compared. */

import type { Hint } from '../types.js';

export const malformed: Hint = /* @__PURE__ */ Object.freeze({ delayMs: null, reason: 'malformed' });
export const empty: Hint = /* @__PURE__ */ Object.freeze({ delayMs: null, reason: 'empty' });
export const notExhausted: Hint = /* @__PURE__ */ Object.freeze({
  delayMs: null,
  reason: 'ratelimit-not-exhausted',
});

/** A hint with a usable wait; 0 is one, too. */
export type Wait = Hint & { readonly delayMs: number };

export function isWait(hint: Hint | undefined): hint is Wait {
  return hint !== undefined && hint.delayMs !== null;
}

/** The longest wait (the first among equals). If there is none, the first hint says why. */
export function longest(previous: Hint | undefined, next: Hint): Hint {
  if (previous === undefined) return next;
  if (!isWait(next)) return previous;
  return isWait(previous) && previous.delayMs >= next.delayMs ? previous : next;
}

/** The longest wait, or the only hint. Several waits have a joint reason. Undefined: there is none. */
export function longestOf(
  hints: readonly Hint[],
  jointReason: (waits: readonly Wait[]) => string,
): Hint | undefined {
  if (hints.length < 2) return hints[0];
  const waits = hints.filter(isWait);
  if (waits.length < 2) return waits[0];
  return { delayMs: Math.max(...waits.map(({ delayMs }) => delayMs)), reason: jointReason(waits) };
}
