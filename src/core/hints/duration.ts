/** Reads durations that name their units: Go's `6m0s`, protobuf's `57.238747106s`. */

import { property } from './content.js';
import { clamped, decimalText, parseDecimal, parseDelay } from './decimal.js';
import type { Encoding } from './hint-set.js';

const unitsMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  // Go accepts both the micro sign (above) and the Greek letter mu.
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** One part of a Go duration. The pattern is bounded and sticky, so no part is read twice. */
const goPart: RegExp = /(\d{1,9})(?:\.(\d{1,9}))?(ns|us|µs|μs|ms|s|m|h)/y;

const longestDuration = 64;

export const goDuration: Encoding = (value) => parseGoDuration(value);

/** Reads what Go's `time.ParseDuration` reads, except a sign: a wait is not negative. */
export function parseGoDuration(text: string): number | undefined {
  if (text === '' || text.length > longestDuration) return undefined;
  let ms = 0;
  goPart.lastIndex = 0;
  while (goPart.lastIndex < text.length) {
    const part = goPart.exec(text);
    if (part === null) return undefined;
    const [, whole = '', fraction = '', unit = ''] = part;
    const unitMs = unitsMs[unit] ?? 0;
    ms += Number(whole) * unitMs + (Number(fraction) * unitMs) / 10 ** fraction.length;
  }
  return clamped(Math.ceil(ms));
}

/** google.protobuf.Duration: `"3.5s"` in proto3 JSON; some encoders write `{ seconds, nanos }`. */
export function parseProtoDuration(value: unknown): number | undefined {
  if (typeof value === 'string') {
    return value.endsWith('s') ? parseDelay(value.slice(0, -1), 1000) : undefined;
  }
  const seconds = property(value, 'seconds');
  const nanos = property(value, 'nanos') ?? 0;
  if (seconds === undefined && nanos === 0) return undefined;
  const secondsMs = parseDecimal(decimalText(seconds ?? 0) ?? '', 1000);
  if (secondsMs === undefined || typeof nanos !== 'number' || !(nanos >= 0 && nanos < 1e9)) return undefined;
  return clamped(secondsMs + Math.ceil(nanos / 1e6));
}
