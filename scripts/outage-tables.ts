/** What retry layers do to servers: tables with the cases by which they are judged, and one row for each contender. */

import { presets } from '../src/index.js';
import type { Contender, LimitedServer, Run } from '../src/tools/sim/index.js';
import * as sim from '../src/tools/sim/index.js';
import type { Seeds } from './sim-reading.js';
import { attemptsEach, mean, percent, range, runs, seedsUpTo, times } from './sim-reading.js';
import type { Case, Contenders, Table } from './sim-tables.js';
import { libraries, naive } from './sim-tables.js';

const { fairness, peers, perSecond } = sim;
const { service } = presets.policies;

const stubborn: Contenders = {
  'every 100 ms, forever': peers.fixedForEver,
  "smira's formula": peers.article,
  "smira's program": peers.articleProgram,
};
// ---------------------------------------------------------------- a server that is stopped

const stoppedAt = 30_000;
const tailMs = 60_000;

interface Outage {
  readonly run: Run;
  /** The same seed without a stop. */
  readonly calm: Run;
  readonly resumedAt: number;
}

function outages(backlog: number, contender: Contender, seeds: Seeds): Outage[] {
  return [5_000, 10_000, 30_000, 60_000].flatMap((stopMs) => {
    const stopped = runs(sim.stoppedServer(backlog, stopMs, tailMs), sim.articleClients, contender, seeds);
    const calm = runs(sim.stoppedServer(backlog, 0, stopMs + tailMs), sim.articleClients, contender, seeds);
    return stopped.map((run, index) => ({ run, calm: calm[index] ?? run, resumedAt: stoppedAt + stopMs }));
  });
}

/** Relative to the same seed without a stop, in the ten seconds from then on. */
function share({ run, calm }: Outage, fromMs: number): number {
  return perSecond(run.series.good, fromMs, 10_000) / perSecond(calm.series.good, fromMs, 10_000);
}

function isWedged(outage: Outage): boolean {
  return share(outage, outage.resumedAt + tailMs - 10_000) < 0.5;
}

/** The most attempts in a second, from the second after the gate shuts to the end of the stop. */
function busiestShut({ run, resumedAt }: Outage): number {
  const shutAt = run.totals.refusedFirstAt ?? stoppedAt;
  return Math.max(0, ...run.series.sent.subarray(Math.ceil(shutAt / 1_000), resumedAt / 1_000));
}

const stoppedServer: Case = {
  about:
    'A server that slows down under load, 1,000 clients: stopped for 5, 10, 30 and 60 s, with a backlog of 511 and ' +
    '4,096, and continued; the share of the usual successes in the ten seconds that start 2 s after its return, in ' +
    'the worst run; the most attempts in a second while it is stopped (with a gate: after it has shut)',
  asked:
    '`service`: 0 wedged; at least 90 % again in the ten seconds that start 2 s after its return; at most 10 attempts a second while its gate is shut',
  columns: ['wedged at 511', 'wedged at 4,096', 'normal after 2 s', 'attempts/s'],
  isLong: true,
  cells: (contender, seeds) => {
    const byBacklog = [511, 4_096].map((backlog) => outages(backlog, contender, seeds));
    const all = byBacklog.flat();
    return [
      ...byBacklog.map((some) => `${some.filter(isWedged).length} of ${some.length}`),
      percent(Math.min(...all.map((outage) => share(outage, outage.resumedAt + 2_000)))),
      String(Math.max(...all.map(busiestShut))),
    ];
  },
};

const gateShuts: Case = {
  about: 'The same: how soon the gate stops first attempts',
  asked: '`service`: 2.5 s (the attempt timeout plus half a second)',
  columns: ['shut after'],
  cells: (contender, seeds) => {
    const shut = runs(sim.stoppedServer(511, 10_000, 0), sim.articleClients, contender, seeds).flatMap(
      ({ totals }) => totals.refusedFirstAt ?? [],
    );
    return [shut.length === 0 ? 'never' : `${((Math.max(...shut) - stoppedAt) / 1_000).toFixed(2)} s`];
  },
};

const calm: Case = {
  about: 'The same server without a stop',
  asked: '`service`: within 1 % of no retry',
  columns: ['goodput'],
  cells: (contender, seeds) => {
    const goodput = (some: Contender): number =>
      mean(
        runs(sim.stoppedServer(511, 0, tailMs), sim.articleClients, some, seeds).map(
          ({ totals }) => totals.goodput,
        ),
      );
    return [`${(100 * (goodput(contender) / goodput(peers.noRetry))).toFixed(1)} %`];
  },
};

const chance: Case = {
  about: 'Where chance decides (backlog 4,096, stopped for 10 s, five times as many seeds)',
  asked: 'defaults: at most 10 percentage points more than no retry',
  columns: ['wedged by chance'],
  isLong: true,
  cells: (contender, seeds) => {
    const stopMs = 10_000;
    const many = seedsUpTo(5 * seeds.length);
    const wedged = runs(sim.stoppedServer(4_096, stopMs, 30_000), sim.articleClients, contender, many).filter(
      ({ series }) => perSecond(series.good, stoppedAt + stopMs + 20_000, 10_000) < 50,
    );
    return [percent(wedged.length / many.length)];
  },
};

const longStop: Case = {
  about: 'Stopped for 60 s: attempts for each request',
  asked: 'defaults: 1.15x',
  columns: ['load'],
  cells: (contender, seeds) => {
    const long = runs(sim.stoppedServer(511, 60_000, 10_000), sim.articleClients, contender, seeds);
    return [times(Math.max(...long.map((run) => attemptsEach(run, stoppedAt, 60_000))))];
  },
};

export const outageTable: Table = {
  name: 'outages',
  title: 'A server is stopped and continued',
  contenders: {
    ...naive,
    ...stubborn,
    ...libraries,
    'undaunted: defaults': {},
    'undaunted: `service`': service,
  },
  cases: [stoppedServer, gateShuts, calm, chance, longStop],
};

// ---------------------------------------------------------------- failures

const brownOut: Case = {
  about:
    'A share of the answers are 503: 100 processes with a retrier each, each sends 10 requests a second, 60 s',
  asked: 'defaults: success of .999 at 10 %, 1.15x at 10 % and at 100 %',
  columns: ['good at 10 %', 'load', 'good at 20 %', 'load', 'load at 100 %'],
  isLong: true,
  cells: (contender, seeds) => {
    const [tenth, fifth, all] = [0.1, 0.2, 1].map((part) =>
      runs(sim.brownOut(part), sim.hundredProcesses, contender, seeds),
    ) as [Run[], Run[], Run[]];
    const success = ({ totals }: Run): number => totals.good / (totals.good + totals.failed + totals.refused);
    const load = (some: Run[]): string => times(mean(some.map(({ totals }) => totals.amplification)));
    const successes = (some: Run[]): string => mean(some.map(success)).toFixed(4);
    return [successes(tenth), load(tenth), successes(fifth), load(fifth), load(all)];
  },
};

const surge: Case = {
  about:
    '40 requests a second, 80 for 5 s; a request takes 1 s, plus 10 ms for each other one in progress; timeout 3 s',
  asked: 'ours: no collapse',
  columns: ['collapsed in a surge'],
  cells: (contender, seeds) => {
    const collapsed = runs(sim.surgingServer, sim.surge, contender, seeds).filter(
      ({ series }) => perSecond(series.good, 60_000, 20_000) < 20,
    );
    return [`${collapsed.length} of ${seeds.length}`];
  },
};

const layered: Case = {
  about: 'Three services in a row, each with a retrier; the last is down for 60 s, at 100 requests a second',
  asked: 'ours: 1.5x at the last service',
  columns: ['three layers'],
  cells: (contender, seeds) => {
    const bottom = runs(sim.layers(3), sim.steadyStream, contender, seeds).map(
      ({ services, series }) =>
        perSecond(services.at(-1)?.arrived ?? series.sent, 20_000, 60_000) /
        perSecond(series.offered, 20_000, 60_000),
    );
    return [times(Math.max(...bottom))];
  },
};

const manyProcesses: Case = {
  about: '1,000 processes with a retrier each, each sends a request every 10 s, down for 60 s',
  asked: 'only reported: every process starts with a full bucket',
  columns: ['1,000 processes'],
  isLong: true,
  cells: (contender, seeds) => {
    const down = runs(sim.layers(1), sim.thousandProcesses, contender, seeds);
    return [times(Math.max(...down.map((run) => attemptsEach(run, 20_000, 60_000))))];
  },
};

export const failureTable: Table = {
  name: 'failures',
  title: 'A server fails, is overloaded, or is down',
  contenders: { ...naive, ...libraries, 'undaunted: defaults': {}, 'undaunted: `service`': service },
  cases: [brownOut, surge, layered, manyProcesses],
};

// ---------------------------------------------------------------- limits

function longHint(name: string, limit: LimitedServer['limit']): Case {
  return {
    about: `A limit of 50 a second (${name}) that says \`Retry-After: 5\`, 200 clients that want 200 (90 s)`,
    asked:
      'hold at the first word: nothing inside a window; after the first one, no second above 1.5x the limit',
    columns: [`inside (${name})`, 'busiest second'],
    cells: (contender, seeds) => {
      const all = runs(sim.limitedServer(limit, 5, 90_000), sim.greedyClients, contender, seeds);
      // The first window starts with the first answer, and ends five seconds later.
      const busiest = all.map(({ series }) => Math.max(...series.sent.subarray(5)) / 50);
      return [
        range(
          all.map(({ totals }) => totals.forbidden),
          String,
        ),
        times(Math.max(...busiest)),
      ];
    },
  };
}

function shortHint(burst: number): Case {
  return {
    about: `A token bucket of 20 a second, burst ${burst}, Retry-After in whole seconds, 100 clients that want 50 (60 s)`,
    asked: 'hold off: 95 % used; at the first word: 80 % used, half the refusals, fair (Jain 0.9)',
    columns: [`used (burst ${burst})`, 'refusals', 'Jain'],
    cells: (contender, seeds) => {
      const world = sim.limitedServer({ perSecond: 20, burst }, 'exact', 60_000);
      const all = runs(world, sim.eagerClients, contender, seeds);
      return [
        percent(mean(all.map(({ totals }) => totals.good / (20 * 60 + burst)))),
        mean(all.map(({ totals }) => totals.sent - totals.good)).toFixed(0),
        Math.min(...all.map(({ goodBy }) => fairness(goodBy))).toFixed(2),
      ];
    },
  };
}

export const limitTable: Table = {
  name: 'limits',
  title: 'A server limits the rate',
  contenders: {
    ...naive,
    ...libraries,
    'undaunted: hold off': {},
    'undaunted: hold on': { hold: true },
    'undaunted: hold at the first word': { hold: { refusedShare: 0 } },
  },
  cases: [
    longHint('burst 1', { perSecond: 50, burst: 1 }),
    longHint('burst 50', { perSecond: 50, burst: 50 }),
    longHint('50 in each second', { permits: 50, windowMs: 1_000 }),
    shortHint(1),
    shortHint(20),
  ],
};
