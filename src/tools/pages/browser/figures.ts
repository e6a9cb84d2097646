/** Which charts there are of a comparison, and what is in them. */

import type { Scenario } from '../../sim/internal.js';
import { valueText, waitText } from '../numbers.js';
import type { Comparison, Entry, RunReport } from '../report.js';
import { lineLook } from './lines.js';
import type { ChartSpec, Shade } from './plot.js';

interface Figure {
  readonly title: string;
  readonly unit: string;
  readonly isLogarithmic?: boolean;
  /** Default: a plain number. */
  readonly text?: (value: number) => string;
  values(run: RunReport): readonly number[];
  /** Left out where it is the same for all and all the time. */
  readonly isRare?: true;
}

const callers: readonly Figure[] = [
  { title: 'Good', unit: 'requests a second that ended well', values: ({ series }) => series.good },
  { title: 'Attempts', unit: 'attempts sent in a second', values: ({ series }) => series.sent },
  { title: 'Failed', unit: 'requests a second that failed', values: ({ series }) => series.failed },
  {
    title: 'Not sent',
    unit: 'requests a second that the gate or the hold turned away',
    values: ({ series }) => series.refused,
    isRare: true,
  },
  {
    title: 'Sent while told to wait',
    unit: 'attempts in a second against a Retry-After',
    values: ({ series }) => series.forbidden,
    isRare: true,
  },
  { title: 'Requests', unit: 'requests that began in a second', values: ({ series }) => series.offered },
];

function serverFigures({ world }: Scenario): readonly Figure[] {
  return world.services.flatMap((_, index, { length }): Figure[] => {
    const name = length === 1 ? 'the server' : `service ${index + 1}`;
    return [
      {
        title: `In progress at ${name}`,
        unit: 'requests; on a logarithmic scale',
        isLogarithmic: true,
        values: ({ services }) => services[index]?.concurrency ?? [],
      },
      {
        title: `Delay of ${name}`,
        unit: 'on a logarithmic scale',
        isLogarithmic: true,
        text: waitText,
        isRare: true,
        values: ({ services }) => services[index]?.delayMs ?? [],
      },
    ];
  });
}

/** A chart for each number, with a line for each policy. */
export function specsByFigure(comparison: Comparison, hidden: ReadonlySet<string>): readonly ChartSpec[] {
  const { scenario, entries } = comparison;
  const shades = shadesOf(scenario);
  return [...callers, ...serverFigures(scenario)].filter(occursIn(entries)).map((figure) => ({
    text: valueText,
    ...figure,
    shades,
    lines: entries.map(({ name, run }, index) => ({
      name,
      look: lineLook(index),
      values: figure.values(run),
      isShown: !hidden.has(name),
    })),
  }));
}

/** A chart for each policy, with a line for each number. */
export function specsByPolicy(
  { scenario, entries }: Comparison,
  hidden: ReadonlySet<string>,
): readonly ChartSpec[] {
  const shades = shadesOf(scenario);
  const figures = callers.filter(occursIn(entries));
  return entries
    .filter(({ name }) => !hidden.has(name))
    .map(({ name, run }) => ({
      title: name,
      unit: 'in a second',
      text: valueText,
      shades,
      lines: figures.map((figure, index) => ({
        name: figure.title,
        look: lineLook(index),
        values: figure.values(run),
        isShown: true,
      })),
    }));
}

function occursIn(entries: readonly Entry[]): (figure: Figure) => boolean {
  return ({ isRare, values }) =>
    isRare !== true || new Set(entries.flatMap(({ run }) => values(run))).size > 1;
}

function shadesOf({ world }: Scenario): readonly Shade[] {
  return world.services.flatMap(({ faults = [] }) => faults);
}
