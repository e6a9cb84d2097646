/** The table of the figures that compare policies: one row for each policy, as a verdict found them. */

import type { Figures, Outage, Scenario, Verdict } from '../sim/internal.js';
import { isAboutTimes, listOf, outageOf } from '../sim/internal.js';
import { countText, waitText } from './numbers.js';

export interface HeadlineTable {
  readonly columns: readonly HeadlineColumn[];
  /** One for each policy, in the order of the comparison. */
  readonly rows: readonly HeadlineRow[];
}

interface HeadlineColumn {
  /** What the figure is: columns of one group stand beside each other. */
  readonly group: string;
  /** The time that the column is about. */
  readonly title: string;
  /** Where there is no room for all columns, those with the highest number go first; 0 stays. */
  readonly spare: number;
}

interface HeadlineRow {
  readonly label: string;
  /** One for each column. */
  readonly cells: readonly string[];
}

interface Figure extends HeadlineColumn {
  readonly text: (figures: Figures) => string;
}

/** What the groups mean. */
export const headlineLegend =
  'good/s: requests that succeed, a second; sent/s: attempts that reach the server.';

export function headlineTable(scenario: Scenario, { policies }: Verdict): HeadlineTable {
  const outage = outageOf(scenario);
  const shown = outage === undefined ? calmFigures(scenario, policies) : outageFigures(outage);
  return {
    columns: shown.map(({ group, title, spare }) => ({ group, title, spare })),
    rows: policies.map(({ label, figures }) => ({ label, cells: shown.map(({ text }) => text(figures)) })),
  };
}

function outageFigures({ name }: Outage): readonly Figure[] {
  const [during, after] = [`in ${name}`, '10 s after'];
  return [
    { group: 'good/s', title: during, spare: 0, text: ({ good }) => rate(good.during) },
    { group: 'good/s', title: after, spare: 1, text: ({ good }) => rate(good.after) },
    { group: 'good/s', title: 'in all', spare: 0, text: ({ good }) => rate(good.overall) },
    { group: 'sent/s', title: during, spare: 0, text: ({ load }) => rate(load.during) },
    { group: 'sent/s', title: 'in all', spare: 2, text: ({ load }) => rate(load.overall) },
    {
      group: 'back to',
      title: 'normal',
      spare: 0,
      text: ({ recoveredAfterMs }) => backText(recoveredAfterMs),
    },
  ];
}

function calmFigures(scenario: Scenario, policies: Verdict['policies']): readonly Figure[] {
  const isByClock = listOf(scenario.clients).every(({ kind }) => kind !== 'closed');
  const isWaiting = policies.some(({ figures }) => figures.forbidden > 0);
  return [
    { group: 'good/s', title: 'in all', spare: 0, text: ({ good }) => rate(good.overall) },
    // Clients that pause between requests send more of them where they are refused sooner: losses do not compare.
    ...(isByClock ? [{ group: 'requests', title: 'lost', spare: 0, text: lostText }] : []),
    { group: 'sent/s', title: 'in all', spare: 0, text: ({ load }) => rate(load.overall) },
    ...(isAboutTimes(policies) ? timeFigures : []),
    ...(isWaiting ? [{ group: 'sent while', title: 'told to wait', spare: 0, text: told }] : []),
  ];
}

const timeFigures: readonly Figure[] = [
  { group: 'answered', title: 'half in', spare: 1, text: ({ p50Ms }) => timeIn(p50Ms) },
  { group: 'answered', title: '99 % in', spare: 0, text: ({ p99Ms }) => timeIn(p99Ms) },
  { group: 'answered', title: '99.9 % in', spare: 0, text: ({ p999Ms }) => timeIn(p999Ms) },
];

function timeIn(ms: number | undefined): string {
  return ms === undefined ? '-' : waitText(ms);
}

function lostText({ lost }: Figures): string {
  return countText(lost);
}

function told({ forbidden }: Figures): string {
  return countText(forbidden);
}

function backText(ms: number | undefined): string {
  if (ms === undefined) return 'never';
  return ms === 0 ? 'at once' : `${waitText(ms)} after`;
}

const oneDigit: Intl.NumberFormat = new Intl.NumberFormat('en', {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

function rate(value: number | undefined): string {
  return value === undefined ? '-' : oneDigit.format(value);
}
