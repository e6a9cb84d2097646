/** Ordinary days as tables: no retry is the first row, and figures that are worse than its own are marked. */

import { presets } from '../src/index.js';
import type { Contender, Day, Run, SimulateOptions } from '../src/tools/sim/index.js';
import { ordinaryDays as days, peers, perSecond } from '../src/tools/sim/index.js';
import { goodShare, mean, percent, runs, type Seeds } from './sim-reading.js';
import type { Case, Contenders, Table } from './sim-tables.js';
import { naive } from './sim-tables.js';

/** Less than this share of the result of no retry is worse. It is not chance, because all contenders have the same luck. */
const noWorse = 0.99;

export interface DayCase {
  readonly column: string;
  readonly about: string;
  readonly asked?: string;
  readonly day: Day;
  /** Default: the share of the innocent requests that succeed. */
  readonly value?: (run: Run, day: Day) => number;
  readonly better?: 'more' | 'less';
  readonly print?: (value: number) => string;
  /** What becomes of a contender that retries, on a day that needs another setting. */
  readonly adapted?: (contender: Contender) => Contender;
  /** All processes of the clients share their scopes through this store. */
  readonly store?: SimulateOptions['store'];
  /** Quick enough for a test of ten seeds. */
  readonly isQuick?: true;
}

export function caseOf(some: DayCase): Case {
  const { column, about, asked = 'no less than without retries', day } = some;
  const { value = innocentShare, better = 'more', print = percentText, store } = some;
  const measure = (contender: Contender, seeds: Seeds): number =>
    mean(runs(day.world, day.clients, contender, seeds, store).map((run) => value(run, day)));
  const withoutRetries = new Map<number, number>();
  const usual = (seeds: Seeds): number => {
    const known = withoutRetries.get(seeds.length) ?? measure(peers.noRetry, seeds);
    withoutRetries.set(seeds.length, known);
    return known;
  };
  const isWorse = (reached: number, seeds: Seeds): boolean =>
    better === 'more' ? reached < usual(seeds) * noWorse : reached * noWorse > usual(seeds);
  return {
    about,
    asked,
    columns: [column],
    cells: (contender, seeds) => {
      if (contender === peers.noRetry) return [print(usual(seeds))];
      const reached = measure(some.adapted?.(contender) ?? contender, seeds);
      return [isWorse(reached, seeds) ? `**${print(reached)}**` : print(reached)];
    },
    ...(some.isQuick !== true && { isLong: true as const }),
  };
}

export function percentText(share: number): string {
  return percent(share, share > 0 && share < 0.1 ? 1 : 0);
}

export function innocentShare({ innocent }: Run): number {
  return goodShare(innocent);
}

/** The share of the limit that was used. */
export function usedOf(limit: { readonly perSecond: number; readonly burst: number }) {
  return ({ totals }: Run, { world }: Day): number =>
    totals.good / ((limit.perSecond * world.durationMs) / 1_000 + limit.burst);
}

/** The share of success of the requests that started in the minute after the refusal. */
export function afterRefusal({ innocent: { series } }: Run): number {
  return (
    (perSecond(series.good, days.refusedAtMs, 75_000) * 75) /
    (perSecond(series.offered, days.refusedAtMs, 60_000) * 60)
  );
}

export function lost({ totals }: Run): number {
  return totals.failed + totals.refused;
}

function wholeNumber(value: number): string {
  return value.toFixed(0);
}

const twenty = { perSecond: 20, burst: 20 } as const;
const twentyEvenly = { perSecond: 20, burst: 1 } as const;

const limits: readonly DayCase[] = [
  {
    column: 'limit used',
    about:
      'A token bucket of 20 a second, burst 20, with the exact `Retry-After`, and 100 requests a second with deadlines of 10 s: the share of the limit that is used',
    asked: '`service`: at least 93 %',
    day: days.overLimit(twenty, 100),
    value: usedOf(twenty),
  },
  {
    column: 'burst 1',
    about: 'The same with a burst of 1',
    asked: '`service`: at least 65 %',
    day: days.overLimit(twentyEvenly, 100),
    value: usedOf(twentyEvenly),
  },
  {
    column: 'a tenant',
    about: 'One tenant, 5 % of 100 requests a second, gets 429 with `Retry-After: 60`: the others',
    day: days.oddRoute(0.05, days.always(429, 60), 100, 120_000),
  },
  {
    column: 'a bigger one',
    about: 'The same with 20 % of the requests',
    day: days.oddRoute(0.2, days.always(429, 60), 100, 120_000),
  },
  {
    column: 'one 429',
    about: 'A single request gets 429 with `Retry-After: 60`: the others in the minute after',
    day: days.oneRefusal(60, 100),
    value: afterRefusal,
    isQuick: true,
  },
  {
    column: 'a route with a limit',
    about:
      'One route, 10 % of 300 requests a second, has a limit of its own that allows a fifth of that: the others',
    day: days.limitedRoute(0.1, 300),
  },
  {
    column: 'leaving',
    about:
      'Half of the callers leave after 0.5 s while they wait for a limit of 20 a second: the share of the limit that is used',
    day: days.leavingUnderLimit(twenty, 100),
    value: usedOf(twenty),
  },
];

const parts: readonly DayCase[] = [
  {
    column: 'a route 503',
    about: 'One route, 5 % of 100 requests a second, answers 503 with `Retry-After: 30`: the others',
    day: days.oddRoute(0.05, days.always(503, 30), 100, 120_000),
  },
  {
    column: 'a broken route',
    about: 'A route with 90 % of 100 requests a second always answers 503: the others',
    day: days.oddRoute(0.9, days.always(503), 100, 60_000),
  },
  {
    column: 'a bad job',
    about:
      'A job sends requests that all get 500, one after another, beside 1 good request a second: the good ones',
    day: days.badJob(500, 1, 200),
  },
  {
    column: 'a health check',
    about:
      'Two health checks a second of something that is down, beside 1 good request a second to the same origin: the good ones',
    day: days.failingHealthCheck(1),
    isQuick: true,
  },
  {
    column: '70 % fail',
    about: '70 % of the answers are 503, at 1,000 a second',
    day: days.partialFailure(0.7, 1_000),
  },
  {
    column: 'swallowing',
    about: 'One of ten backends never answers, at 100 requests a second',
    asked: '`service`: at least 96 %',
    day: days.swallowingBackend(10, 100),
    print: (share) => percent(share, 1),
  },
  {
    column: '5 % lost',
    about: '5 % of the attempts are never answered, for an hour',
    asked: '`service`: at least 99.5 %',
    day: days.lostAnswers(0.05, 100, 3_600_000),
    print: (share) => percent(share, 1),
  },
];

const moments: readonly DayCase[] = [
  {
    column: 'resets',
    about: 'A deploy cuts off everything in flight, 100 of 1,000 requests a second: how many are lost',
    asked: 'no more than without retries',
    day: days.resetWave(1_000),
    value: lost,
    better: 'less',
    print: wholeNumber,
    isQuick: true,
  },
  {
    column: 'flapping',
    about: '2 s up, 2 s down, at 1,000 a second',
    day: days.flapping(2_000, 2_000, 1_000),
  },
  {
    column: 'a slow day',
    about: 'Everything takes ten times the usual 300 ms, attempt timeout 2 s',
    day: days.slowDown(10, 100),
  },
  {
    column: 'a wave of 503',
    about: 'Everything gets 503 for 1 s, at 1,000 a second: how many are lost',
    asked: 'no more than without retries',
    day: days.errorWave(1_000, 1_000),
    value: lost,
    better: 'less',
    print: wholeNumber,
  },
  {
    column: 'a pause',
    about: 'Nothing runs for 1.5 s, at 1,000 a second: how many are lost',
    asked: 'no more than without retries',
    day: days.pause(1_500, 1_000),
    value: lost,
    better: 'less',
    print: wholeNumber,
  },
  {
    column: 'a slow start',
    about: 'Down for 5 s, then ten times as slow for 20 s, at 100 a second',
    day: days.slowStart(100),
  },
  {
    column: 'a cron job',
    about: '200 requests at once each minute, of which 2 % fail, and nothing in between',
    day: days.cronBursts(200),
    print: (share) => percent(share, 1),
    isQuick: true,
  },
  {
    column: 'a short pause',
    about: 'Nothing runs for 3 s, at 100 a second: how many are lost',
    asked: 'no more than without retries',
    day: days.pause(3_000, 100),
    value: lost,
    better: 'less',
    print: wholeNumber,
  },
];

const crowds: readonly DayCase[] = [
  {
    column: 'at 150 %',
    about:
      'Eight workers of 0.1 s each, a queue without an end, and requests with deadlines of 2 s, half again as many as the workers can do: the share of what they can do that is done in time',
    asked: 'with `concurrency`: at least 95 %',
    day: days.crowdedWorkers(1.5),
    value: ({ totals }, { world }) => totals.good / ((80 * world.durationMs) / 1_000),
    isQuick: true,
  },
  {
    column: 'at 80 %',
    about: 'The same with fewer requests than they can do: the share of the requests',
    day: days.crowdedWorkers(0.8),
    print: (share) => percent(share, 1),
  },
  {
    column: 'at 300 %',
    about: 'The same with three times as many as they can do: the share of what they can do',
    day: days.crowdedWorkers(3),
    value: ({ totals }, { world }) => totals.good / ((80 * world.durationMs) / 1_000),
  },
];

const crowdContenders: Contenders = {
  ...naive,
  'undaunted: defaults': {},
  'undaunted: `service`': presets.policies.service,
  'undaunted: `concurrency: 8`': { concurrency: 8 },
  'undaunted: `concurrency: 16`': { concurrency: 16 },
  'undaunted: `concurrency: 32`': { concurrency: 32 },
  'undaunted: `service`, `concurrency: 16`': { ...presets.policies.service, concurrency: 16 },
};

/** All ordinary days, for other comparisons. */
export const dayCases: readonly DayCase[] = [...limits, ...parts, ...moments];

export const dayContenders: Contenders = {
  ...naive,
  'axios-retry, `exponentialDelay`': peers.axiosRetry,
  ky: peers.ky,
  'AWS standard': peers.awsStandard,
  'undaunted: defaults': {},
  'undaunted: hold on': { hold: true },
  'undaunted: `service`': presets.policies.service,
};

export const ordinaryTables: readonly Table[] = [
  {
    name: 'ordinary-limits',
    title: 'Ordinary days: limits',
    contenders: dayContenders,
    cases: limits.map(caseOf),
  },
  {
    name: 'ordinary-parts',
    title: 'Ordinary days: a part fails',
    contenders: dayContenders,
    cases: parts.map(caseOf),
  },
  {
    name: 'ordinary-moments',
    title: 'Ordinary days: everything fails for a moment',
    contenders: dayContenders,
    cases: moments.map(caseOf),
  },
  {
    name: 'ordinary-crowds',
    title: 'Ordinary days: more requests than workers',
    contenders: crowdContenders,
    cases: crowds.map(caseOf),
  },
];
