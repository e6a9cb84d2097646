/** Reads the numbers that a server sent digit by digit: `Number` and `parseInt` accept far too much. */

/** RFC 9111 1.2.2 clamps overflowing delta-seconds to 2^31. A client will never wait that long anyway. */
export const longestDelayMs: number = 2_147_483_648_000;

/** More digits than this make no difference: every caller refuses or clamps such a value. */
const saturation = 1e15;

/**
 * Reads `1*DIGIT` or `1*DIGIT.1*DIGIT`, in seconds or milliseconds, as whole milliseconds. It rounds up, so that no
 * retry is early. Undefined: the text is something else.
 */
export function parseDecimal(text: string, unitMs: 1 | 1000): number | undefined {
  let whole = 0;
  let at = 0;
  for (; at < text.length; at++) {
    const digit = digitAt(text, at);
    if (digit === undefined) break;
    if (whole < saturation) whole = whole * 10 + digit;
  }
  if (at === 0) return undefined;
  if (at === text.length) return whole * unitMs;
  if (text[at] !== '.' || at + 1 === text.length) return undefined;
  const fraction = parseFraction(text, at + 1, unitMs);
  return fraction === undefined ? undefined : whole * unitMs + fraction;
}

function parseFraction(text: string, from: number, unitMs: number): number | undefined {
  let ms = 0;
  let unit = unitMs;
  let rest = 0;
  for (let at = from; at < text.length; at++) {
    const digit = digitAt(text, at);
    if (digit === undefined) return undefined;
    if (unit >= 10) {
      unit /= 10;
      ms += digit * unit;
    } else if (digit > 0) {
      rest = 1;
    }
  }
  return ms + rest;
}

function digitAt(text: string, at: number): number | undefined {
  const digit = text.charCodeAt(at) - 48;
  return digit >= 0 && digit <= 9 ? digit : undefined;
}

/** The value of ASCII digits that a pattern has matched. Up to 15 digits are exact. */
export function digits(text: string): number {
  let value = 0;
  for (let at = 0; at < text.length; at++) value = value * 10 + text.charCodeAt(at) - 48;
  return value;
}

/** A number in a JSON body, which may be a number or a string, as text. */
export function decimalText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : undefined;
}
