/** What the parts of a verdict share: the policies that are compared, the findings, and their words. */

import type { Figures } from './figures.js';

/** One policy among those it is compared with. */
export interface Compared {
  readonly name: string;
  /** How sentences call it. */
  readonly label: string;
  readonly figures: Figures;
}

/**
 * `good`: the server recovers, or more requests succeed than without retries. `bad`: it does not recover, or fewer
 * requests succeed. `even`: anything in between.
 */
export type Judgement = 'good' | 'even' | 'bad';

export interface Finding {
  readonly judgement: Judgement;
  /** Begins with a small letter and has no full stop: it follows the policy's name and a colon. */
  readonly sentence: string;
}

export interface Findings {
  /** The end of a sentence that begins with the scenario's title and a colon, without its full stop. */
  readonly headline: string;
  /** One for each policy, in their order. */
  readonly each: readonly Finding[];
}

/** The policy that the others are measured against, if it is among them. */
export function withoutRetries(all: readonly Compared[]): Compared | undefined {
  return all.find(({ name }) => name === 'none');
}

/** All policies have the same luck, so a difference of more than this is not chance. */
export const noticeable = 0.01;

// ---------------------------------------------------------------- as text

const grouped: Intl.NumberFormat = new Intl.NumberFormat('en');

export function countText(value: number): string {
  return grouped.format(Math.round(value));
}

/** A rate: small ones with one digit after the point. */
export function rateText(value: number): string {
  return value >= 9.95 ? countText(value) : String(Number(value.toFixed(1)));
}

export function secondsText(ms: number): string {
  return `${Number((ms / 1_000).toFixed(1))} s`;
}

/** ` (no retry: 98)`; nothing for that policy itself, or where it is not among the compared. */
export function beside(
  baseline: Compared | undefined,
  own: Compared,
  value: (figures: Figures) => string,
): string {
  return baseline === undefined || baseline === own ? '' : ` (${baseline.label}: ${value(baseline.figures)})`;
}

/** What it costs the server. */
export function effortText(own: Compared, all: readonly Compared[]): string {
  const { load, forbidden } = own.figures;
  const baseline = withoutRetries(all);
  const hasWindows = all.some(({ figures }) => figures.forbidden > 0);
  const ignored = hasWindows ? `, ${countText(forbidden)} of them while told to wait` : '';
  const attempts = `${rateText(load.overall)} attempts a second`;
  const besides = beside(baseline, own, (figures) => rateText(figures.load.overall));
  return `at ${attempts}${besides}${ignored}`;
}

/** Which policies put the least and the most load on the server; nothing where all are about the same. */
export function spreadText(all: readonly Compared[], load: (figures: Figures) => number): string {
  const byLoad = all.toSorted((one, other) => load(one.figures) - load(other.figures));
  const [least, most] = [byLoad[0], byLoad.at(-1)];
  if (least === undefined || most === undefined) return '';
  const [low, high] = [load(least.figures), load(most.figures)];
  if (low > 0.9 * high) return '';
  return `${least.label} sends the least (${rateText(low)} attempts a second), ${most.label} the most (${rateText(high)})`;
}

/** `a, b and c` */
export function listText(compared: readonly Compared[]): string {
  const labels = compared.map(({ label }) => label);
  return labels.length < 2 ? labels.join('') : `${labels.slice(0, -1).join(', ')} and ${labels.at(-1)}`;
}
