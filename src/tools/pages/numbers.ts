/** Numbers as people read them. */

const grouped: Intl.NumberFormat = new Intl.NumberFormat('en');
const short: Intl.NumberFormat = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const compact: Intl.NumberFormat = new Intl.NumberFormat('en', {
  notation: 'compact',
  maximumSignificantDigits: 3,
});

export function countText(value: number): string {
  return grouped.format(Math.round(value));
}

export function percentText(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

export function timesText(value: number): string {
  return `${value.toFixed(2)}x`;
}

/** Three digits are enough to compare. */
export function valueText(value: number): string {
  return Math.abs(value) < 10_000 ? short.format(value) : compact.format(value);
}

/** From the longest to the shortest; each is used from twice its length on, days and years included. */
const units = [
  ['years', 31_557_600_000],
  ['days', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** A server that has wedged may promise an answer in thousands of years. */
export function waitText(ms: number): string {
  for (const [unit, length] of units) {
    if (ms >= 2 * length) return `${valueText(ms / length)} ${unit}`;
  }
  return ms < 1_000 ? `${short.format(ms)} ms` : `${short.format(ms / 1_000)} s`;
}
