/** Waits as a table with a bar for each retry. */

import { waitText } from '../../pages/numbers.js';
import type { Spread, Wait } from '../../pages/waits.js';
import type { Environment, Printer } from '../printer.js';
import { fits, table } from '../table.js';
import type { Part, Plan } from './plan.js';
import { limitsOf } from './plan.js';

interface Glyphs {
  readonly range: string;
  readonly median: string;
}

const drawn: Glyphs = { range: '━', median: '╋' };
const typed: Glyphs = { range: '-', median: '|' };

/** On Windows, Node passes text and not bytes to the console; elsewhere the locale says what a terminal can show. */
export function glyphsFor(env: Environment, platform: string): Glyphs {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return platform === 'win32' || /utf-?8/i.test(locale) ? drawn : typed;
}

export function printPlan(out: Printer, plan: Plan, glyphs: Glyphs): void {
  const { title, maxRetries, parts } = plan;
  const count = maxRetries === 1 ? '1 retry' : `${maxRetries} retries`;
  out.text(`${title}: ${maxRetries === 0 ? 'no retries, and no waits' : count}`, 'bold');
  if (maxRetries === 0) return;
  for (const part of parts) printPart(out, part, glyphs);
  out.line();
  const remarks = [
    ...limitsOf(plan),
    'Medians are simulated, with a fixed seed. A wait that the server asks for overrides these.',
  ];
  for (const remark of remarks) out.text(remark, 'dim');
}

const columns = [
  { title: 'retry', align: 'right' },
  { title: 'wait', align: 'right' },
  { title: 'median', align: 'right' },
  { title: 'since first failure', align: 'right' },
  { title: 'median', align: 'right' },
] as const;

function printPart(out: Printer, { title, waits }: Part, glyphs: Glyphs): void {
  const longestMs = waits.at(-1)?.sumMs.longest ?? 0;
  const barWidth = out.width < 110 ? 20 : 40;
  const texts = waits.map(textsOf);
  const withBars = waits.map((wait) => [
    ...textsOf(wait),
    out.paint('cyan', bar(wait.sumMs, longestMs, barWidth, glyphs)),
  ]);
  out.line();
  out.text(title);
  // Where there is no room for bars, the numbers say the same.
  const lines = table([...columns, {}], withBars);
  for (const line of fits(lines, out.width) ? lines : table(columns, texts, out.width)) out.line(line);
}

function textsOf({ retry, ms, sumMs }: Wait): string[] {
  return [String(retry), rangeText(ms), waitText(ms.median), rangeText(sumMs), waitText(sumMs.median)];
}

export function rangeText({ shortest, longest }: Spread): string {
  return shortest === longest ? waitText(longest) : `${waitText(shortest)} to ${waitText(longest)}`;
}

/** From the shortest to the longest, with a mark at the median. */
export function bar(
  { shortest, median, longest }: Spread,
  wholeMs: number,
  width: number,
  { range, median: mark }: Glyphs,
): string {
  const at = (ms: number): number => (wholeMs === 0 ? 0 : Math.round((ms / wholeMs) * (width - 1)));
  const [from, middle, to] = [at(shortest), at(median), at(longest)];
  return `${' '.repeat(from)}${range.repeat(middle - from)}${mark}${range.repeat(to - middle)}`;
}
