/** Outages: nothing is wedged, a dead server is left alone, and its return is used. */

import type { Clients, Fault, World } from '../../src/sim/index.js';
import * as sim from '../../src/sim/index.js';
import { attemptsEach, percent, runs, times } from '../sim-reading.js';
import type { Goal } from './goal.js';
import { isAtLeast } from './goal.js';

const { perSecond } = sim;
const stoppedAt = 30_000;
const tailMs = 40_000;

function seedOutage(count: number, backlog: number): Goal {
  const stops = [3_000, 5_000, 10_000, 30_000, 60_000, 120_000];
  const clients = { ...sim.articleClients, count };
  const afterMs = count >= 5_000 ? 3_000 : 2_000;
  return {
    name: 'outage',
    about: `the seed's outage, ${count} clients, backlog ${backlog}, stopped for ${stops.map((ms) => ms / 1_000).join(', ')} s`,
    wanted: `0 wedged; >= 95 % from ${afterMs / 1_000} s after the return`,
    judge(contender, seeds) {
      const calm = runs(sim.stoppedServer(backlog, 0, 120_000 + tailMs), clients, contender, seeds);
      const shares = stops.flatMap((stopMs) => {
        const resumedAt = stoppedAt + stopMs;
        const stopped = runs(sim.stoppedServer(backlog, stopMs, tailMs), clients, contender, seeds);
        return stopped.map(({ series }, index) => {
          const share = (fromMs: number): number =>
            perSecond(series.good, fromMs, 10_000) /
            perSecond(calm[index]?.series.good ?? series.good, fromMs, 10_000);
          return { back: share(resumedAt + afterMs), late: share(resumedAt + tailMs - 10_000), stopMs };
        });
      });
      const wedged = shares.filter(({ late }) => late < 0.5).length;
      const worst = shares.reduce((least, share) => (share.back < least.back ? share : least));
      return {
        isMet: wedged === 0 && isAtLeast(worst.back, 0.95),
        figures: `${wedged} of ${shares.length} wedged, ${percent(worst.back, 1)} in the worst run (${worst.stopMs / 1_000} s)`,
      };
    },
  };
}

const outages = [300, 1_000, 2_000, 5_000].flatMap((count) =>
  [128, 511, 4_096, 16_384].map((backlog) => seedOutage(count, backlog)),
);

// ---------------------------------------------------------------- while it is dead

const quick = { kind: 'flaky', latencyMs: 50, share: 0, status: 503 } as const;

function deadFor(fault: Fault, durationMs: number): World {
  return { durationMs, services: [{ server: quick, faults: [fault] }] };
}

function loadWhileDead(kind: 'stop' | 'crash', forMs: number, rate: number, most?: number): Goal {
  const clients: Clients = { kind: 'open', count: 100, perSecond: rate, timeoutMs: 2_000 };
  return {
    name: 'dead',
    about: `${kind === 'stop' ? 'stopped' : 'down'} for ${forMs / 1_000} s, ${rate}/s: attempts each`,
    wanted: most === undefined ? 'reported' : `<= ${times(most)}`,
    judge(contender, seeds) {
      const world = deadFor({ kind, fromMs: stoppedAt, forMs }, stoppedAt + forMs + 10_000);
      const loads = runs(world, clients, contender, seeds).map((run) => attemptsEach(run, stoppedAt, forMs));
      const worst = Math.max(...loads);
      return { isMet: most === undefined ? undefined : worst <= most, figures: `at most ${times(worst)}` };
    },
  };
}

const loads: readonly Goal[] = [
  loadWhileDead('stop', 60_000, 100, 0.1),
  loadWhileDead('crash', 60_000, 100, 0.1),
  loadWhileDead('stop', 10_000, 100, 0.4),
  loadWhileDead('crash', 10_000, 100, 0.4),
  ...[1, 3, 10].map((rate) => loadWhileDead('stop', 60_000, rate)),
  ...[1, 3, 10].map((rate) => loadWhileDead('crash', 60_000, rate)),
];

// ---------------------------------------------------------------- a burst after it

/** Until when the others ask, from the beginning of the outage on. */
function burstAfter(untilMs: number, about: string, rate: number): Goal {
  const forMs = 10_000;
  const count = 140;
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
    { kind: 'burst', count, atMs: stoppedAt + forMs + 10_000, timeoutMs: 2_000 },
  ];
  return {
    name: 'burst',
    about: `140 at once 10 s after the return, ${rate}/s ${about}`,
    wanted: 'none refused, all good',
    judge(contender, seeds) {
      const world = deadFor({ kind: 'stop', fromMs: stoppedAt, forMs }, stoppedAt + forMs + 30_000);
      const all = runs(world, crowds, contender, seeds).map(({ innocent }) => innocent.totals);
      const refused = Math.max(...all.map((totals) => totals.refused));
      const good = Math.min(...all.map((totals) => totals.good));
      const p99 = Math.max(...all.map(({ p99Ms = 0 }) => p99Ms));
      return {
        isMet: refused === 0 && good === count,
        figures: `at most ${refused} refused, at least ${good} good, p99 ${p99.toFixed(0)} ms`,
      };
    },
  };
}

const bursts: readonly Goal[] = [10, 100].flatMap((rate) => [
  burstAfter(60_000, 'all the time', rate),
  burstAfter(12_000, 'until 2 s after the return', rate),
  burstAfter(10_300, 'until just after the return', rate),
  burstAfter(8_000, 'until 2 s before the return', rate),
]);

export const outageGoals: readonly Goal[] = [...outages, ...loads, ...bursts];
