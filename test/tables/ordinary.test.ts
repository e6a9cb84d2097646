/** The worlds of ordinary days do what they say, to clients without retries. */

import { describe, expect, test } from 'vitest';
import type { Day, Run } from '../../src/tools/sim/index.js';
import { ordinaryDays as days, peers, perSecond, simulate } from '../../src/tools/sim/index.js';

function withoutRetries({ world, clients }: Day, seed = 1): Run {
  return simulate(world, clients, peers.noRetry, { seed });
}

function good({ innocent: { totals } }: Run): number {
  return totals.good / totals.offered;
}

describe('a limit', () => {
  test.each([
    [30, 20, 1],
    [100, 20, 1],
    [400, 20, 1],
  ])('of 20 a second is used up by %i a second without retries (burst %i)', (wanted, burst, share) => {
    const { totals, series } = withoutRetries(days.overLimit({ perSecond: 20, burst }, wanted));
    expect(totals.good / (20 * 120 + burst)).toBeGreaterThan(share * 0.99);
    expect(totals.good).toBeLessThanOrEqual(20 * 120 + burst);
    expect(perSecond(series.offered, 0, 120_000)).toBeGreaterThan(wanted * 0.95);
  });

  test('without a burst leaves gaps: what chance brings together is refused', () => {
    const used = [30, 50, 100, 400].map((wanted) => {
      const { totals } = withoutRetries(days.overLimit({ perSecond: 20, burst: 1 }, wanted));
      return Math.round((100 * totals.good) / (20 * 120));
    });
    // A Poisson stream of rate w at a server of rate 20 that has no queue: w / (20 + w).
    expect(used).toEqual([60, 71, 84, 95].map((share) => expect.closeTo(share, -0.5)));
  });

  test('changes after a minute', () => {
    const { series } = withoutRetries(
      days.changedLimit({ perSecond: 20, burst: 20 }, { perSecond: 200, burst: 20 }, 400),
    );
    expect(perSecond(series.good, 30_000, 20_000)).toBeCloseTo(20, 0);
    expect(perSecond(series.good, 90_000, 20_000)).toBeCloseTo(200, -1);
  });

  test('of so many a minute is used up at once, each minute', () => {
    const { series, totals } = withoutRetries(days.quota(1_200, 100));
    expect(totals.good).toBe(5 * 1_200);
    expect(perSecond(series.good, 0, 11_000)).toBeGreaterThan(90);
    expect(perSecond(series.good, 20_000, 30_000)).toBe(0);
  });

  test('is what workers can do: what finds no place gets 503', () => {
    const { totals } = withoutRetries(days.overload(200));
    expect(totals.goodput).toBeGreaterThan(95);
    expect(totals.goodput).toBeLessThan(105);
  });

  test('is met by several processes at once, which get on with it as one', () => {
    const day = days.overLimit({ perSecond: 20, burst: 20 }, 100);
    const split = withoutRetries(days.inProcesses(day, 10));
    expect(split.series.good).toEqual(withoutRetries(day).series.good);
  });

  test('is not used by those who leave before they are let in', () => {
    const { totals } = withoutRetries(days.leavingUnderLimit({ perSecond: 20, burst: 20 }, 100));
    // Every answer comes within 20 ms: no client has left by then.
    expect(totals.aborted).toBe(0);
  });
});

describe('the innocent', () => {
  test.each<[string, Day]>([
    ['a tenant that is refused', days.oddRoute(0.05, days.always(429, 60), 100, 60_000)],
    ['a route that is broken', days.oddRoute(0.9, days.always(503), 100, 60_000)],
    ['a route with a limit of its own', days.limitedRoute(0.1, 300)],
    ['one request that is refused', days.oneRefusal(60, 100)],
    ['a job whose requests are bad', days.badJob(500, 1, 200)],
    ['a health check of something else', days.failingHealthCheck(1)],
  ])('are all served beside %s', (_, day) => {
    const run = withoutRetries(day);
    expect(good(run)).toBeGreaterThan(0.995);
    expect(run.innocent.totals.failed).toBe(0);
    const guilty = run.routes.filter((route) => route.guilty);
    expect(guilty.reduce((sum, { totals }) => sum + totals.failed, 0)).toBeGreaterThan(0);
  });

  test('are as many as the shares say', () => {
    const { innocent, totals } = withoutRetries(days.oddRoute(0.2, days.always(503), 300, 60_000));
    expect(innocent.totals.offered / totals.offered).toBeCloseTo(0.8, 1);
  });
});

describe('a share of the attempts', () => {
  test.each([0.05, 0.7, 0.95])('fails: %f', (share) => {
    expect(Math.abs(1 - good(withoutRetries(days.partialFailure(share, 1_000))) - share)).toBeLessThan(0.01);
  });

  test('is swallowed by one of ten backends, or lost on the way back', () => {
    expect(good(withoutRetries(days.swallowingBackend(10, 100)))).toBeCloseTo(0.9, 1);
    expect(good(withoutRetries(days.lostAnswers(0.05, 100, 60_000)))).toBeCloseTo(0.95, 1);
  });
});

test('a quota is what clients share who know nothing of each other', () => {
  const { totals } = withoutRetries(days.sharedQuota(100, 100));
  expect(totals.goodput).toBeCloseTo(20, 0);
  expect(totals.offered / 180).toBeGreaterThan(45);
});

test('a server that gives no hints refuses with 503 what exceeds its limit', () => {
  const { totals } = withoutRetries(days.unhinted({ perSecond: 100, burst: 10 }, 1_000));
  expect(totals.goodput).toBeCloseTo(100, 0);
  expect(totals.sent / totals.good).toBeGreaterThan(9.5);
});

test('a peak is more than the workers can do, for a while', () => {
  const { series } = withoutRetries(days.diurnalPeak(50));
  const lost = (fromMs: number): number =>
    1 - perSecond(series.good, fromMs, 60_000) / perSecond(series.offered, fromMs, 60_000);
  expect([lost(0), lost(540_000)].every((share) => share < 0.01)).toBe(true);
  expect(lost(300_000)).toBeGreaterThan(0.08);
});

test('a kept backlog is worked off, and nobody waits for most of it any more', () => {
  const { series } = withoutRetries(days.keptBacklog(70));
  expect(perSecond(series.good, 30_000, 5_000)).toBeLessThan(5);
  expect(perSecond(series.good, 36_000, 5_000)).toBeLessThan(60);
  expect(perSecond(series.good, 70_000, 20_000)).toBeGreaterThan(65);
});

test('workers that wait for a tier that hangs are just enough for the other requests', () => {
  const run = withoutRetries(days.hangingTier());
  expect(good(run)).toBeGreaterThan(0.99);
  expect(Math.max(...(run.services[0]?.concurrency ?? []))).toBeGreaterThan(50);
  const [, deep] = run.routes;
  expect(perSecond(deep?.series.good ?? new Float64Array(), 31_000, 8_000)).toBe(0);
});

test('a batch is over when its requests are, of which a share fails', () => {
  const { totals, series } = withoutRetries(days.flakyBatch(0.4, 400, 8));
  expect([totals.offered, totals.good + totals.failed]).toEqual([400, 400]);
  expect(totals.failed / 400).toBeCloseTo(0.4, 1);
  // Eight at a time, 50 ms each.
  expect(series.offered.findLastIndex((offered) => offered > 0)).toBeLessThan(4);
});

describe('a moment', () => {
  test('cuts off what is in flight, and nothing more', () => {
    for (const [rate, most] of [
      [200, 35],
      [1_000, 135],
      [1_500, 190],
    ] as const) {
      const { totals } = withoutRetries(days.resetWave(rate));
      expect(totals.failed).toBeGreaterThan(rate * 0.05);
      expect(totals.failed).toBeLessThan(most);
    }
  });

  test('is half of the time, where it flaps', () => {
    expect(good(withoutRetries(days.flapping(2_000, 2_000, 100)))).toBeCloseTo(0.49, 1);
  });

  test('is a second of 503s', () => {
    expect(withoutRetries(days.errorWave(1_000, 1_000)).totals.failed).toBeGreaterThan(900);
    expect(withoutRetries(days.errorWave(1_000, 1_000)).totals.failed).toBeLessThan(1_100);
  });

  test('is a pause, which loses no client that waits longer', () => {
    expect(withoutRetries(days.pause(1_500, 100)).totals.failed).toBe(0);
    expect(withoutRetries(days.pause(3_000, 100)).totals.failed).toBeGreaterThan(70);
  });

  test('is down and then slow', () => {
    const { series } = withoutRetries(days.slowStart(100));
    expect(perSecond(series.good, 31_000, 3_000)).toBe(0);
    expect(perSecond(series.good, 40_000, 10_000)).toBeGreaterThan(90);
  });
});

test('everything is slow: a fifth is still in time', () => {
  expect(good(withoutRetries(days.slowDown(10, 100)))).toBeCloseTo(0.2, 1);
  expect(good(withoutRetries(days.slowDown(1, 100)))).toBeGreaterThan(0.99);
});

test('callers leave, and a job comes once a minute', () => {
  const leaving = withoutRetries(days.leavingCallers(0.5, 100)).totals;
  expect(leaving.aborted / leaving.offered).toBeCloseTo(0.5, 1);
  const { series, totals } = withoutRetries(days.cronBursts(200));
  expect([series.offered[10], series.offered[11], totals.offered]).toEqual([200, 0, 2_000]);
});
