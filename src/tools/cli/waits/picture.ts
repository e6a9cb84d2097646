/** Waits as a chart: for each retry the wait before it, and the time since the first failure. */

import { waitText } from '../../pages/numbers.js';
import type { Spread, Wait } from '../../pages/waits.js';
import type { Part, Plan } from './plan.js';
import { limitsOf } from './plan.js';
import { rangeText } from './print.js';

const width = 760;
const rowHeight = 20;
const font = { text: 13, mark: 12 } as const;

interface Chart {
  readonly title: string;
  readonly spreadOf: (wait: Wait) => Spread;
  readonly left: number;
  readonly right: number;
}

const charts: readonly [Chart, Chart] = [
  { title: 'Wait before it', spreadOf: ({ ms }) => ms, left: 48, right: 300 },
  { title: 'Time since the first failure', spreadOf: ({ sumMs }) => sumMs, left: 420, right: 672 },
];

/** Above the rows of a part, and below them. */
const head = 48;
const foot = 40;

export function pictureOf(plan: Plan): string {
  const { title, parts } = plan;
  const heading = `The waits before each retry: ${title}`;
  const remarks = limitsOf(plan);
  const tops = parts.map(
    (_, index) => 52 + parts.slice(0, index).reduce((sum, part) => sum + heightOf(part), 0),
  );
  const below = 52 + parts.reduce((sum, part) => sum + heightOf(part), 0);
  const height = below + 20 * (1 + remarks.length) + 8;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title what">`,
    `<title id="title">${escaped(heading)}</title>`,
    `<desc id="what">${escaped(parts.map(partText).join(' '))}</desc>`,
    `<style>${style}</style>`,
    // Its own background: viewers show a file on a white page in dark mode, too.
    `<rect class="page" width="${width}" height="${height}" rx="8"/>`,
    text(16, 28, heading, 'head'),
    ...parts.flatMap((part, index) => drawPart(part, tops[index] ?? 0, plan.deadlineMs)),
    ...[
      'Bars reach from the shortest to the longest; the mark and the number are the median.',
      ...remarks,
    ].map((remark, index) => text(16, below + 14 + 20 * index, remark, 'mark')),
    '</svg>',
    '',
  ].join('\n');
}

const style: string =
  `text{font:${font.text}px system-ui,sans-serif;fill:#1f1f1f}.head{font-weight:600;font-size:15px}` +
  `.mark{font-size:${font.mark}px;fill:#5f6368}.end{text-anchor:end}.middle{text-anchor:middle}` +
  '.page{fill:#fff}.rule{stroke:#dadce0}.limit{stroke:#b3261e;stroke-dasharray:4 3}' +
  '.schedule{fill:#0b57d0}.throttledSchedule{fill:#7a5b00}.range{opacity:.35}' +
  '@media(prefers-color-scheme:dark){text{fill:#e8eaed}.mark{fill:#9aa0a6}.page{fill:#1f1f1f}.rule{stroke:#3c4043}' +
  '.limit{stroke:#ff8a80}.schedule{fill:#8ab4f8}.throttledSchedule{fill:#f2c14e}}';

function heightOf({ waits }: Part): number {
  return head + waits.length * rowHeight + foot;
}

/** The bars in words, for screen readers. */
function partText({ title, waits }: Part): string {
  const rows = waits.map(
    ({ retry, ms, sumMs }) =>
      `retry ${retry} waits ${rangeText(ms)}, usually ${waitText(ms.median)}, ` +
      `and comes ${waitText(sumMs.median)} after the first failure`,
  );
  return `${title}: ${rows.join('; ')}.`;
}

function drawPart(part: Part, top: number, deadlineMs: number | undefined): string[] {
  const { title, waits } = part;
  const firstRow = top + head;
  const numbers = waits.map(({ retry }, index) =>
    text(32, firstRow + index * rowHeight + 14, String(retry), 'mark end'),
  );
  return [
    text(16, top + 16, title),
    ...numbers,
    ...drawChart(charts[0], part, firstRow, undefined),
    ...drawChart(charts[1], part, firstRow, deadlineMs),
  ];
}

function drawChart(
  chart: Chart,
  { key, waits }: Part,
  top: number,
  deadlineMs: number | undefined,
): string[] {
  const { title, spreadOf, left, right } = chart;
  const spreads = waits.map(spreadOf);
  const ticks = ticksUpTo(Math.max(1, ...spreads.map(({ longest }) => longest)));
  const bottom = top + waits.length * rowHeight;
  const x = (ms: number): number => round(left + (ms / (ticks.at(-1) ?? 1)) * (right - left));
  const line = (ms: number, kind: string): string =>
    `<line class="${kind}" x1="${x(ms)}" x2="${x(ms)}" y1="${top}" y2="${bottom + 4}"/>`;
  const isLimited = deadlineMs !== undefined && x(deadlineMs) <= right;
  const heading = isLimited ? `${title} (dashed: the deadline)` : title;
  return [
    text(left, top - 8, heading, 'mark'),
    ...ticks.flatMap((ms) => [line(ms, 'rule'), text(x(ms), bottom + 18, waitText(ms), 'mark middle')]),
    ...spreads.flatMap((spread, index) => drawRow(key, spread, x, top + index * rowHeight, right)),
    ...(isLimited ? [line(deadlineMs, 'limit')] : []),
  ];
}

function drawRow(
  key: Part['key'],
  { shortest, median, longest }: Spread,
  x: (ms: number) => number,
  y: number,
  right: number,
): string[] {
  const length = Math.max(1, round(x(longest) - x(shortest)));
  return [
    `<rect class="${key} range" x="${x(shortest)}" y="${y + 6}" width="${length}" height="8"/>`,
    `<rect class="${key}" x="${round(x(median) - 1.5)}" y="${y + 3}" width="3" height="14"/>`,
    text(right + 12, y + 14, waitText(median)),
  ];
}

/** At most seven round numbers from 0; nothing exceeds the last one. */
export function ticksUpTo(most: number): number[] {
  const power = 10 ** Math.floor(Math.log10(most));
  const steps = [0.2, 0.5, 1, 2].map((part) => part * power);
  const step = steps.find((length) => most / length <= 5) ?? power;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
}

function text(x: number, y: number, content: string, kind?: string): string {
  return `<text${kind === undefined ? '' : ` class="${kind}"`} x="${x}" y="${y}">${escaped(content)}</text>`;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
