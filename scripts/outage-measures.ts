/** Measures of a server that is dead, and of its clients during that time and afterwards. */

import type { Clients, Contender, Fault, SimulatedWorld, SimulateOptions } from '../src/tools/sim/index.js';
import * as sim from '../src/tools/sim/index.js';
import type { Seeds } from './sim-reading.js';
import { attemptsEach, runs } from './sim-reading.js';

const { perSecond } = sim;
const stoppedAt = 30_000;
const tailMs = 40_000;

// ---------------------------------------------------------------- the seed's outage

export interface SeedOutage {
  readonly clients: number;
  readonly backlog: number;
  readonly stopsMs: readonly number[];
  /** How long after its return the measurement starts. */
  readonly afterMs: number;
  /** Default: one, and so nothing to share. */
  readonly processes?: number;
  readonly store?: SimulateOptions['store'];
}

export interface Returned {
  readonly runs: number;
  readonly wedged: number;
  /** Successful requests in ten seconds, relative to a run without a stop; in the worst run. */
  readonly back: number;
  /** The stop of that run. */
  readonly stopMs: number;
}

export function returned(outage: SeedOutage, contender: Contender, seeds: Seeds): Returned {
  const { clients: count, backlog, stopsMs, afterMs, processes = 1, store } = outage;
  const clients = { ...sim.articleClients, count, processes };
  const longestMs = Math.max(...stopsMs);
  const calm = runs(sim.stoppedServer(backlog, 0, longestMs + tailMs), clients, contender, seeds, store);
  const shares = stopsMs.flatMap((stopMs) => {
    const resumedAt = stoppedAt + stopMs;
    const stopped = runs(sim.stoppedServer(backlog, stopMs, tailMs), clients, contender, seeds, store);
    return stopped.map(({ series }, index) => {
      const share = (fromMs: number): number =>
        perSecond(series.good, fromMs, 10_000) /
        perSecond(calm[index]?.series.good ?? series.good, fromMs, 10_000);
      return { back: share(resumedAt + afterMs), late: share(resumedAt + tailMs - 10_000), stopMs };
    });
  });
  const worst = shares.reduce((least, share) => (share.back < least.back ? share : least));
  const wedged = shares.filter(({ late }) => late < 0.5).length;
  return { runs: shares.length, wedged, back: worst.back, stopMs: worst.stopMs };
}

// ---------------------------------------------------------------- while it is dead

const quick = { kind: 'flaky', latencyMs: 50, share: 0, status: 503 } as const;

function deadFor(fault: Fault, durationMs: number): SimulatedWorld {
  return { durationMs, services: [{ server: quick, faults: [fault] }] };
}

export interface Death {
  readonly kind: 'stop' | 'crash';
  readonly forMs: number;
  /** Requests a second. */
  readonly rate: number;
}

/** Attempts for each request, in the worst run. */
export function loadWhileDead({ kind, forMs, rate }: Death, contender: Contender, seeds: Seeds): number {
  const clients: Clients = { kind: 'open', count: 100, perSecond: rate, timeoutMs: 2_000 };
  const world = deadFor({ kind, fromMs: stoppedAt, forMs }, stoppedAt + forMs + 10_000);
  return Math.max(
    ...runs(world, clients, contender, seeds).map((run) => attemptsEach(run, stoppedAt, forMs)),
  );
}

// ---------------------------------------------------------------- a burst after it

export const burstCount = 140;

export interface BurstFigures {
  readonly refused: number;
  readonly good: number;
  readonly p99Ms: number;
}

/** Requests that come all at once ten seconds after the return; the other clients ask until `untilMs` after the start of the outage. */
export function burstAfter(untilMs: number, rate: number, contender: Contender, seeds: Seeds): BurstFigures {
  const forMs = 10_000;
  const crowds: readonly [Clients, Clients] = [
    {
      kind: 'open',
      count: 100,
      timeoutMs: 2_000,
      perSecond: [
        { fromMs: 0, perSecond: rate },
        { fromMs: stoppedAt + untilMs, perSecond: 0 },
      ],
      routes: [{ path: '/before', weight: 1, guilty: true }],
    },
    { kind: 'burst', count: burstCount, atMs: stoppedAt + forMs + 10_000, timeoutMs: 2_000 },
  ];
  const world = deadFor({ kind: 'stop', fromMs: stoppedAt, forMs }, stoppedAt + forMs + 30_000);
  const all = runs(world, crowds, contender, seeds).map(({ innocent }) => innocent.totals);
  return {
    refused: Math.max(...all.map((totals) => totals.refused)),
    good: Math.min(...all.map((totals) => totals.good)),
    p99Ms: Math.max(...all.map(({ p99Ms = 0 }) => p99Ms)),
  };
}
