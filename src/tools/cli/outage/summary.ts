/** What came of it: before, during and after the stop, and whether the server has recovered. */

import { timeText } from '../../../internal.js';
import { backAt, backShare } from '../../sim/internal.js';
import type { Printer } from '../printer.js';
import { table } from '../table.js';
import type { Counted, Counts } from './counts.js';
import type { Course } from './play.js';

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

/** Of less than a second, nothing can be said. */
function phasesOf({ stoppedAt, resumedAt, endedAt }: Course): Phase[] {
  const phases =
    stoppedAt === undefined
      ? [{ name: 'all the time', fromMs: 0, toMs: endedAt }]
      : [
          { name: 'before', fromMs: 0, toMs: stoppedAt },
          { name: 'stopped', fromMs: stoppedAt, toMs: resumedAt ?? endedAt },
          { name: 'after', fromMs: resumedAt ?? endedAt, toMs: endedAt },
        ];
  return phases.filter(({ fromMs, toMs }) => wholeSeconds(toMs) > wholeSeconds(fromMs));
}

const longestWindow = 10;

/** The line that tells the end, and whether it is a good one; undefined: it was not stopped, or too little was seen. */
export function recoveryOf(
  counts: Counts,
  { stoppedAt, resumedAt, endedAt }: Course,
): { readonly recovered: boolean; readonly line: string } | undefined {
  if (stoppedAt === undefined || resumedAt === undefined) return undefined;
  const [from, to] = [wholeSeconds(resumedAt), wholeSeconds(endedAt)];
  const window = Math.min(longestWindow, to - from);
  if (window < 1) return undefined;
  const goodput = counts.perSecond.bind(counts, 'good');
  const second = backAt(goodput, { normal: goodput(0, stoppedAt), from, to, window });
  if (second !== undefined) {
    return {
      recovered: true,
      line: `recovered ${timeText((second - from) * 1_000)} after the server continued`,
    };
  }
  const share = `${backShare * 100} % of the answers before the stop`;
  return {
    recovered: false,
    line: `wedged: ${timeText(wholeSeconds(endedAt - resumedAt) * 1_000)} after the server continued, still below ${share}`,
  };
}

/** As counts are read. */
function wholeSeconds(ms: number): number {
  return Math.round(ms / 1_000);
}
