/** Never worse than no retry: partial failures, broken parts, slow and flapping servers, and other days. */

import { ordinaryDays as days, peers } from '../../src/tools/sim/index.js';
import { afterRefusal } from '../ordinary-tables.js';
import { goodShare, mean, percent, runs } from '../sim-reading.js';
import type { Goal } from './goal.js';
import { besideNone, isAtLeast, losing, reaching } from './goal.js';

const least = 0.99;

const failing = [10, 100, 1_000].flatMap((perSecond) =>
  [0.5, 0.7, 0.9, 0.95].map((share) =>
    besideNone({
      name: 'failing',
      about: `${percent(share)} fail, ${perSecond}/s`,
      day: days.partialFailure(share, perSecond),
      least,
    }),
  ),
);

const brokenRoutes = [500, 503].flatMap((status) =>
  [
    ...[0.5, 0.7, 0.9].map((share) => [share, 10] as const),
    ...[0.5, 0.7, 0.9, 0.95].flatMap((share) => [[share, 100] as const, [share, 1_000] as const]),
  ].map(([share, perSecond]) =>
    besideNone({
      name: 'broken-route',
      about: `a route with ${percent(share)} answers ${status}, ${perSecond}/s`,
      day: days.oddRoute(share, days.always(status), perSecond, perSecond < 100 ? 600_000 : 60_000),
      least,
    }),
  ),
);

const badJobs = [500, 503].flatMap((status) =>
  [1, 10].flatMap((perSecond) =>
    [1, 200].map((thinkMs) =>
      besideNone({
        name: 'bad-job',
        about: `a job gets ${status}, every ${thinkMs} ms, next to ${perSecond}/s`,
        day: days.badJob(status, perSecond, thinkMs),
        least,
      }),
    ),
  ),
);

const slow = [10, 100, 1_000].map((perSecond) =>
  besideNone({
    name: 'slow',
    about: `latency x10, ${perSecond}/s`,
    day: days.slowDown(10, perSecond),
    least,
  }),
);

const flapping = [
  ...[10, 100, 1_000].map((perSecond) => [2_000, perSecond, least] as const),
  ...[100, 1_000].map((perSecond) => [4_000, perSecond, undefined] as const),
].map(([ms, perSecond, share]) =>
  besideNone({
    name: 'flapping',
    about: `flapping ${ms / 1_000} s/${ms / 1_000} s, ${perSecond}/s`,
    day: days.flapping(ms, ms, perSecond),
    least: share,
  }),
);

const swallowed = [
  ...[10, 100, 1_000].map((perSecond) =>
    reaching({
      name: 'swallowed',
      about: `1 of 10 backends never answers, ${perSecond}/s`,
      day: days.swallowingBackend(10, perSecond),
      least: 0.96,
    }),
  ),
  ...[10, 100].map((perSecond) =>
    reaching({
      name: 'swallowed',
      about: `5 % never answered for an hour, ${perSecond}/s`,
      day: days.lostAnswers(0.05, perSecond, 3_600_000),
      least: 0.995,
    }),
  ),
];

/** At least half of what three retries gain. */
const gains = [10, 100, 1_000].flatMap((perSecond) =>
  [0.01, 0.05, 0.1].map((share): Goal => {
    const { world, clients } = days.partialFailure(share, perSecond);
    return {
      name: 'gains',
      about: `${percent(share)} fail, ${perSecond}/s`,
      wanted: '>= half of what 3 retries gain',
      judge(contender, seeds) {
        const [ours, none, three] = [contender, peers.noRetry, peers.threeRetries].map((some) =>
          mean(runs(world, clients, some, seeds).map(goodShare)),
        ) as [number, number, number];
        return {
          isMet: isAtLeast(ours - none, (three - none) / 2),
          figures: `${percent(ours, 2)}, no retry ${percent(none, 2)}, 3 retries ${percent(three, 2)}`,
        };
      },
    };
  }),
);

const resets = [
  [200, 0.2],
  [1_000, 1],
  [1_500, 1],
].map(([perSecond = 0, most = 1]) =>
  losing({
    name: 'resets',
    about: `a wave of resets, ${perSecond / 10} in flight`,
    day: days.resetWave(perSecond),
    most,
  }),
);

const kinds = [
  ['a tenant gets 429 with 60', days.always(429, 60)],
  ['a tenant gets 429 with none', days.always(429)],
  ['a route answers 503 with 30', days.always(503, 30)],
  ['a route answers 503 with none', days.always(503)],
] as const;

const innocents = [10, 100, 300].flatMap((perSecond) => [
  ...kinds.flatMap(([what, server]) =>
    [
      [0.05, 0.99],
      [0.2, 0.95],
    ].map(([share = 0, least = 1]) =>
      besideNone({
        name: 'innocents',
        about: `${what}, ${percent(share)} of ${perSecond}/s`,
        day: days.oddRoute(share, server, perSecond, perSecond < 100 ? 600_000 : 180_000),
        least,
      }),
    ),
  ),
  besideNone({
    name: 'innocents',
    about: `after one 429 with 60, ${perSecond}/s`,
    day: days.oneRefusal(60, perSecond),
    least,
    value: afterRefusal,
  }),
  besideNone({
    name: 'innocents',
    about: `a route with 10 % of ${perSecond}/s has its own limit`,
    day: days.limitedRoute(0.1, perSecond),
    least,
  }),
]);

/** Other difficult days. */
const others = [
  ...[0.5, 0.9].flatMap((share) =>
    [10, 100].map((perSecond) =>
      besideNone({
        name: 'others',
        about: `a route with ${percent(share)} never answers, ${perSecond}/s`,
        day: days.oddRoute(share, days.silence, perSecond, perSecond < 100 ? 600_000 : 120_000),
        least,
      }),
    ),
  ),
  besideNone({
    name: 'others',
    about: 'a tenant gets 429 with 60, 40 % of 100/s',
    day: days.oddRoute(0.4, days.always(429, 60), 100, 180_000),
    least: undefined,
  }),
  ...[30, 100].map((perSecond) =>
    besideNone({
      name: 'others',
      about: `a quota of 1,200 a minute, ${perSecond}/s: successes`,
      day: days.quota(1_200, perSecond),
      least,
    }),
  ),
  ...[120, 200].map((perSecond) =>
    besideNone({
      name: 'others',
      about: `workers for 100/s, ${perSecond}/s: successes`,
      day: days.overload(perSecond),
      least,
    }),
  ),
  ...[
    ['limit 20/s, burst 20', days.overLimit({ perSecond: 20, burst: 20 }, 100)] as const,
    ['95 % fail', days.partialFailure(0.95, 100)] as const,
    ['a tenant of 5 % gets 429 with 60', days.oddRoute(0.05, days.always(429, 60), 100, 180_000)] as const,
    ['flapping 2 s/2 s', days.flapping(2_000, 2_000, 100)] as const,
  ].map(([about, day]) =>
    besideNone({
      name: 'others',
      about: `${about}, 100/s from 10 processes`,
      day: days.inProcesses(day, 10),
      least: about.startsWith('limit') ? 0.93 : least,
    }),
  ),
  ...[10, 100, 1_000].map((perSecond) =>
    losing({
      name: 'others',
      about: `503 for 1 s, ${perSecond}/s`,
      day: days.errorWave(1_000, perSecond),
      most: 1,
    }),
  ),
  ...[1_000, 2_500, 4_000].flatMap((ms) =>
    [100, 1_000].map((perSecond) =>
      losing({
        name: 'others',
        about: `a pause of ${ms} ms, ${perSecond}/s`,
        day: days.pause(ms, perSecond),
        most: 1,
      }),
    ),
  ),
  ...[100, 1_000].map((perSecond) =>
    besideNone({
      name: 'others',
      about: `a slow start, ${perSecond}/s`,
      day: days.slowStart(perSecond),
      least,
    }),
  ),
  ...[20, 200].map((count) =>
    besideNone({
      name: 'others',
      about: `a cron job of ${count} at once each minute`,
      day: days.cronBursts(count),
      least,
    }),
  ),
  ...[1, 10].map((perSecond) =>
    besideNone({
      name: 'others',
      about: `a failing health check next to ${perSecond}/s`,
      day: days.failingHealthCheck(perSecond),
      least,
    }),
  ),
  ...[0.05, 0.5].map((share) =>
    besideNone({
      name: 'others',
      about: `${percent(share)} of the callers leave early, 100/s`,
      day: days.leavingCallers(share, 100),
      least,
    }),
  ),
];

export const ordinaryGoals: readonly Goal[] = [
  ...failing,
  ...brokenRoutes,
  ...badJobs,
  ...slow,
  ...flapping,
  ...swallowed,
  ...gains,
  ...resets,
  ...innocents,
  ...others,
];
