import { describe, expect, test } from 'vitest';
import { longestWait, scheduledWait } from '../../../src/core/decide/schedule.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import type { Schedule } from '../../../src/core/policy/schedules.js';
import { schemes } from '../../../src/core/policy/schemes.js';
import type { Outcome } from '../../../src/core/types.js';
import { definePolicy } from '../../../src/parts/all.js';
import { answered } from '../../kit.js';
import { always, expectValues, flow, type Numbers, near, refused, tooSlow, waits } from './preset-kit.js';

// The compiler checks that each scheme has the type that a user's own value would have.
const schedules: Readonly<Record<keyof typeof schemes.schedules, Schedule>> = schemes.schedules;
const policies: Readonly<Record<keyof typeof schemes.policies, PolicyOptions>> = schemes.policies;

const numbers: Readonly<Record<keyof typeof schemes.schedules, Numbers>> = {
  googleCoreReporting: {
    lowest: [1_000, 2_000, 4_000, 8_000, 16_000],
    middle: [1_500, 2_500, 4_500, 8_500, 16_500],
    longest: [2_000, 3_000, 5_000, 9_000, 17_000],
  },
  statelessTable: {
    lowest: [0, 5, 5, 50, 50, 250, 250, 1_500, 1_500, 2_500, 2_500],
    middle: [0, 10, 10, 100, 100, 500, 500, 3_000, 3_000, 5_000, 5_000],
    longest: [0, 15, 15, 150, 150, 750, 750, 4_500, 4_500, 7_500, 7_500],
  },
  normallyDistributed: {
    lowest: [60, 163.0968, 443.342769504],
    middle: [100, 271.828, 738.90461584],
    longest: [140, 380.5592, 1_034.466462176],
  },
  ethernet: {
    lowest: [0, 0, 0],
    middle: [0.0512, 0.1024, 0.2048, 0.4096, 0.8192, 1.6384, 3.2768, 6.5536, 13.1072, 26.2144, 26.2144],
    longest: [0.1024, 0.2048, 0.4096, 0.8192, 1.6384, 3.2768, 6.5536, 13.1072, 26.2144, 52.4288, 52.4288],
  },
  zeromqWorker: always(1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000),
  tcpRetransmission: always(1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000),
  dockerRestart: always(100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 51_200, 60_000, 60_000),
  fixed: always(1_000, 1_000, 1_000),
};

const scheduleNames = Object.keys(numbers) as (keyof typeof numbers)[];

describe('schedules', () => {
  test.each(scheduleNames)('%s has the numbers of its origin', (name) => {
    const { lowest, middle, longest } = numbers[name];
    expect(waits(schedules[name], lowest.length, 0)).toEqual(lowest.map(near));
    expect(waits(schedules[name], middle.length, 0.5)).toEqual(middle.map(near));
    expect(longest.map((_, index) => longestWait(schedules[name], index + 1))).toEqual(longest.map(near));
  });

  test('normallyDistributed ends at five minutes', () => {
    expect(waits(schemes.schedules.normallyDistributed, 11, 0.5).slice(-2)).toEqual([300_000, 300_000]);
  });

  test.each(scheduleNames)('%s is a schedule that a policy takes as it is', (name) => {
    const schedule = schedules[name];
    const { settings } = definePolicy({ schedule, throttledSchedule: schedule }).fallback;
    expect(settings.schedule).toEqual(schedule);
    expect(settings.throttledSchedule).toEqual(schedule);
  });
});

describe('ethernet', () => {
  const { ethernet } = schemes.schedules;
  const slotMs = 0.0512;

  test.each([1, 2, 3, 9, 10, 11, 15])('before retry %d: every number of slots, and none beyond', (retry) => {
    const slots = 2 ** Math.min(retry, 10);
    const seen = Array.from({ length: slots }, (_, k) =>
      scheduledWait(ethernet, retry, undefined, (k + 0.5) / slots),
    );
    expect(seen).toEqual(seen.map((_, k) => k * slotMs));
    expect(scheduledWait(ethernet, retry, undefined, 1 - 2 ** -53)).toBe((slots - 1) * slotMs);
  });
});

// ---------------------------------------------------------------- policies

/** An error as the reporting API sends it. */
function googleSays(status: number, reason?: string): Outcome {
  const content = { error: { errors: [{ domain: 'global', reason }], code: status } };
  return { kind: 'response', status, headers: {}, ...(reason !== undefined && { content }) };
}

describe('googleCoreReporting', () => {
  const { googleCoreReporting } = schemes.policies;
  const all = [1_000, 2_000, 4_000, 8_000, 16_000];

  test('has the schedule of that name, twice', () => {
    const { schedule, throttledSchedule } = googleCoreReporting;
    expect([schedule, throttledSchedule]).toEqual(Array(2).fill(schemes.schedules.googleCoreReporting));
  });

  test.each(['userRateLimitExceeded', 'rateLimitExceeded', 'quotaExceeded'])(
    '403 %s: five waits, and then the answer',
    (reason) => {
      expect(flow(googleCoreReporting, [googleSays(403, reason)])).toEqual([all, 'retries-spent']);
      const [longest] = flow(googleCoreReporting, [googleSays(403, reason)], 1 - 2 ** -53);
      expect(longest).toEqual(all.map((waitMs) => near(waitMs + 1_000)));
    },
  );

  test.each<[number, string | undefined, string]>([
    [403, 'dailyLimitExceeded', 'server-forbids'],
    [403, 'insufficientPermissions', 'final-status'],
    [403, undefined, 'final-status'],
    [400, 'invalidParameter', 'final-status'],
    [400, 'badRequest', 'final-status'],
    [401, 'invalidCredentials', 'final-status'],
    [404, 'notFound', 'final-status'],
    [502, undefined, 'final-status'],
  ])('%i %s: not retried', (status, reason, why) => {
    expect(flow(googleCoreReporting, [googleSays(status, reason)])).toEqual([[], why]);
  });

  test.each<[number, string | undefined]>([
    [500, 'internalServerError'],
    [503, 'backendError'],
    [503, undefined],
  ])('%i %s: once at most', (status, reason) => {
    const answer = googleSays(status, reason);
    expect(flow(googleCoreReporting, [answer])).toEqual([[1_000], 'server-forbids']);
    const limited = googleSays(403, 'quotaExceeded');
    expect(flow(googleCoreReporting, [limited, answer, limited, answer])).toEqual([
      [1_000, 2_000, 4_000],
      'server-forbids',
    ]);
  });
});

describe('zeromqLazyPirate', () => {
  test('three tries of 2.5 s, one after the other', () => {
    const { zeromqLazyPirate } = schemes.policies;
    expect(definePolicy(zeromqLazyPirate).fallback.settings.attemptTimeoutMs).toBe(2_500);
    expect(flow(zeromqLazyPirate, [tooSlow])).toEqual([[0, 0], 'retries-spent']);
    expect(flow(zeromqLazyPirate, [refused])).toEqual([[0, 0], 'retries-spent']);
  });

  test('an answer is an answer', () => {
    const busy = answered(503, { 'retry-after': '1' });
    expect(flow(schemes.policies.zeromqLazyPirate, [busy])).toEqual([[], 'final-status']);
  });
});

describe('hadoop', () => {
  test('every 30 s for 15 minutes', () => {
    const [delays, why] = flow(schemes.policies.hadoopMaximumTime, [refused]);
    // The thirtieth would begin when the time is over.
    expect(delays).toEqual(Array(29).fill(30_000));
    expect(why).toBe('wait-past-deadline');
    expect((15 * 60_000) / 30_000).toBe(schemes.policies.hadoopMaximumTime.maxRetries);
  });

  test('five waits that double, each half as long or half as long again', () => {
    const { hadoopExponential } = schemes.policies;
    const series = (factor: number) => [400, 800, 1_600, 3_200, 6_400].map((waitMs) => near(waitMs * factor));
    expect(flow(hadoopExponential, [refused], 0)).toEqual([series(0.5), 'retries-spent']);
    expect(flow(hadoopExponential, [refused], 0.5)).toEqual([series(1), 'retries-spent']);
    expect(flow(hadoopExponential, [answered(503)], 1 - 2 ** -53)).toEqual([series(1.5), 'retries-spent']);
  });

  test.each(['hadoopMaximumTime', 'hadoopExponential'] as const)('%s: other answers are final', (name) => {
    expect(flow(schemes.policies[name], [answered(500)])).toEqual([[], 'final-status']);
  });
});

expectValues(schemes, policies);
