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

export { timeText as waitText } from '../../internal.js';
