/** Published outages, played: with what happened then, and with our policies. */

import { presets } from '../src/index.js';
import type { Contender, Day, Run } from '../src/tools/sim/index.js';
import { knownOutages as known, peers, perSecond } from '../src/tools/sim/index.js';
import { mean, percent, range, runs, type Seeds, times } from './sim-reading.js';
import type { Case, Contenders, Table } from './sim-tables.js';

/** Stands for what each case says: the retries of those who had the outage. */
const asItHappened: Contender = { ...peers.threeRetries };

const { service } = presets.policies;

const contenders: Contenders = {
  'no retry': peers.noRetry,
  'as it happened': asItHappened,
  'undaunted: defaults': {},
  'undaunted: `service`': service,
  'undaunted: `service`, `hedge`, hold at the first word': {
    ...service,
    hedge: true,
    hold: { ...service.hold, refusedShare: 0 },
  },
};

function caseOf(
  { world, clients }: Day,
  happened: Contender,
  some: Omit<Case, 'cells'>,
  cells: (all: readonly Run[]) => readonly string[],
): Case {
  return {
    ...some,
    cells: (contender: Contender, seeds: Seeds) =>
      cells(runs(world, clients, contender === asItHappened ? happened : contender, seeds)),
  };
}

function recovery(all: readonly Run[]): string {
  const seconds = all.map(({ totals }) => totals.recoveredAfterMs);
  const back = seconds.flatMap((ms) => (ms === undefined ? [] : ms / 1_000));
  if (back.length === 0) return 'never';
  return `${range(back, (value) => value.toFixed(0))} s${back.length < all.length ? ', or never' : ''}`;
}

function goodOf(all: readonly Run[]): string {
  return percent(mean(all.map(({ totals }) => totals.good / totals.offered)));
}

const metastable = caseOf(
  known.metastable,
  known.oneRetry,
  {
    about:
      'A database that answers 300 queries a second gets 280 from a website that waits for one second, and is cut off for ten: how long until it is back to normal, and which share of the queries in 220 s succeeds. Then: one retry ([HotOS ’21](https://sigops.org/s/conferences/hotos/2021/papers/hotos21-s11-bronson.pdf))',
    asked: '`service`: 3 s',
    columns: ['metastable', 'good'],
    isLong: true,
  },
  (all) => [recovery(all), goodOf(all)],
);

const layers = caseOf(
  known.fiveLayers,
  known.threeAttempts,
  {
    about:
      'Five services in a row, the last of which is down for a minute, at 100 requests a second: attempts that it gets for each request. Then: three attempts in each ([Amazon Builders’ Library](https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/): 3⁵ = 243)',
    asked: '`service`: 0.31x; defaults: 1.45x',
    columns: ['five layers'],
    isLong: true,
  },
  (all) => {
    const bottom = all.map(
      ({ services, series }) =>
        perSecond(services.at(-1)?.arrived ?? series.sent, 20_000, 60_000) /
        perSecond(series.offered, 20_000, 60_000),
    );
    return [times(mean(bottom))];
  },
);

const quota = caseOf(
  known.sharedQuota,
  known.exponentialBackOff,
  {
    about:
      'A hundred clients that want 50 requests a second share a quota of 20: how many get 429 in two minutes, and how many succeed. Then: exponential back-off; published: 97.3 % fewer at best ([arXiv 2510.04516](https://arxiv.org/abs/2510.04516))',
    asked: 'hold at the first word: 97.3 % fewer than with back-off',
    columns: ['429s', 'good'],
    isLong: true,
  },
  (all) => [
    mean(all.map(({ totals }) => totals.sent - totals.good)).toFixed(0),
    mean(all.map(({ totals }) => totals.good)).toFixed(0),
  ],
);

/** The times of whole pages, shortest first; the first ones are warm-up. */
function pagesOf({ slowestMs }: Run): readonly number[] {
  const pages: number[] = [];
  for (let second = 21; second + 1 < slowestMs.length; second += 2) {
    pages.push(Math.max(slowestMs[second] as number, slowestMs[second + 1] as number));
  }
  return pages.sort((one, other) => one - other);
}

const fanOut = caseOf(
  known.fanOut,
  peers.threeRetries,
  {
    about:
      'A page needs a hundred answers, each of which takes 10 ms, and one in a hundred a second: the median page, and the load. Then: retries after failures, of which there are none ([The Tail at Scale](https://research.google/pubs/the-tail-at-scale/): 63 % take over a second)',
    asked: 'with a hedge: 100 ms at 1.02x',
    columns: ['fan-out of 100', 'load'],
    isLong: true,
  },
  (all) => [
    `${mean(all.map((run) => pagesOf(run)[Math.floor(pagesOf(run).length / 2)] as number)).toFixed(0)} ms`,
    times(mean(all.map(({ totals }) => totals.amplification))),
  ],
);

const dashboards = caseOf(
  known.dashboards,
  known.everySecond,
  {
    about:
      '600 dashboards ask a service that answers 100 requests a second every ten seconds, and it is down for a minute: how long until it is back to normal, and the most attempts in a second meanwhile. Then: a retry every second, without jitter or end ([Cloudflare, 12 September 2025](https://blog.cloudflare.com/deep-dive-into-cloudflares-sept-12-dashboard-and-api-outage/); the numbers are ours)',
    asked: '`service`: at once',
    columns: ['dashboards', 'attempts/s'],
    isLong: true,
  },
  (all) => [recovery(all), String(Math.max(...all.flatMap(({ series }) => [...series.sent.subarray(30)])))],
);

export const knownTable: Table = {
  name: 'known',
  title: 'Known outages',
  contenders,
  cases: [metastable, layers, quota, fanOut, dashboards],
};
