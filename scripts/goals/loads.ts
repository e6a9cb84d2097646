/** Servers that get more than they bear, for a while or all the time, and what retries add to that. */

import type { Contender, Run } from '../../src/tools/sim/index.js';
import { ordinaryDays as days, perSecond } from '../../src/tools/sim/index.js';
import { times } from '../sim-reading.js';
import type { DayGoal, Figure } from './day-goal.js';
import { attempts, good, milliseconds, twoDigits, wholeNumber } from './day-goal.js';

const goodAsWell: Figure = { what: 'good', of: good, atLeast: 0.99, besideNone: true };

// ---------------------------------------------------------------- many clients of one quota

function refusalsEach({ totals }: Run): number {
  return (totals.sent - totals.good) / totals.good;
}

/** A client that goes on until it gets its turn. */
function patient(contender: Contender): Contender {
  return { ...contender, maxRetries: 20, deadlineMs: 120_000 } as Contender;
}

const quotas = [100, 50, 10].map((processes): DayGoal => {
  const isApart = processes === 100;
  return {
    name: 'quota',
    about: `a quota of 20/s for 100 clients in ${processes} processes, exact Retry-After`,
    day: days.sharedQuota(100, processes),
    adapted: patient,
    figures: [
      { what: 'refusals each', of: refusalsEach, text: twoDigits, atMost: 1.3 },
      // Fewer processes with more requests each have a hold that works, and refuses what would queue for too long.
      { what: 'good', of: good, ...(processes > 10 && { atLeast: 0.95 }) },
      { what: 'p99', of: ({ totals }) => totals.p99Ms ?? 0, text: milliseconds },
    ],
    ...(isApart && { column: 'one quota' }),
  };
});

// ---------------------------------------------------------------- refusals without a hint

const borne = { perSecond: 100, burst: 10 } as const;

const unhinted = [110, 160, 300, 1_000].map((rate): DayGoal => {
  const isClose = rate === 110;
  return {
    name: 'unhinted',
    about: `503 without a hint above 100/s, ${rate}/s: attempts`,
    day: days.unhinted(borne, rate),
    figures: [
      { what: 'attempts', of: attempts, besideNone: true, atMost: isClose ? 1.5 : 1.25, text: wholeNumber },
      { what: 'each', of: ({ totals }) => totals.amplification, text: times },
      { what: 'for a success', of: ({ totals }) => totals.sent / totals.good, text: times },
      goodAsWell,
    ],
  };
});

// ---------------------------------------------------------------- a peak, a stop, a tier that hangs

function firstMinute({ series }: Run): number {
  return (
    perSecond(series.good, days.stoppedAtMs, 60_000) / perSecond(series.offered, days.stoppedAtMs, 60_000)
  );
}

function whileItHangs({ innocent: { series } }: Run): number {
  return (
    perSecond(series.good, days.stoppedAtMs, 10_000) / perSecond(series.offered, days.stoppedAtMs, 10_000)
  );
}

const peaks = [50, 200].map((places): DayGoal => {
  return {
    name: 'peak',
    about: `a peak of 1.15x, a queue of ${places}`,
    day: days.diurnalPeak(places),
    // A queue of 200 holds two seconds of work: every retry after a timeout makes others time out. The page names that.
    figures: places === 200 ? [{ what: 'good', of: good }] : [goodAsWell],
    ...(places === 200 && { column: 'a peak' }),
  };
});

const others: readonly DayGoal[] = [
  ...peaks,
  {
    name: 'peak',
    about: 'stopped for 5 s with a kept backlog, 70/s: the minute from then on',
    day: days.keptBacklog(70),
    figures: [{ what: 'good', of: firstMinute, atLeast: 0.99, besideNone: true }],
    column: 'a kept backlog',
  },
  {
    name: 'peak',
    about: 'a tier with 64 workers before one that hangs for 10 s: its other requests',
    day: days.hangingTier(),
    // The first timeouts are retried before anything shows that all of them hang. The page names that.
    figures: [{ what: 'good', of: whileItHangs }],
    column: 'a tier that hangs',
  },
];

export const loadDays: readonly DayGoal[] = [...quotas, ...unhinted, ...others];
