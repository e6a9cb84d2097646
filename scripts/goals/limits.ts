/** Limits are used and respected, also when they change, and by the recipes. */

import type { Clients, Contender, Day, Run, SimulatedWorld } from '../../src/tools/sim/index.js';
import * as sim from '../../src/tools/sim/index.js';
import { usedOf } from '../ordinary-tables.js';
import { mean, percent, range, runs, times } from '../sim-reading.js';
import type { Goal } from './goal.js';
import { besideNone, isAtLeast, pairsOf, reaching } from './goal.js';

const { fairness, ordinaryDays: days, perSecond } = sim;

const twenty = { perSecond: 20, burst: 20 } as const;
const evenly = { perSecond: 20, burst: 1 } as const;

function limiter(limit: sim.Limit, wanted: number, least: number): Goal {
  const day = days.overLimit(limit, wanted);
  const value = (run: Run): number => usedOf(limit)(run, day);
  const about = `limit 20/s, burst ${limit.burst}, ${wanted}/s: used of it`;
  return reaching({ name: 'limiter', about, day, least, value });
}

const limiters: readonly Goal[] = [
  ...[30, 100, 400].map((wanted) => limiter(twenty, wanted, 0.93)),
  ...[30, 50, 100, 400].map((wanted) => limiter(evenly, wanted, 0.65)),
  ...[30, 50].map((wanted) =>
    besideNone({
      name: 'limiter',
      about: `limit 20/s, burst 1, ${wanted}/s: good`,
      day: days.overLimit(evenly, wanted),
      least: 0.95,
    }),
  ),
  besideNone({
    name: 'limiter',
    about: 'limit 20/s, burst 20, 100/s, half of the callers leave',
    day: days.leavingUnderLimit(twenty, 100),
    least: 0.93,
  }),
];

const changedAtMs = 60_000;

function changed(before: number, after: number): Goal[] {
  const burst = 20;
  const day = days.changedLimit({ perSecond: before, burst }, { perSecond: after, burst }, 400);
  const name = 'changed-limit';
  const about = `limit ${before}/s becomes ${after}/s, 400/s`;
  return [
    reaching({
      name,
      about: `${about}: used after 30 s`,
      day,
      least: 0.8,
      value: ({ series }) => perSecond(series.good, changedAtMs + 30_000, 10_000) / after,
    }),
    {
      name,
      about: `${about}: attempts after 10 s`,
      wanted: '<= 1.50x of it',
      judge(contender, seeds) {
        const each = pairsOf(day, contender, seeds).map(
          ({ ours }) => perSecond(ours.series.sent, changedAtMs + 10_000, 10_000) / after,
        );
        return { isMet: isAtLeast(1.5, Math.max(...each)), figures: `at most ${times(Math.max(...each))}` };
      },
    },
  ];
}

// ---------------------------------------------------------------- a limit for all

const globalLimits = [
  ['burst 1', { perSecond: 50, burst: 1 }],
  ['burst 50', { perSecond: 50, burst: 50 }],
  ['50 in each second', { permits: 50, windowMs: 1_000 }],
] as const;

function inside(contender: (service: Contender) => Contender, about: string, isAsked: boolean): Goal[] {
  return globalLimits.map(([name, limit]) => ({
    name: 'global-limit',
    about: `limit 50/s (${name}), Retry-After: 5, ${about}`,
    wanted: isAsked ? '0 inside the window; busiest second <= 1.5x' : 'reported',
    judge(given, seeds) {
      const world = sim.limitedServer(limit, 5, 90_000);
      const all = runs(world, sim.greedyClients, contender(given), seeds);
      const forbidden = all.map(({ totals }) => totals.forbidden);
      const busiest = Math.max(...all.map(({ series }) => Math.max(...series.sent.subarray(5)) / 50));
      const good = mean(all.map(({ totals }) => totals.goodput));
      return {
        isMet: isAsked ? Math.max(...forbidden) === 0 && busiest <= 1.5 : undefined,
        figures: `${range(forbidden, String)} inside (${(mean(forbidden) / 90).toFixed(1)}/s), busiest second ${times(busiest)}, ${good.toFixed(1)} good/s`,
      };
    },
  }));
}

function shared(contender: (service: Contender) => Contender, burst: number): Goal {
  const rows = burst === 1 ? { used: 0.82, refusals: 32 } : { used: 0.98, refusals: 50 };
  return {
    name: 'global-limit',
    about: `limit 20/s, burst ${burst}, 100 clients that want 50/s, refusedShare 0`,
    wanted: `>= ${percent(rows.used)} used, <= ${rows.refusals} refusals, Jain >= 0.95`,
    judge(given, seeds) {
      const world = sim.limitedServer({ perSecond: 20, burst }, 'exact', 60_000);
      const all = runs(world, sim.eagerClients, contender(given), seeds);
      const used = mean(all.map(({ totals }) => totals.good / (20 * 60 + burst)));
      const refusals = mean(all.map(({ totals }) => totals.sent - totals.good));
      const jain = Math.min(...all.map(({ goodBy }) => fairness(goodBy)));
      return {
        isMet: isAtLeast(used, rows.used) && refusals <= rows.refusals && jain >= 0.95,
        figures: `${percent(used)} used, ${refusals.toFixed(0)} refusals, Jain ${jain.toFixed(2)}`,
      };
    },
  };
}

/** A limit that is known to be for all requests: the first refusal counts. */
const firstWord = { refusedShare: 0 } as const;
const atTheFirstWord: Contender = { hold: firstWord };

// ---------------------------------------------------------------- recipes

interface Recipe {
  readonly about: string;
  readonly policy: Contender;
  readonly day: Day;
}

const github = { hints: 'github', hold: firstWord, maxHintMs: 120_000, deadlineMs: 300_000 } as const;

const batch = {
  maxRetries: 100,
  deadlineMs: 3_600_000,
  maxHintMs: 900_000,
  schedule: { kind: 'exponential', firstMs: 1_000, factor: 2, maxMs: 60_000, jitter: 'full' },
  gate: { whenShut: 'wait', maxWaiting: 10_000 },
  budget: false,
  hold: true,
} as const;

const quick = { kind: 'flaky', latencyMs: 50, share: 0, status: 503 } as const;

/** A secondary limit: everything is refused until the end of a minute. */
const secondaryLimit: SimulatedWorld = {
  durationMs: 400_000,
  services: [
    {
      server: {
        kind: 'changing',
        phases: [
          { fromMs: 0, server: quick },
          { fromMs: 30_000, server: { ...quick, share: 1, status: 429, retryAfter: 60 } },
          { fromMs: 90_000, server: quick },
        ],
      },
    },
  ],
};

const fiveASecond: Clients = {
  kind: 'open',
  count: 50,
  perSecond: [
    { fromMs: 0, perSecond: 5 },
    { fromMs: 100_000, perSecond: 0 },
  ],
};

const jobs: Clients = { kind: 'closed', count: 50, thinkMs: 1_000, timeoutMs: 60_000 };

const recipes: readonly Recipe[] = [
  {
    about: 'GitHub, refused for 60 s, 5/s',
    policy: github,
    day: { world: secondaryLimit, clients: fiveASecond },
  },
  {
    about: 'batch, down for 300 s',
    policy: batch,
    day: {
      world: {
        durationMs: 400_000,
        services: [
          { server: { ...quick, share: 0.01 }, faults: [{ kind: 'crash', fromMs: 20_000, forMs: 300_000 }] },
        ],
      },
      clients: jobs,
    },
  },
  {
    about: 'batch, limit 10/s with Retry-After: 30',
    policy: batch,
    day: { world: sim.limitedServer({ perSecond: 10, burst: 10 }, 30, 300_000), clients: jobs },
  },
  {
    about: 'batch, limit 20/s with exact Retry-After',
    policy: batch,
    day: { world: sim.limitedServer({ perSecond: 20, burst: 1 }, 'exact', 300_000), clients: jobs },
  },
];

const recipeGoals = recipes.map(({ about, policy, day }): Goal => {
  return {
    name: 'recipes',
    about: `recipe ${about}`,
    wanted: 'none refused, none failed',
    judge(_, seeds) {
      const all = runs(day.world, day.clients, policy, seeds).map(({ totals }) => totals);
      const refused = all.reduce((sum, totals) => sum + totals.refused, 0);
      const failed = all.reduce((sum, totals) => sum + totals.failed, 0);
      const good = mean(all.map((totals) => totals.good / totals.offered));
      return {
        isMet: refused + failed === 0,
        figures: `${refused} refused, ${failed} failed, ${percent(good, 1)} good`,
      };
    },
  };
});

export const limitGoals: readonly Goal[] = [
  ...limiters,
  ...changed(20, 200),
  ...changed(200, 20),
  ...inside(() => atTheFirstWord, 'refusedShare 0', true),
  ...inside((service) => service, 'as it comes', false),
  shared(() => atTheFirstWord, 1),
  shared(() => atTheFirstWord, 20),
  ...recipeGoals,
];
