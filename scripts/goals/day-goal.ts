/**
 * A day, and what a policy has to reach on it: one entry is a goal of `--goals`, and may be a column of a table. No
 * retry has the same luck on the same day.
 */

import type { Contender, Day, Run, SimulateOptions } from '../../src/tools/sim/index.js';
import { peers } from '../../src/tools/sim/index.js';
import type { DayCase } from '../ordinary-tables.js';
import { mean, percent, runs } from '../sim-reading.js';
import type { Goal } from './goal.js';
import { isAtLeast } from './goal.js';

export interface DayGoal {
  /** Entries with the same name belong together; the command line can ask for them alone. */
  readonly name: string;
  readonly about: string;
  readonly day: Day;
  /** All of them have to be reached. Those without a bound are only reported. */
  readonly figures: readonly [Figure, ...Figure[]];
  /** What becomes of the policy under judgement, for days that need another setting. */
  readonly adapted?: (contender: Contender) => Contender;
  /** All processes of the clients share their scopes through this store. */
  readonly store?: SimulateOptions['store'];
  /** The heading of its column in docs/outages.md, which shows the first figure. Default: only a goal. */
  readonly column?: string;
  /** Quick enough for a test of ten seeds. */
  readonly isQuick?: true;
}

export interface Figure {
  readonly what: string;
  readonly of: (run: Run) => number;
  readonly atLeast?: number;
  readonly atMost?: number;
  /** The bound is relative to the result of no retry. */
  readonly besideNone?: true;
  /** The worst seed is judged. Default: the mean of all. */
  readonly worst?: true;
  /** Default: as a percentage. */
  readonly text?: (value: number) => string;
}

/** As a column of a table; the policies there are judged by the first figure alone. */
export function columnOf(entry: DayGoal): DayCase | undefined {
  const { column, about, day, figures, adapted, store, isQuick } = entry;
  const [{ of: value, atMost, text: print }] = figures;
  if (column === undefined) return undefined;
  return {
    column,
    about,
    asked: `\`service\`: ${wantedText(figures[0])}`,
    day,
    value,
    better: atMost === undefined ? 'more' : 'less',
    ...(print && { print }),
    ...(adapted && { adapted }),
    ...(store && { store }),
    ...(isQuick && { isQuick }),
  };
}

export function goalOf({ name, about, day, figures, adapted = same, store }: DayGoal): Goal {
  return {
    name,
    about,
    wanted: figures.map(wantedText).filter(Boolean).join(', ') || 'reported',
    judge(contender, seeds) {
      const ours = runs(day.world, day.clients, adapted(contender), seeds, store);
      const none = runs(day.world, day.clients, peers.noRetry, seeds);
      const judged = figures.map((figure) => judgedBy(figure, ours, none));
      const bounded = judged.flatMap(({ isMet }) => isMet ?? []);
      return {
        isMet: bounded.length === 0 ? undefined : bounded.every(Boolean),
        figures: judged.map(({ text }) => text).join('; '),
      };
    },
  };
}

function same(contender: Contender): Contender {
  return contender;
}

function wantedText({ what, atLeast, atMost, besideNone, worst, text = percentText }: Figure): string {
  const print = besideNone === true ? (value: number): string => `${percentText(value)} of no retry` : text;
  const bounds = [
    ...(atLeast === undefined ? [] : [`>= ${print(atLeast)}`]),
    ...(atMost === undefined ? [] : [`<= ${print(atMost)}`]),
  ];
  return bounds.length === 0 ? '' : `${what} ${bounds.join(' and ')}${worst ? ' in each run' : ''}`;
}

function judgedBy(
  figure: Figure,
  ours: readonly Run[],
  none: readonly Run[],
): { readonly isMet: boolean | undefined; readonly text: string } {
  const { what, of, atLeast, atMost, besideNone, worst, text = percentText } = figure;
  const each = ours.map(of);
  const usual = mean(none.map(of));
  const unit = besideNone === true ? usual : 1;
  const least = worst === true ? Math.min(...each) : mean(each);
  const most = worst === true ? Math.max(...each) : mean(each);
  const isHighEnough = atLeast === undefined || isAtLeast(least, atLeast * unit);
  const isLowEnough = atMost === undefined || isAtLeast(atMost * unit, most);
  const isBounded = atLeast !== undefined || atMost !== undefined;
  const spread = `${text(Math.min(...each))} to ${text(Math.max(...each))}`;
  return {
    isMet: isBounded ? isHighEnough && isLowEnough : undefined,
    text: `${what} ${text(mean(each))} (${spread}), no retry ${text(usual)}`,
  };
}

function percentText(value: number): string {
  return percent(value, 1);
}

// ---------------------------------------------------------------- figures of many days

/** The share of the innocent requests that succeed. */
export function good({ innocent: { totals } }: Run): number {
  return totals.good / totals.offered;
}

export function failures({ totals }: Run): number {
  return totals.failed + totals.refused;
}

export function attempts({ totals }: Run): number {
  return totals.sent;
}

export function wholeNumber(value: number): string {
  return value.toFixed(0);
}

export function twoDigits(value: number): string {
  return value.toFixed(2);
}

export function milliseconds(value: number): string {
  return `${value.toFixed(0)} ms`;
}
