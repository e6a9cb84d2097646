/** The picture of an outage: a server is stopped for ten seconds, under three retry policies. */

import { presets } from '../src/index.js';
import type { Contender } from '../src/tools/sim/index.js';
import { articleClients, peers, perSecond, simulate, stoppedServer } from '../src/tools/sim/index.js';

interface Line {
  readonly name: string;
  readonly contender: Contender;
  /** For light and dark; dashes tell the lines apart as well. */
  readonly colours: readonly [light: string, dark: string];
  readonly dashes: string;
}

const lines: readonly Line[] = [
  {
    name: '3 retries, full jitter',
    contender: peers.threeRetries,
    colours: ['#b3261e', '#ff8a80'],
    dashes: '7 4',
  },
  {
    name: 'exponential backoff, forever',
    contender: peers.articleProgram,
    colours: ['#7a5b00', '#f2c14e'],
    dashes: '2 3',
  },
  {
    name: 'undaunted: `service`',
    contender: presets.policies.service,
    colours: ['#0b57d0', '#8ab4f8'],
    dashes: 'none',
  },
];

const [stoppedAt, stopMs, shownMs] = [30_000, 10_000, 120_000];
/** Points are means of this time: single seconds with a hundred requests are noise. */
const stepMs = 2_000;

const width = 760;
const plot = { left: 48, right: width - 16 } as const;

interface Panel {
  readonly title: string;
  readonly series: 'good' | 'sent';
  readonly top: number;
  readonly height: number;
  readonly marks: readonly number[];
}

const panels: readonly Panel[] = [
  { title: 'Good answers a second', series: 'good', top: 64, height: 110, marks: [0, 50, 100] },
  { title: 'Attempts sent a second', series: 'sent', top: 222, height: 110, marks: [0, 100, 200] },
];

export function outagePicture(): string {
  const world = stoppedServer(511, stopMs, shownMs - stoppedAt - stopMs);
  const runs = lines.map(({ contender }) => simulate(world, articleClients, contender, { seed: 1 }));
  const description =
    'A server is stopped from second 30 to 40. Clients with three retries never get another good answer, and ' +
    'those with exponential backoff get about two thirds of the usual ones for half a minute; those with the policy service send one attempt a ' +
    'second while it is stopped, and are back at once.';
  const pathOf = (panel: Panel, index: number): string => {
    const points = Array.from({ length: shownMs / stepMs }, (_, step) => {
      const value = perSecond(runs[index]?.series[panel.series] ?? new Float64Array(), step * stepMs, stepMs);
      return `${x((step + 0.5) * stepMs)},${y(panel, value)}`;
    });
    return `<polyline class="line line-${index}" points="${points.join(' ')}"/>`;
  };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 372" role="img" aria-labelledby="title what">`,
    '<title id="title">A server is stopped for ten seconds: the retry policy of its clients decides whether it recovers</title>',
    `<desc id="what">${description}</desc>`,
    `<style>${style()}</style>`,
    ...lines.map(legend),
    ...panels.flatMap((panel) => [...frame(panel), ...lines.map((_, index) => pathOf(panel, index))]),
    ...[0, 30, 40, 60, 90, 120].map(
      (second) => `<text class="mark" x="${x(second * 1_000)}" y="350" text-anchor="middle">${second}</text>`,
    ),
    `<text class="mark" x="${plot.right}" y="366" text-anchor="end">seconds</text>`,
    '</svg>',
    '',
  ].join('\n');
}

function style(): string {
  const colours = (index: 0 | 1): string =>
    lines.map((line, number) => `.line-${number}{stroke:${line.colours[index]}}`).join('');
  const dashes = lines
    .map(({ dashes: some }, number) => `.line-${number}{stroke-dasharray:${some}}`)
    .join('');
  return (
    'text{font:13px system-ui,sans-serif;fill:#1f1f1f}.mark{font-size:12px;fill:#5f6368}' +
    '.line{fill:none;stroke-width:2;stroke-linejoin:round}.rule{stroke:#dadce0}.stop{fill:#e8eaed}' +
    `${dashes}${colours(0)}` +
    '@media(prefers-color-scheme:dark){text{fill:#e8eaed}.mark{fill:#9aa0a6}.rule{stroke:#3c4043}.stop{fill:#303134}' +
    `${colours(1)}}`
  );
}

function legend({ name }: Line, index: number): string {
  const left = plot.left + index * 250;
  return (
    `<polyline class="line line-${index}" points="${left},20 ${left + 32},20"/>` +
    `<text x="${left + 40}" y="24">${name.replaceAll('`', '')}</text>`
  );
}

function frame(panel: Panel): string[] {
  const { title, top, height, marks } = panel;
  const [from, to] = [x(stoppedAt), x(stoppedAt + stopMs)];
  return [
    `<rect class="stop" x="${from}" y="${top}" width="${round(to - from)}" height="${height}"/>`,
    `<text x="${plot.left}" y="${top - 12}">${title}</text>`,
    `<text class="mark" x="${round((from + to) / 2)}" y="${top - 12}" text-anchor="middle">stopped</text>`,
    ...marks.flatMap((mark) => [
      `<line class="rule" x1="${plot.left}" x2="${plot.right}" y1="${y(panel, mark)}" y2="${y(panel, mark)}"/>`,
      `<text class="mark" x="${plot.left - 8}" y="${y(panel, mark) + 4}" text-anchor="end">${mark}</text>`,
    ]),
  ];
}

function x(ms: number): number {
  return round(plot.left + (ms / shownMs) * (plot.right - plot.left));
}

function y({ top, height, marks }: Panel, value: number): number {
  const most = (marks.at(-1) ?? 1) * 1.3;
  return round(top + height * (1 - Math.min(value, most) / most));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
