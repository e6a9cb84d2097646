/** Which charts a comparison has, and what is in them. */

import type { Scenario } from '../../sim/internal.js';
import { isAboutTimes, labelOf, outageOf, verdictOn } from '../../sim/internal.js';
import { coincidenceNote } from '../coincidence.js';
import { valueText, waitText } from '../numbers.js';
import type { Comparison, Entry, RunReport } from '../report.js';
import { lineLook } from './lines.js';
import type { ChartSpec, Line, Shade } from './plot.js';

interface Figure {
  readonly title: string;
  readonly unit: string;
  readonly isLogarithmic?: boolean;
  readonly ticks?: readonly number[];
  /** Default: a plain number. */
  readonly text?: (value: number) => string;
  values(run: RunReport): readonly number[];
  /** Left out where it is the same for all policies and all the time. */
  readonly isRare?: true;
}

const callers: readonly Figure[] = [
  {
    title: 'Succeeded',
    unit: 'requests that succeeded, per second',
    values: ({ series }) => series.good,
  },
  { title: 'Attempts', unit: 'attempts sent, per second', values: ({ series }) => series.sent },
  { title: 'Failed', unit: 'requests that failed, per second', values: ({ series }) => series.failed },
  {
    title: 'Not sent',
    unit: 'by the gate or the hold, per second',
    values: ({ series }) => series.refused,
    isRare: true,
  },
  {
    title: 'Sent despite Retry-After',
    unit: 'attempts sent before the server allowed it, per second',
    // Where only the guilty were asked to wait, the others did nothing wrong.
    values: ({ series, totals, innocent }) =>
      innocent.offered === totals.offered ? series.forbidden : series.forbidden.map(() => 0),
    isRare: true,
  },
  { title: 'Requests', unit: 'requests started, per second', values: ({ series }) => series.offered },
];

/** Where nothing is lost, but some requests are slow. */
function timeFigures({ world }: Scenario): readonly Figure[] {
  return [
    {
      title: 'Slowest success',
      unit: 'the longest time in each second, on a logarithmic scale',
      isLogarithmic: true,
      ticks: timesUpTo(world.durationMs).filter((ms) => ms <= 10_000),
      text: waitText,
      values: ({ slowestMs }) => slowestMs,
    },
  ];
}

function serverFigures({ world }: Scenario): readonly Figure[] {
  const { durationMs } = world;
  return world.services.flatMap((_, index, { length }): Figure[] => {
    const name = length === 1 ? 'the server' : `service ${index + 1}`;
    return [
      {
        title: `In progress at ${name}`,
        unit: 'requests, on a logarithmic scale',
        isLogarithmic: true,
        values: ({ services }) => services[index]?.concurrency ?? [],
      },
      {
        title: `Response time of ${name}`,
        unit: 'on a logarithmic scale',
        isLogarithmic: true,
        ticks: timesUpTo(durationMs),
        // A wedged server would answer after years, and a run shows nothing that comes after its end.
        text: (ms) => (ms >= durationMs ? `over ${waitText(durationMs)}` : waitText(ms)),
        isRare: true,
        values: ({ services }) => services[index]?.delayMs.map((ms) => Math.min(ms, durationMs)) ?? [],
      },
    ];
  });
}

/** Round times, and at the end the length of the run. */
function timesUpTo(durationMs: number): readonly number[] {
  const round = [0, 10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000];
  return [...round.filter((ms) => 3 * ms <= durationMs), durationMs];
}

/** A chart for each number, with a line for each policy. */
export function specsByFigure(comparison: Comparison, hidden: ReadonlySet<string>): readonly ChartSpec[] {
  const { scenario, entries } = comparison;
  const shades = shadesOf(scenario);
  const times = isAboutTimes(verdictOn(comparison).policies) ? timeFigures(scenario) : [];
  return [...times, ...callers, ...serverFigures(scenario)].filter(occursIn(entries)).map((figure) => {
    const lines = entries.map(({ name, run }, index) => ({
      name: labelOf(name),
      look: lineLook(index),
      values: figure.values(run),
      isShown: !hidden.has(name),
    }));
    return { text: valueText, ...figure, shades, lines, note: noteOn(lines) };
  });
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
    .map(({ name, run }) => {
      const lines = figures.map((figure, index) => ({
        name: figure.title,
        look: lineLook(index),
        values: figure.values(run),
        isShown: true,
      }));
      return {
        title: labelOf(name),
        unit: 'per second',
        text: valueText,
        shades,
        lines,
        note: noteOn(lines),
      };
    });
}

function noteOn(lines: readonly Line[]): string | undefined {
  return coincidenceNote(lines.filter(({ isShown }) => isShown));
}

function occursIn(entries: readonly Entry[]): (figure: Figure) => boolean {
  return ({ isRare, values }) =>
    isRare !== true || new Set(entries.flatMap(({ run }) => values(run))).size > 1;
}

/** Every fault, or else the surge. */
function shadesOf(scenario: Scenario): readonly Shade[] {
  const faults = scenario.world.services.flatMap((service) => service.faults ?? []);
  const outage = outageOf(scenario);
  if (faults.length > 0 || outage === undefined) return faults;
  return [{ fromMs: outage.fromMs, forMs: outage.untilMs - outage.fromMs }];
}
