import { describe, expect, test } from 'vitest';
import { longestWait } from '../../../src/core/decide/schedule.js';
import type { Budget } from '../../../src/core/limits/budget/setting.js';
import { slidingWindow } from '../../../src/core/limits/budget/window.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { presets } from '../../../src/core/policy/presets.js';
import type { Schedule } from '../../../src/core/policy/schedules.js';
import type { Outcome } from '../../../src/core/types.js';
import { definePolicy } from '../../../src/parts/all.js';
import { answered, requestOf } from '../../kit.js';
import { expectValues, flow, type Numbers, near, refused, waits } from './preset-kit.js';

// The compiler checks that each preset has the type that a user's own value would have.
const schedules: Readonly<Record<keyof typeof presets.schedules, Schedule>> = presets.schedules;
const budgets: Readonly<Record<keyof typeof presets.budgets, Budget>> = presets.budgets;

const numbers: Readonly<Record<keyof typeof presets.schedules, Numbers>> = {
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

  test.each(scheduleNames)('%s is a schedule that a policy takes as it is', (name) => {
    const schedule = schedules[name];
    const { settings } = definePolicy({ schedule, throttledSchedule: schedule }).fallback;
    expect(settings.schedule).toEqual(schedule);
    expect(settings.throttledSchedule).toEqual(schedule);
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
    const budget = budgets[name];
    const operations = budget.kind === 'window' ? { operations: slidingWindow } : {};
    const { settings } = definePolicy({ budget }).fallback;
    expect(settings.budget).toEqual({ ...budget, ...operations });
    expect(JSON.stringify(settings.budget)).toBe(JSON.stringify(budget));
  });
});

// ---------------------------------------------------------------- policies

const policies: Readonly<Record<keyof typeof presets.policies, PolicyOptions>> = presets.policies;

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

expectValues(presets, policies);

test('what a service needs, and nothing that is only famous', () => {
  const names = Object.entries(presets).map(([group, values]) => [group, ...Object.keys(values)]);
  expect(names).toEqual([
    [
      'schedules',
      ...['awsFullJitter', 'awsEqualJitter', 'awsDecorrelatedJitter', 'awsStandard', 'awsStandardThrottled'],
    ],
    ['budgets', 'awsStandard', 'grpc', 'finagle', 'linkerd'],
    ['policies', 'llm', 'service'],
  ]);
});
