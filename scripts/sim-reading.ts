/** Runs with many seeds, and how their results become the cell of a table. */

import type {
  Contender,
  Counts,
  Crowds,
  Run,
  SimulatedWorld,
  SimulateOptions,
} from '../src/tools/sim/index.js';
import { perSecond, simulate } from '../src/tools/sim/index.js';

export type Seeds = readonly number[];

export function seedsUpTo(count: number): Seeds {
  return Array.from({ length: count }, (_, index) => index + 1);
}

export function runs(
  world: SimulatedWorld,
  clients: Crowds,
  contender: Contender,
  seeds: Seeds,
  store?: SimulateOptions['store'],
): Run[] {
  return seeds.map((seed) => simulate(world, clients, contender, { seed, ...(store && { store }) }));
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The share of the requests that succeeded. */
export function goodShare({ totals }: Counts): number {
  return totals.good / totals.offered;
}

export function attemptsEach({ series }: Run, fromMs: number, forMs: number): number {
  return perSecond(series.sent, fromMs, forMs) / perSecond(series.offered, fromMs, forMs);
}

// ---------------------------------------------------------------- as text

export function percent(share: number, digits = 0): string {
  return `${(100 * share).toFixed(digits)} %`;
}

export function range(values: readonly number[], print: (value: number) => string): string {
  const [least, most] = [print(Math.min(...values)), print(Math.max(...values))];
  return least === most ? least : `${least} to ${most}`;
}

export function times(value: number): string {
  return `${value.toFixed(2)}x`;
}
