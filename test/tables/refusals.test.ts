/** Days with many refusals do what they say to clients without retries, and the hold reaches its goals on some of them. */

import { describe, expect, test } from 'vitest';
import { goalOf } from '../../scripts/goals/day-goal.js';
import { holdDays } from '../../scripts/goals/holds.js';
import { presets } from '../../src/core/policy/presets.js';
import { ordinaryDays as days, peers, perSecond, simulate } from '../../src/tools/sim/index.js';

test('one tenant is refused, and then served', () => {
  const { world, clients } = days.refusedTenant(0.8, { status: 429, retryAfter: 5 }, 25);
  const { innocent, routes } = simulate(world, clients, peers.noRetry, { seed: 1 });
  expect(innocent.totals.failed).toBe(0);
  const tenant = routes[1]?.series;
  expect(perSecond(tenant?.good as Float64Array, 0, days.servedFromMs)).toBe(0);
  expect(perSecond(tenant?.good as Float64Array, days.servedFromMs + 1_000, 20_000)).toBeCloseTo(20, -1);
});

test('an overloaded server is used up, and names a time to the rest', () => {
  const { world, clients } = days.shedding({ perSecond: 40, times: 3, forMs: 10_000, retryAfter: 5 });
  const { series, totals } = simulate(world, clients, peers.noRetry, { seed: 1 });
  expect(perSecond(series.good, days.overloadedFromMs + 1_000, 9_000)).toBeCloseTo(40, -1);
  expect(perSecond(series.failed, days.overloadedFromMs + 1_000, 9_000)).toBeGreaterThan(60);
  expect(totals.forbidden).toBeGreaterThan(100);
  expect(perSecond(series.failed, days.overloadedFromMs + 12_000, 40_000)).toBeLessThan(1);
});

describe('the hold', () => {
  const quick = holdDays.filter(({ about }) => /80 % of (6|25)\/s|^a quota/.test(about));

  test.each(quick)('$about', (day) => {
    expect(goalOf(day).judge(presets.policies.service, [1, 2])).toMatchObject({ isMet: true });
  });

  test('that stops everyone for the hint of one would miss them', () => {
    const [day] = quick;
    if (day === undefined) throw new Error('no such day');
    expect(goalOf(day).judge({ deadlineMs: 10_000, hold: { refusedShare: 0 } }, [1]).isMet).toBe(false);
  });
});
