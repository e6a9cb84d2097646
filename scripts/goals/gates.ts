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
    const from = days.deadAtMs + forMs;
    return perSecond(series.good, from, ms) / perSecond(series.offered, from, ms);
  };
}

const returns: readonly DayGoal[] = (['stop', 'crash'] as const).flatMap((how) =>
  (
    [
      [5_000, 9_000, 0.97],
      [5_000, 2_000, undefined],
      [128, 2_000, 0.92],
      [1_000, 2_000, undefined],
    ] as const
  ).map(
    ([rate, withinMs, atLeast]): DayGoal => ({
      name: 'return',
      about: `${how === 'stop' ? 'stopped' : 'down'} for 5 s, ${rate}/s: the ${withinMs / 1_000} s after`,
      day: days.dead(how, 5_000, rate),
      figures: [{ what: 'good', of: backWithin(withinMs, 5_000), ...(atLeast !== undefined && { atLeast }) }],
    }),
  ),
);

export const gateDays: readonly DayGoal[] = [...polls, ...returns];
