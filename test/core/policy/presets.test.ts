import { describe, expect, test } from 'vitest';
import { longestWait, scheduledWait } from '../../../src/core/decide/schedule.js';
import { AttemptTimeoutError } from '../../../src/core/errors.js';
import type { Budget } from '../../../src/core/policy/limits.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { definePolicy } from '../../../src/core/policy/policy.js';
import { presets } from '../../../src/core/policy/presets.js';
import type { Schedule } from '../../../src/core/policy/schedules.js';
import type { Outcome } from '../../../src/core/types.js';
import type { Ports } from '../../../src/runtime/ports.js';
import { createRetrier, type Retrier } from '../../../src/runtime/retrier.js';
import { answered, errorWith, failed, requestOf } from '../../kit.js';

// The compiler checks that each preset has the type that a user's own value would have.
const schedules: Readonly<Record<keyof typeof presets.schedules, Schedule>> = presets.schedules;
const budgets: Readonly<Record<keyof typeof presets.budgets, Budget>> = presets.budgets;

/** The waits before retries 1 to `count`, each given the one before it, all with the same draw. */
function waits(schedule: Schedule, count: number, draw: number): number[] {
  const series: number[] = [];
  for (let retry = 1; retry <= count; retry++) {
    series.push(scheduledWait(schedule, retry, series.at(-1), draw));
  }
  return series;
}

/** The waits at the lowest draw and at the middle one, and the upper bound for any draw. */
interface Numbers {
  readonly lowest: readonly number[];
  readonly middle: readonly number[];
  readonly longest: readonly number[];
}

function always(...series: readonly number[]): Numbers {
  return { lowest: series, middle: series, longest: series };
}

const numbers: Readonly<Record<keyof typeof presets.schedules, Numbers>> = {
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
  awsFullJitter: {
    lowest: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    middle: [5, 10, 20, 40, 80, 160, 320, 640, 1_000, 1_000],
    longest: [10, 20, 40, 80, 160, 320, 640, 1_280, 2_000, 2_000],
  },
  awsEqualJitter: {
    lowest: [5, 10, 20, 40, 80, 160, 320, 640, 1_000, 1_000],
    middle: [7.5, 15, 30, 60, 120, 240, 480, 960, 1_500, 1_500],
    longest: [10, 20, 40, 80, 160, 320, 640, 1_280, 2_000, 2_000],
  },
  awsDecorrelatedJitter: {
    lowest: [5, 5, 5],
    middle: [10, 17.5, 28.75],
    longest: [15, 45, 135, 405, 1_215, 2_000, 2_000],
  },
  awsStandard: {
    lowest: [0, 0, 0],
    middle: [25, 50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000],
    longest: [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 20_000, 20_000],
  },
  awsStandardThrottled: {
    lowest: [0, 0, 0],
    middle: [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000],
    longest: [1_000, 2_000, 4_000, 8_000, 16_000, 20_000, 20_000],
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
const budgetNames = Object.keys(budgets) as (keyof typeof budgets)[];

describe('schedules', () => {
  test.each(scheduleNames)('%s has the numbers of its origin', (name) => {
    const { lowest, middle, longest } = numbers[name];
    expect(waits(schedules[name], lowest.length, 0)).toEqual(lowest.map(near));
    expect(waits(schedules[name], middle.length, 0.5)).toEqual(middle.map(near));
    expect(longest.map((_, index) => longestWait(schedules[name], index + 1))).toEqual(longest.map(near));
  });

  test('normallyDistributed ends at five minutes', () => {
    expect(waits(presets.schedules.normallyDistributed, 11, 0.5).slice(-2)).toEqual([300_000, 300_000]);
  });

  test.each(scheduleNames)('%s is a schedule that a policy takes as it is', (name) => {
    const schedule = schedules[name];
    const { settings } = definePolicy({ schedule, throttledSchedule: schedule }).fallback;
    expect(settings.schedule).toEqual(schedule);
    expect(settings.throttledSchedule).toEqual(schedule);
  });
});

describe('ethernet', () => {
  const { ethernet } = presets.schedules;
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

describe('budgets', () => {
  test('have the numbers of their origins', () => {
    expect(presets.budgets).toEqual({
      awsStandard: {
        kind: 'bucket',
        capacity: 500,
        perSuccess: 1,
        perSecond: 0,
        cost: { transient: 14, throttled: 5, timeout: 14 },
        refund: true,
        charge: 'retry',
        floor: 0,
      },
      grpc: {
        kind: 'bucket',
        capacity: 10,
        perSuccess: 0.5,
        perSecond: 0,
        cost: { transient: 1, throttled: 1, timeout: 1 },
        refund: false,
        charge: 'failure',
        floor: 5,
      },
      finagle: {
        kind: 'window',
        windowMs: 10_000,
        reserve: 100,
        perSuccess: 0.2,
        cost: { transient: 1, throttled: 1, timeout: 1 },
      },
      linkerd: {
        kind: 'window',
        windowMs: 10_000,
        reserve: 100,
        perSuccess: 0.2,
        cost: { transient: 1, throttled: 1, timeout: 1 },
      },
    });
  });

  test.each(budgetNames)('%s is a budget that a policy takes as it is', (name) => {
    expect(definePolicy({ budget: budgets[name] }).fallback.settings.budget).toEqual(budgets[name]);
  });
});

// ---------------------------------------------------------------- policies

const policies: Readonly<Record<keyof typeof presets.policies, PolicyOptions>> = presets.policies;

/**
 * Sends a GET that gets these outcomes, of which the last one repeats. Returns the waits and the reason of the stop.
 */
function flow(
  policy: PolicyOptions,
  outcomes: readonly Outcome[],
  draw = 0,
  request = requestOf(),
): [number[], string] {
  let now = 0;
  const { open } = boundRetrier(policy, { now: () => now, random: () => draw });
  const session = open(request);
  const delays: number[] = [];
  for (let attempt = 0; ; attempt++) {
    const outcome = outcomes[Math.min(attempt, outcomes.length - 1)] as Outcome;
    const decision = session.next(outcome, { replayable: true });
    if (decision.action === 'stop') return [delays, decision.reason];
    delays.push(decision.delayMs);
    now += decision.delayMs;
  }
}

function boundRetrier(policy: PolicyOptions, ports: Partial<Ports>): Pick<Retrier, 'open'> {
  const retrier = createRetrier(definePolicy(policy), ports);
  return { open: retrier.open.bind(retrier) };
}

/** An error as the reporting API sends it. */
function googleSays(status: number, reason?: string): Outcome {
  const content = { error: { errors: [{ domain: 'global', reason }], code: status } };
  return { kind: 'response', status, headers: {}, ...(reason !== undefined && { content }) };
}

const refused = failed(errorWith({ code: 'ECONNREFUSED', syscall: 'connect' }));
const tooSlow = failed(new AttemptTimeoutError(2_500));

describe('googleCoreReporting', () => {
  const { googleCoreReporting } = presets.policies;
  const all = [1_000, 2_000, 4_000, 8_000, 16_000];

  test('has the schedule of that name, twice', () => {
    const { schedule, throttledSchedule } = googleCoreReporting;
    expect([schedule, throttledSchedule]).toEqual(Array(2).fill(presets.schedules.googleCoreReporting));
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
    const { zeromqLazyPirate } = presets.policies;
    expect(definePolicy(zeromqLazyPirate).fallback.settings.attemptTimeoutMs).toBe(2_500);
    expect(flow(zeromqLazyPirate, [tooSlow])).toEqual([[0, 0], 'retries-spent']);
    expect(flow(zeromqLazyPirate, [refused])).toEqual([[0, 0], 'retries-spent']);
  });

  test('an answer is an answer', () => {
    const busy = answered(503, { 'retry-after': '1' });
    expect(flow(presets.policies.zeromqLazyPirate, [busy])).toEqual([[], 'final-status']);
  });
});

describe('hadoop', () => {
  test('every 30 s for 15 minutes', () => {
    const [delays, why] = flow(presets.policies.hadoopMaximumTime, [refused]);
    // The thirtieth would begin when the time is over.
    expect(delays).toEqual(Array(29).fill(30_000));
    expect(why).toBe('wait-past-deadline');
    expect((15 * 60_000) / 30_000).toBe(presets.policies.hadoopMaximumTime.maxRetries);
  });

  test('five waits that double, each half as long or half as long again', () => {
    const { hadoopExponential } = presets.policies;
    const series = (factor: number) => [400, 800, 1_600, 3_200, 6_400].map((waitMs) => near(waitMs * factor));
    expect(flow(hadoopExponential, [refused], 0)).toEqual([series(0.5), 'retries-spent']);
    expect(flow(hadoopExponential, [refused], 0.5)).toEqual([series(1), 'retries-spent']);
    expect(flow(hadoopExponential, [answered(503)], 1 - 2 ** -53)).toEqual([series(1.5), 'retries-spent']);
  });

  test.each(['hadoopMaximumTime', 'hadoopExponential'] as const)('%s: other answers are final', (name) => {
    expect(flow(presets.policies[name], [answered(500)])).toEqual([[], 'final-status']);
  });
});

describe('llm', () => {
  const completion = requestOf({ method: 'POST', path: '/v1/chat/completions' });
  const ask = (outcomes: readonly Outcome[], draw = 1 - 2 ** -53) =>
    flow(presets.policies.llm, outcomes, draw, completion);
  const doubled = [500, 1_000, 2_000, 4_000, 8_000, 8_000].map(near);
  const throttled = [2_000, 4_000, 8_000, 16_000, 32_000, 60_000].map(near);

  test.each([408, 409, 500, 502, 503, 504, 520])('a POST is repeated after %i', (status) => {
    expect(ask([answered(status)])).toEqual([doubled, 'retries-spent']);
  });

  test('a POST is repeated after a failure without an answer, at least half as long', () => {
    expect(ask([refused])).toEqual([doubled, 'retries-spent']);
    expect(ask([refused], 0)[0]).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000].map(near));
  });

  test('429 is given more than two minutes in all', () => {
    expect(ask([answered(429)])).toEqual([throttled, 'retries-spent']);
  });

  test.each<[Record<string, string>, number]>([
    [{ 'retry-after-ms': '1500' }, 1_500],
    [{ 'retry-after': '20' }, 20_000],
    [
      { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m0s', 'retry-after': '90' },
      90_000,
    ],
  ])('what the server asks for is obeyed: %j', (headers, waitMs) => {
    const [[first]] = ask([answered(429, headers)], 0);
    expect(first).toBe(waitMs);
  });

  test('529, "overloaded", is repeated', () => {
    const [waits, why] = ask([answered(529)]);
    expect([waits.length, why]).toEqual([6, 'retries-spent']);
  });

  test.each([400, 401, 403, 404, 422])('%i is final', (status) => {
    expect(ask([answered(status)])).toEqual([[], 'final-status']);
  });

  test('x-should-retry decides', () => {
    expect(ask([answered(503, { 'x-should-retry': 'false' })])).toEqual([[], 'server-forbids']);
    expect(ask([answered(400, { 'x-should-retry': 'true' })])[0]).toHaveLength(6);
  });

  test('a quota that has to be paid first is final', () => {
    const content = { error: { code: 'insufficient_quota', type: 'insufficient_quota' } };
    expect(ask([{ kind: 'response', status: 429, headers: {}, content }])[0]).toEqual([]);
  });
});

test.each(Object.entries(policies))('%s is a policy as it is', (_, policy) => {
  expect(definePolicy(policy).toJSON()).toEqual(policy);
});

test('all are plain data', () => {
  expect(JSON.parse(JSON.stringify(presets))).toEqual(presets);
});

test('all are frozen, to the last table', () => {
  const open = Object.entries(presets).flatMap(([group, values]) =>
    Object.entries(values).filter(([name, value]) => !isFrozen(value) && [group, name]),
  );
  expect(Object.isFrozen(presets) && Object.values(presets).every(Object.isFrozen)).toBe(true);
  expect(open).toEqual([]);
});

function isFrozen(value: unknown): boolean {
  return typeof value !== 'object' || (Object.isFrozen(value) && Object.values(value ?? {}).every(isFrozen));
}

function near(expected: number): unknown {
  return expect.closeTo(expected, 9);
}
