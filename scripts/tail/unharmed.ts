/** The days and outages that hedges and adaptive timeouts must not make worse. */

import type { Contender } from '../../src/tools/sim/index.js';
import { dayCases, innocentShare, percentText } from '../ordinary-tables.js';
import { returned } from '../outage-measures.js';
import type { Seeds } from '../sim-reading.js';
import { mean, runs } from '../sim-reading.js';

export interface Unharmed {
  readonly name: string;
  readonly about: string;
  readonly better: 'more' | 'less';
  readonly print: (value: number) => string;
  readonly reached: (contender: Contender, seeds: Seeds) => number;
}

const ordinary: readonly Unharmed[] = dayCases.map((some) => {
  const { column, about, day, value = innocentShare, better = 'more', print = percentText } = some;
  // An hour of it takes as long.
  const world = { ...day.world, durationMs: Math.min(day.world.durationMs, 600_000) };
  const { clients } = day;
  return {
    name: column,
    about,
    better,
    print,
    reached: (contender, seeds) =>
      mean(runs(world, clients, contender, seeds).map((run) => value(run, { world, clients }))),
  };
});

const outages: readonly Unharmed[] = [511, 4_096].flatMap((backlog) =>
  [10_000, 60_000].map((stopMs): Unharmed => {
    const outage = { clients: 1_000, backlog, stopsMs: [stopMs], afterMs: 2_000 };
    return {
      name: `outage, ${backlog}, ${stopMs / 1_000} s`,
      about: `A server that slows down under load is stopped for ${stopMs / 1_000} s, with a backlog of ${backlog}: successes from 2 s after its return`,
      better: 'more',
      print: percentText,
      reached: (contender, seeds) => returned(outage, contender, seeds).back,
    };
  }),
);

export const unharmed: readonly Unharmed[] = [...ordinary, ...outages];

/** Less than this share of the result without it is worse. */
const noWorse = 0.99;

export function isWorse({ better }: Unharmed, reached: number, without: number): boolean {
  return better === 'more' ? reached < without * noWorse : reached * noWorse > without;
}
