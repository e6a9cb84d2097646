/** The table of totals: what each policy did in the whole run, and which was the best. */

import { countText, percentText, timesText, waitText } from './numbers.js';
import type { Comparison, RunReport } from './report.js';

export interface TotalsRow {
  readonly title: string;
  /** One for each entry. */
  readonly cells: readonly TotalsCell[];
}

export interface TotalsCell {
  readonly text: string;
  readonly isBest: boolean;
}

interface Figure {
  readonly title: string;
  /** Undefined where there is none: a server that stays down has no time to recover. */
  value(run: RunReport): number | undefined;
  text(value: number): string;
  readonly better?: 'more' | 'less';
  /** Shown in place of a missing value. */
  readonly missing?: string;
  /** Left out where it is 0 for all. */
  readonly rare?: true;
  /** Left out where no policy has a value. */
  readonly apart?: true;
  /** What it is a share of: left out where the policies had different numbers of them. */
  readonly shareOf?: (run: RunReport) => number;
}

const figures: readonly Figure[] = [
  { title: 'Succeeded per second', value: ({ totals }) => totals.goodput, text: oneDigit, better: 'more' },
  { title: 'Requests', value: ({ totals }) => totals.offered, text: countText },
  { title: 'Success rate', value: goodShare, text: percentText, better: 'more', shareOf: offered },
  {
    title: 'Success rate without the guilty requests',
    value: ({ totals, innocent }) => (innocent.offered === totals.offered ? undefined : goodOf(innocent)),
    text: percentText,
    better: 'more',
    apart: true,
    shareOf: ({ innocent }) => innocent.offered,
  },
  { title: 'Failed', value: ({ totals }) => totals.failed, text: countText },
  { title: 'Not sent (gate or hold)', value: ({ totals }) => totals.refused, text: countText, rare: true },
  { title: 'Aborted by the caller', value: ({ totals }) => totals.aborted, text: countText, rare: true },
  { title: 'Still pending at the end', value: unfinished, text: countText, rare: true },
  { title: 'Attempts', value: ({ totals }) => totals.sent, text: countText, better: 'less' },
  {
    title: 'Attempts per request',
    value: ({ totals }) => totals.amplification,
    text: timesText,
    better: 'less',
    shareOf: offered,
  },
  { title: 'Hedges', value: ({ totals }) => totals.hedges, text: countText, rare: true },
  { title: 'Hedges that won', value: ({ totals }) => totals.hedgesWon, text: countText, rare: true },
  {
    title: 'Attempts that timed out',
    value: ({ totals }) => totals.timedOut,
    text: countText,
    better: 'less',
    rare: true,
  },
  {
    title: 'Peak attempts per second',
    value: ({ series }) => Math.max(0, ...series.sent),
    text: countText,
    better: 'less',
  },
  {
    title: 'Sent despite Retry-After',
    // Where only the guilty were asked to wait, the others did nothing wrong.
    value: ({ totals, innocent }) => (innocent.offered === totals.offered ? totals.forbidden : 0),
    text: countText,
    better: 'less',
    rare: true,
  },
  {
    title: 'Duplicate writes',
    value: ({ totals }) => totals.duplicateWrites,
    text: countText,
    better: 'less',
    rare: true,
  },
  // A policy that gives up whatever takes long is quick with the rest, so that the lowest time is not the best one.
  { title: 'Median time of successes', value: ({ totals }) => totals.p50Ms, text: waitText },
  { title: '99th percentile of successes', value: ({ totals }) => totals.p99Ms, text: waitText },
  { title: '99.9th percentile of successes', value: ({ totals }) => totals.p999Ms, text: waitText },
];

const recovery: Figure = {
  title: 'Time to recover',
  value: ({ totals }) => totals.recoveredAfterMs,
  text: (ms) => (ms === 0 ? 'at once' : waitText(ms)),
  better: 'less',
  missing: 'not in this run',
};

export function totalsRows({ scenario, entries }: Comparison): readonly TotalsRow[] {
  const hasFaults = scenario.world.services.some(({ faults = [] }) => faults.length > 0);
  const shown = hasFaults ? [...figures, recovery] : figures;
  return shown.flatMap((figure) => {
    // A client that is refused at once comes back sooner: its requests are more, and their shares mislead.
    if (figure.shareOf !== undefined && !isSame(entries.map(({ run }) => figure.shareOf?.(run)))) return [];
    const values = entries.map(({ run }) => finite(figure.value(run)));
    if (figure.apart && values.every((value) => value === undefined)) return [];
    if (figure.rare && values.every((value) => value === 0)) return [];
    return [{ title: figure.title, cells: cellsOf(figure, values) }];
  });
}

function cellsOf(figure: Figure, values: readonly (number | undefined)[]): TotalsCell[] {
  const texts = values.map((value) => (value === undefined ? (figure.missing ?? '-') : figure.text(value)));
  const best = bestOf(figure, values);
  // Values that read the same are the same, and where all are the same, none is the best.
  const bestText = best === undefined ? undefined : figure.text(best);
  const isTie = texts.every((text) => text === bestText);
  return texts.map((text) => ({ text, isBest: text === bestText && !isTie }));
}

function bestOf({ better }: Figure, values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  if (better === undefined || known.length === 0) return undefined;
  return better === 'more' ? Math.max(...known) : Math.min(...known);
}

function offered({ totals }: RunReport): number {
  return totals.offered;
}

function isSame(values: readonly unknown[]): boolean {
  return new Set(values).size <= 1;
}

/** The share of all requests that began: a request that is still being retried has not succeeded. */
function goodShare({ totals }: RunReport): number {
  return goodOf(totals);
}

function goodOf({ good, offered }: RunReport['totals']): number {
  return good / offered;
}

function unfinished({ totals: { offered, good, failed, refused, aborted } }: RunReport): number {
  return offered - good - failed - refused - aborted;
}

function oneDigit(value: number): string {
  return value.toFixed(1);
}

/** JSON has no undefined and no NaN; both arrive as null. */
function finite(value: number | undefined): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
