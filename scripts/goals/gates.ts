/** What a gate must not do to requests that would have been answered: beside long polls, and after an outage. */

import type { Contender, Run } from '../../src/tools/sim/index.js';
import { ordinaryDays as days, perSecond } from '../../src/tools/sim/index.js';
import type { DayGoal, Figure } from './day-goal.js';
import { good } from './day-goal.js';

const answered: Figure = { what: 'good', of: good, atLeast: 0.995 };

/** Long polls need a timeout of their own. */
function patient(contender: Contender): Contender {
  return { ...contender, attemptTimeoutMs: 25_000, deadlineMs: 60_000 } as Contender;
}

const polls: readonly DayGoal[] = [
  {
    name: 'long-polls',
    about: '50 long polls of 2 s, one quick request every 50 s',
    day: days.longPolls({ pollers: 50, timeoutMs: 2_000, quick: 1, everyMs: 50_000 }),
    column: 'beside 50 long polls',
    isQuick: true,
    figures: [answered],
  },
  {
    name: 'long-polls',
    about: '20 long polls of 2 s, one quick request every 20 s',
    day: days.longPolls({ pollers: 20, timeoutMs: 2_000, quick: 1, everyMs: 20_000 }),
    figures: [answered],
  },
  {
    name: 'long-polls',
    about: '50 long polls of 2 s, one quick request every 20 s under the same first segment',
    day: days.longPolls({
      pollers: 50,
      timeoutMs: 2_000,
      quick: 1,
      everyMs: 20_000,
      paths: { poll: '/api/events', quick: '/api/state' },
    }),
    figures: [answered],
  },
  {
    name: 'long-polls',
    about: '50 long polls of 2 s, one quick request every 50 s that differs only by a name in the query',
    day: days.longPolls({
      pollers: 50,
      timeoutMs: 2_000,
      quick: 1,
      everyMs: 50_000,
      paths: { poll: '/poll', quick: '/poll?wait=0' },
    }),
    figures: [answered],
  },
  ...[1, 20].map(
    (quick): DayGoal => ({
      name: 'long-polls',
      about: `50 long polls of 25 s, ${quick === 1 ? 'one quick request' : `${quick} quick requests at once`} every 60 s`,
      day: days.longPolls({ pollers: 50, timeoutMs: 25_000, quick, everyMs: 60_000 }),
      adapted: patient,
      figures: [answered],
    }),
  ),
  ...[10, 50].map(
    (processes): DayGoal => ({
      name: 'long-polls',
      about: `50 long polls of 2 s in a fleet of ${processes} processes, one quick request in each every 50 s`,
      day: days.longPolls({ pollers: 50, timeoutMs: 2_000, quick: processes, everyMs: 50_000, processes }),
      store: { delayMs: 5 },
      figures: [answered],
    }),
  ),
];

/** Successes relative to what was asked for, from the return of the server on. */
function backWithin(ms: number, forMs: number): (run: Run) => number {
  return ({ series }) => {
    const from = days.backAt(forMs);
    return perSecond(series.good, from, ms) / perSecond(series.offered, from, ms);
  };
}

interface Return {
  readonly how: 'stop' | 'crash' | 'hang';
  readonly forMs: number;
  readonly rate: number;
  readonly withinMs: number;
  readonly atLeast?: number;
  readonly processes?: number;
}

const inWords = { stop: 'stopped', crash: 'down', hang: 'silent' };

function returning({ how, forMs, rate, withinMs, atLeast, processes }: Return): DayGoal {
  const among = processes === undefined ? '' : `, in a fleet of ${processes} processes`;
  return {
    name: 'return',
    about: `${inWords[how]} for ${forMs / 1_000} s, ${rate}/s${among}: the ${withinMs / 1_000} s after`,
    day: days.dead(how, forMs, rate, processes),
    figures: [{ what: 'good', of: backWithin(withinMs, forMs), ...(atLeast !== undefined && { atLeast }) }],
    ...(processes !== undefined && { store: { delayMs: 5 } }),
  };
}

const known: readonly Return[] = (['stop', 'crash'] as const).flatMap((how) => [
  { how, forMs: 5_000, rate: 5_000, withinMs: 9_000, atLeast: 0.97 },
  { how, forMs: 5_000, rate: 5_000, withinMs: 2_000 },
  { how, forMs: 5_000, rate: 128, withinMs: 2_000, atLeast: 0.92 },
  { how, forMs: 5_000, rate: 1_000, withinMs: 2_000 },
]);

/** None of what it got meanwhile is answered, so only a new probe can tell that it is back. */
const silent: readonly Return[] = [200, 1_000].flatMap((rate) => [
  ...[2_600, 4_300, 7_700].map((forMs): Return => {
    return { how: 'hang', forMs, rate, withinMs: 2_000, atLeast: 0.92 };
  }),
  // After a longer outage, probes are further apart.
  { how: 'hang', forMs: 23_400, rate, withinMs: 2_000, atLeast: 0.8 },
]);

const silentFleets: readonly Return[] = [10, 50].flatMap((processes) => [
  ...[4_300, 7_700].map((forMs): Return => {
    return { how: 'hang', forMs, rate: 200, withinMs: 2_000, atLeast: 0.85, processes };
  }),
  { how: 'hang', forMs: 23_400, rate: 200, withinMs: 2_000, processes },
]);

const returns = [...known, ...silent, ...silentFleets].map(returning);

export const gateDays: readonly DayGoal[] = [...polls, ...returns];
