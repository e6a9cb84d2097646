/** Days for the hold: the limit of one tenant, that of a server, and a queue that nothing bounds but its settings. */

import type { Run } from '../../src/tools/sim/index.js';
import { ordinaryDays as days, perSecond } from '../../src/tools/sim/index.js';
import { percent } from '../sim-reading.js';
import type { DayGoal, Figure } from './day-goal.js';
import { attempts, good, milliseconds, wholeNumber } from './day-goal.js';

// ---------------------------------------------------------------- one tenant is always refused

const answers = [
  { status: 429, retryAfter: 1 },
  { status: 429, retryAfter: 5 },
  { status: 429, retryAfter: 60 },
  { status: 429, retryAfter: false },
  { status: 503, retryAfter: 5 },
] as const;

const served: Figure = { what: 'the others', of: good, atLeast: 0.99, worst: true };
const usualTime: Figure = {
  what: 'p50',
  of: ({ innocent }) => innocent.totals.p50Ms ?? Infinity,
  atMost: 100,
  worst: true,
  text: milliseconds,
};
const longTime: Figure = {
  what: 'p99',
  of: ({ innocent }) => innocent.totals.p99Ms ?? Infinity,
  atMost: 2_000,
  worst: true,
  text: milliseconds,
};
const afterwards: Figure = {
  what: 'from 3 s after',
  of: ({ series }) =>
    sumFrom(series.good, days.servedFromMs + 3_000) / sumFrom(series.offered, days.servedFromMs + 3_000),
  atLeast: 0.99,
  worst: true,
};

function sumFrom(series: ArrayLike<number>, fromMs: number, toMs = series.length * 1_000): number {
  return (perSecond(series as Float64Array, fromMs, toMs - fromMs) * (toMs - fromMs)) / 1_000;
}

const tenants = [
  ...[0.35, 0.45, 0.55, 0.7, 0.9].flatMap((share) => answers.map((answer) => [share, answer, 100] as const)),
  ...[6, 25, 400].map((rate) => [0.8, answers[1], rate] as const),
  ...answers.map((answer) => [0.98, answer, 400] as const),
  ...[1, 2].map((index) => [0.98, answers[index] ?? answers[0], 100] as const),
].map(
  ([share, answer, rate]): DayGoal => ({
    name: 'tenants',
    about: `a tenant of ${percent(share)} of ${rate}/s always gets ${answer.status} with ${answer.retryAfter || 'none'}`,
    day: days.refusedTenant(share, answer, rate),
    figures: [served, usualTime, longTime, afterwards],
  }),
);

/** What a trial has kept back is too much at once for a server with a short queue. */
const shortQueues = [0.5, 0.7].map((share): DayGoal => {
  const workers = Math.ceil(8 * (1 - share)) + 2;
  return {
    name: 'tenants',
    about: `a tenant of ${percent(share)} of 100/s always gets 429 with 5, ${workers} workers, a queue of 5`,
    day: days.refusedTenant(share, answers[1], 100, { kind: 'queue', workers, places: 5, serviceMs: 50 }),
    figures: [{ what: 'the others', of: good, atLeast: 0.99, besideNone: true }],
  };
});

/** The same for clients in many processes that share what they know. */
const together = [10, 50].map(
  (processes): DayGoal => ({
    name: 'tenants',
    about: `a tenant of 80 % of 100/s always gets 429 with 5, ${processes} processes that share`,
    day: days.inProcesses(days.refusedTenant(0.8, answers[1], 100), processes),
    figures: [served, usualTime, longTime, afterwards],
    store: { delayMs: 5 },
  }),
);

/** How many of the requests succeed that start from then on. */
function goodFrom(fromMs: number): Figure['of'] {
  return ({ series: { goodOfOffered, offered } }) =>
    sumFrom(goodOfOffered, fromMs) / sumFrom(offered, fromMs);
}

// ---------------------------------------------------------------- a server sheds with a constant Retry-After

function shed(perSecondBorne: number, times: number, seconds: number): DayGoal {
  const forMs = 1_000 * seconds;
  const toMs = days.overloadedFromMs + forMs;
  const during = (run: Run): number => sumFrom(run.series.sent, days.overloadedFromMs, toMs);
  return {
    name: 'sheds',
    about: `${times}x of ${perSecondBorne}/s for ${seconds} s, shed with Retry-After: 5`,
    day: days.shedding({ perSecond: perSecondBorne, times, forMs, retryAfter: 5 }),
    figures: [
      {
        what: 'used',
        of: ({ series }) => sumFrom(series.good, days.overloadedFromMs, toMs) / (perSecondBorne * seconds),
        atLeast: 0.97,
        besideNone: true,
      },
      { what: 'good in the minute after', of: goodFrom(toMs), atLeast: 0.99 },
      // A short overload is over by the time that it is known for what it is.
      times >= 2 && seconds >= 20
        ? { what: 'attempts', of: during, atMost: 0.7, besideNone: true, text: wholeNumber }
        : { what: 'attempts', of: attempts, atMost: 1.05, besideNone: true, text: wholeNumber },
    ],
  };
}

const overloads = [shed(40, 1.5, 30), shed(40, 3, 30), shed(40, 3, 5), shed(160, 2, 10), shed(160, 5, 20)];

/**
 * In many processes. A few of the places in the common queue come up while their process has no request for them; and
 * each process brings a retry budget, so that after a short overload the retries take the places of others.
 */
const overloadedTogether = [10, 50].flatMap((processes) =>
  [shed(40, 3, 30), shed(40, 3, 5), shed(160, 5, 20)].map((alone): DayGoal => {
    const [used, after, sent] = alone.figures as readonly [Figure, Figure, Figure];
    const isShort = sent.atMost !== 0.7;
    return {
      ...alone,
      about: `${alone.about}, ${processes} processes that share`,
      day: days.inProcesses(alone.day, processes),
      figures: [{ ...used, atLeast: 0.94 }, { ...after, atLeast: isShort ? 0.88 : 0.97 }, sent],
      store: { delayMs: 5 },
    };
  }),
);

// ---------------------------------------------------------------- a limit that falls for a while

const dips = [
  ...[2, 5, 10, 60].flatMap((seconds) => [0.1, 0.3].map((share) => [share, seconds, 40] as const)),
  [0.1, 5, 200] as const,
].map(([share, seconds, rate]): DayGoal => {
  return {
    name: 'dips',
    about: `a limit of ${3 * rate}/s falls to ${share * rate}/s for ${seconds} s, ${rate}/s`,
    day: days.dippedLimit(share, 1_000 * seconds, rate),
    figures: [
      {
        what: 'good in the minute after',
        of: goodFrom(days.dippedFromMs + 1_000 * seconds),
        // After a minute, little is known about the limit. The page names that.
        atLeast: seconds === 60 ? 0.86 : 0.9,
      },
      { what: 'attempts', of: attempts, atMost: 1.1, besideNone: true, text: wholeNumber },
    ],
  };
});

// ---------------------------------------------------------------- a quota

const quota: DayGoal = {
  name: 'quota',
  about: 'a quota of 1,200 a minute, 100/s: attempts a second while everything is refused',
  day: days.quota(1_200, 100),
  figures: [
    {
      what: 'attempts/s',
      of: ({ series }) => {
        const minutes = [1, 2, 3, 4].map((minute) =>
          perSecond(series.sent, minute * 60_000 + 16_000, 42_000),
        );
        return minutes.reduce((sum, one) => sum + one, 0) / minutes.length;
      },
      atMost: 12,
      text: (value) => value.toFixed(1),
    },
  ],
};

export const holdDays: readonly DayGoal[] = [
  ...tenants,
  ...shortQueues,
  ...together,
  ...overloads,
  ...overloadedTogether,
  ...dips,
  quota,
];
