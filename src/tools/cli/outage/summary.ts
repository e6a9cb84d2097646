/** The result: rates before, during and after the stop, and whether the server has recovered. */

import type { Figures, Outage, Rates } from '../../sim/internal.js';
import { backAt, findingOnRecovery } from '../../sim/internal.js';
import type { Printer } from '../printer.js';
import { table } from '../table.js';
import type { Counted, Counts } from './counts.js';
import type { Course } from './play.js';

/** In seconds. */
const longestWindow = 10;

interface Phase {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
}

const rows: readonly (readonly [Counted, string])[] = [
  ['good', 'OK'],
  ['attempts', 'attempts'],
  ['errors', 'errors'],
  ['timedOut', 'timed out'],
  ['refused', 'refused, not sent'],
];

export function printSummary(out: Printer, counts: Counts, course: Course): void {
  const phases = phasesOf(course);
  if (phases.length === 0) return;
  const columns = [
    { title: 'per second' },
    ...phases.map(({ name }) => ({ title: name, align: 'right' as const })),
  ];
  const cells = rows.map(([counted, label]) => [
    label,
    ...phases.map(({ fromMs, toMs }) => counts.perSecond(counted, fromMs, toMs - fromMs).toFixed(1)),
  ]);
  out.line();
  for (const line of table(columns, cells, out.width)) out.line(line);
}

/** Only those of at least a second: a shorter one has no rate. */
function phasesOf({ stoppedAt, resumedAt, endedAt }: Course): Phase[] {
  const phases =
    stoppedAt === undefined
      ? [{ name: 'all the time', fromMs: 0, toMs: endedAt }]
      : [
          { name: 'before', fromMs: 0, toMs: stoppedAt },
          { name: 'stopped', fromMs: stoppedAt, toMs: resumedAt ?? endedAt },
          ...afterwards(resumedAt ?? endedAt, endedAt),
          { name: 'in all', fromMs: 0, toMs: endedAt },
        ];
  return phases.filter(({ fromMs, toMs }) => wholeSeconds(toMs) > wholeSeconds(fromMs));
}

/** The first ten seconds apart, if there are more: they show what the outage left behind. */
function afterwards(resumedAt: number, endedAt: number): Phase[] {
  const firstEndsAt = resumedAt + longestWindow * 1_000;
  const rest = { name: 'after', fromMs: resumedAt, toMs: endedAt };
  if (firstEndsAt >= endedAt) return [rest];
  return [
    { name: '10 s after', fromMs: resumedAt, toMs: firstEndsAt },
    { ...rest, name: 'later', fromMs: firstEndsAt },
  ];
}

/** The sentence on the policy, and whether the server recovered; undefined: it was not stopped, or too little was seen. */
export function recoveryOf(
  counts: Counts,
  { stoppedAt, resumedAt, endedAt }: Course,
  policy: string,
): { readonly recovered: boolean; readonly line: string } | undefined {
  if (stoppedAt === undefined || resumedAt === undefined) return undefined;
  const [from, to] = [wholeSeconds(resumedAt), wholeSeconds(endedAt)];
  if (to - from < 1) return undefined;
  const outage = { name: 'outage', fromMs: stoppedAt, untilMs: resumedAt } as const;
  const own = { name: policy, label: policy, figures: figuresOf(counts, outage, endedAt) };
  const { hasRecovered, sentence } = findingOnRecovery(own, outage, endedAt);
  return { recovered: hasRecovered, line: `${policy}: ${sentence}.` };
}

function figuresOf(counts: Counts, { fromMs, untilMs }: Outage, endedAt: number): Figures {
  const [from, to] = [wholeSeconds(untilMs), wholeSeconds(endedAt)];
  const window = Math.min(longestWindow, to - from);
  const ratesOf = (counted: Counted): Rates => {
    const rate = (begin: number, end: number): number => counts.perSecond(counted, begin, end - begin);
    return {
      before: rate(0, fromMs),
      during: rate(fromMs, untilMs),
      after: rate(untilMs, untilMs + window * 1_000),
      atEnd: rate(endedAt - window * 1_000, endedAt),
      overall: rate(0, endedAt),
    };
  };
  const totalOf = (counted: Counted): number => Math.round((ratesOf(counted).overall * endedAt) / 1_000);
  const [good, load, retries] = [ratesOf('good'), ratesOf('attempts'), ratesOf('retries')];
  const goodput = counts.perSecond.bind(counts, 'good');
  const back = backAt(goodput, { normal: good.before ?? 0, from, to, window });
  return {
    good,
    load,
    recoveredAfterMs: back === undefined ? undefined : (back - from) * 1_000,
    offered: Number.NaN,
    succeeded: totalOf('good'),
    lost: Number.NaN,
    refused: totalOf('refused'),
    forbidden: 0,
    retryShareAtEnd: retries.atEnd / Math.max(load.atEnd, Number.EPSILON),
    ...{ p50Ms: undefined, p99Ms: undefined, p999Ms: undefined },
  };
}

/** Counts are per second. */
function wholeSeconds(ms: number): number {
  return Math.round(ms / 1_000);
}
