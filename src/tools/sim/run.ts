/** The result of a run. */

import type { Link } from './link.js';
import type { Route } from './routes.js';
import type { Station } from './station.js';
import type { Durations, Tally } from './tally.js';
import { sumOf } from './tally.js';
import type { SimulatedWorld } from './world.js';

/** One value for each second: index 0 is the first one. */
export interface Series {
  /** Requests that started. */
  readonly offered: Float64Array;
  /** All attempts: first attempts, retries and hedges. */
  readonly sent: Float64Array;
  readonly firstTries: Float64Array;
  readonly retries: Float64Array;
  /** Second attempts that were sent while the first one was out. */
  readonly hedges: Float64Array;
  /** Hedges whose answer was the first good one. */
  readonly hedgesWon: Float64Array;
  /** Requests that succeeded. */
  readonly good: Float64Array;
  /** The same by the second in which they started. */
  readonly goodOfOffered: Float64Array;
  /** Requests that were sent and failed. */
  readonly failed: Float64Array;
  /** Attempts that were not answered in time. */
  readonly timedOut: Float64Array;
  /** Requests that the gate or the hold refused. */
  readonly refused: Float64Array;
  /** Requests whose caller left before the end. */
  readonly aborted: Float64Array;
  /** Attempts sent in a window in which the server had asked their process to send nothing. */
  readonly forbidden: Float64Array;
}

export interface Totals {
  readonly offered: number;
  readonly sent: number;
  readonly firstTries: number;
  readonly retries: number;
  readonly hedges: number;
  readonly hedgesWon: number;
  readonly good: number;
  readonly failed: number;
  readonly timedOut: number;
  readonly refused: number;
  readonly aborted: number;
  readonly forbidden: number;
  /** Attempts for each request. */
  readonly amplification: number;
  /** Successful requests a second. */
  readonly goodput: number;
  /**
   * From the end of the last fault to the first ten whole seconds that have at least nine tenths of the goodput before
   * the first fault. Undefined: never, or there was no fault.
   */
  readonly recoveredAfterMs: number | undefined;
  /** Duration of a successful request, accurate to half a percent. */
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
  readonly p999Ms: number | undefined;
  /** Retries that were sent earlier than the answer to the previous attempt had asked for. */
  readonly earlyRetries: number;
  /** How often a server repeated a write that had no idempotency key. */
  readonly duplicateWrites: number;
  /** When the gate or the hold first refused a request. */
  readonly refusedFirstAt: number | undefined;
}

/** The counts of all requests, or of some of them. */
export interface Counts {
  readonly series: Series;
  readonly totals: Totals;
  /** How long the successful requests took, without those of the warm-up. */
  readonly times: Durations;
  /** The same of the requests that failed or were refused. */
  readonly failedTimes: Durations;
  /** By the second: the longest duration of the requests that succeeded in it; 0 if none did. */
  readonly slowestMs: Float64Array;
}

export interface RouteRun extends Counts {
  readonly path: string;
  readonly guilty: boolean;
}

export interface ServiceRun {
  /** One value for each second. */
  readonly arrived: Float64Array;
  /** Measured at the start of each second. */
  readonly concurrency: Float64Array;
  readonly delayMs: Float64Array;
  /**
   * The time that it spent on the attempts that ended in each second, including those whose clients had left. An
   * attempt that waits for a worker costs nothing meanwhile, nor does one while the next service works on it.
   */
  readonly workMs: Float64Array;
  /** Its calls to the next service, if there is one. */
  readonly calls: Counts | undefined;
}

/** A run as the clients saw it. */
export interface Run extends Counts {
  /** The counts without the guilty requests. */
  readonly innocent: Counts;
  /** The routes of each crowd in turn. */
  readonly routes: readonly RouteRun[];
  /** Successful requests of each client. */
  readonly goodBy: Uint32Array;
  readonly services: readonly ServiceRun[];
  /** How many events the simulation processed. */
  readonly events: number;
}

interface Parts {
  readonly events: number;
  readonly routes: readonly [Route, ...Route[]];
  readonly stations: readonly Station[];
  readonly links: readonly Link[];
}

export function runOf(world: SimulatedWorld, { events, routes, stations, links }: Parts): Run {
  const services = stations.map(({ arrived, concurrency, delayMs, workMs }, index) => {
    const link = links[index];
    return { arrived, concurrency, delayMs, workMs, calls: link && counted(world, link.tally) };
  });
  const tally = sumOf([routes[0].tally, ...routes.slice(1).map((route) => route.tally)]);
  const all = counted(world, tally);
  return {
    ...all,
    innocent: innocentOf(world, routes) ?? all,
    routes: routes.map(({ facts, guilty, tally: own }) => {
      return { path: facts.path, guilty, ...(routes.length === 1 ? all : counted(world, own)) };
    }),
    goodBy: tally.goodBy,
    services,
    events,
  };
}

/** Undefined: all routes are innocent, or none is. */
function innocentOf(world: SimulatedWorld, routes: readonly Route[]): Counts | undefined {
  const [first, ...others] = routes.filter(({ guilty }) => !guilty).map(({ tally }) => tally);
  if (first === undefined || others.length === routes.length - 1) return undefined;
  return counted(world, sumOf([first, ...others]));
}

function counted(world: SimulatedWorld, tally: Tally): Counts {
  const { offered, firstTries, retries, hedges, hedgesWon, good, failed } = tally;
  const { timedOut, refused, aborted, goodOfOffered, forbidden, slowestMs, times, failedTimes } = tally;
  const sent = firstTries.map((count, second) => {
    return count + (retries[second] as number) + (hedges[second] as number);
  });
  const attempts = { sent, firstTries, retries, hedges, hedgesWon, timedOut, forbidden };
  const series = { offered, good, goodOfOffered, failed, refused, aborted, ...attempts };
  const totals = {
    offered: sum(offered),
    sent: sum(sent),
    firstTries: sum(firstTries),
    retries: sum(retries),
    hedges: sum(hedges),
    hedgesWon: sum(hedgesWon),
    good: sum(good),
    failed: sum(failed),
    timedOut: sum(timedOut),
    refused: sum(refused),
    aborted: sum(aborted),
    forbidden: sum(forbidden),
    amplification: sum(sent) / sum(offered),
    goodput: (sum(good) / world.durationMs) * 1_000,
    recoveredAfterMs: recoveredAfter(world, good),
    p50Ms: times.quantile(0.5),
    p99Ms: times.quantile(0.99),
    p999Ms: times.quantile(0.999),
    earlyRetries: tally.earlyRetries,
    duplicateWrites: tally.duplicateWrites,
    refusedFirstAt: tally.refusedFirstAt,
  };
  return { series, totals, slowestMs, times, failedTimes };
}

function recoveredAfter({ services, durationMs }: SimulatedWorld, good: Float64Array): number | undefined {
  const faults = services.flatMap((service) => service.faults ?? []);
  if (faults.length === 0) return undefined;
  const from = Math.min(...faults.map(({ fromMs }) => fromMs));
  const until = Math.max(...faults.map(({ fromMs, forMs }) => fromMs + forMs));
  const second = backAt((fromMs, forMs) => perSecond(good, fromMs, forMs), {
    normal: perSecond(good, 0, from),
    from: Math.ceil(until / 1_000),
    to: Math.floor(durationMs / 1_000),
    window: 10,
  });
  return second === undefined ? undefined : second * 1_000 - until;
}

/** Goodput is back to normal at this share of what it was. */
export const backShare = 0.9;

interface Search {
  readonly normal: number;
  /** In whole seconds, like `to` and `window`. */
  readonly from: number;
  readonly to: number;
  readonly window: number;
}

/** The first second of the first window in which goodput is back to normal. */
export function backAt(
  goodput: (fromMs: number, forMs: number) => number,
  { normal, from, to, window }: Search,
): number | undefined {
  for (let second = from; second + window <= to; second += 1) {
    if (goodput(second * 1_000, window * 1_000) >= backShare * normal) return second;
  }
  return undefined;
}

/** The mean of a series over whole seconds. */
export function perSecond(series: Float64Array, fromMs: number, forMs: number): number {
  const from = Math.round(fromMs / 1_000);
  const count = Math.round(forMs / 1_000);
  return sum(series.subarray(from, from + count)) / count;
}

/** Jain's fairness index: 1 if all have the same, 1/n if one has everything. */
export function fairness(shares: ArrayLike<number>): number {
  const values = Array.from(shares);
  const total = sum(values);
  return (total * total) / (values.length * sum(values.map((value) => value * value)));
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
