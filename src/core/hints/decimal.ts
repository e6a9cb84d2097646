/** Reads the numbers that a server sent: `Number` and `parseInt` alone accept far too much. */

/** RFC 9111 1.2.2 clamps overflowing delta-seconds to 2^31. A client will never wait that long anyway. */
export const longestDelayMs: number = 2_147_483_648_000;

/** More makes no difference: every caller refuses or clamps such a value. */
const saturation = 1e18;

const decimal = /^\d+(?:\.\d+)?$/;

/**
 * Reads `1*DIGIT` or `1*DIGIT.1*DIGIT`, in seconds or milliseconds, as whole milliseconds. It rounds up, so that no
 * retry is early. Undefined: the text is something else.
 */
export function parseDecimal(text: string, unitMs: 1 | 1000): number | undefined {
  if (!decimal.test(text)) return undefined;
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number * unitMs;
  // The exponent moves the point in the text itself: a product would be rounded, and then up.
  return Math.min(Math.ceil(unitMs === 1 ? number : Number(`${text}e3`)), saturation);
}

/** The same for a wait, which is clamped. */
export function parseDelay(text: string, unitMs: 1 | 1000): number | undefined {
  const ms = parseDecimal(text, unitMs);
  return ms && clamped(ms);
}

export function clamped(ms: number): number {
  return Math.min(ms, longestDelayMs);
}

/** A number in a JSON body, which may be a number or a string, as text. */
export function decimalText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : undefined;
}
