/** Published outages: what the simulator makes of their numbers, and what our policies do with them. */

import { describe, expect, test } from 'vitest';
import { presets } from '../../src/core/policy/presets.js';
import type { Contender, Day, Run } from '../../src/tools/sim/index.js';
import { knownOutages as known, peers, perSecond, simulate } from '../../src/tools/sim/index.js';

const { service } = presets.policies;

function played({ world, clients }: Day, contender: Contender, seed = 1): Run {
  return simulate(world, clients, contender, { seed });
}

describe('the metastable failure of HotOS ’21', () => {
  test('lasts two minutes without retries, for ever with one, and no time with `service`', () => {
    const { recoveredAfterMs: alone = Number.NaN } = played(known.metastable, peers.noRetry).totals;
    // What came in ten seconds, at the rate at which the database catches up: 2,800 at 20 a second.
    expect(alone).toBeGreaterThan(90_000);
    expect(alone).toBeLessThan(160_000);
    const once = played(known.metastable, known.oneRetry);
    expect(once.totals.recoveredAfterMs).toBeUndefined();
    expect(perSecond(once.series.good, 150_000, 60_000)).toBe(0);
    for (const seed of [1, 2]) {
      expect(played(known.metastable, service, seed).totals.recoveredAfterMs).toBeLessThanOrEqual(3_000);
    }
  });

  test('is lasted out by the defaults as without retries', () => {
    const good = (contender: Contender): number => played(known.metastable, contender).totals.good;
    expect(good({}) / good(peers.noRetry)).toBeGreaterThan(0.95);
  });
});

test('three attempts in each of five layers are nearly 243, and ours are none that matter', () => {
  const load = (contender: Contender): number => {
    const { services, series } = played(known.fiveLayers, contender);
    const bottom = services.at(-1)?.arrived ?? new Float64Array();
    return perSecond(bottom, 20_000, 60_000) / perSecond(series.offered, 20_000, 60_000);
  };
  const naive = load(known.threeAttempts);
  expect(naive).toBeGreaterThan(150);
  expect(naive).toBeLessThanOrEqual(243);
  expect(load({})).toBeLessThanOrEqual(1.45);
  expect(load(service)).toBeLessThanOrEqual(0.31);
});

test('a shared quota is used up with 97.3 % fewer refusals than with exponential back-off', () => {
  const figures = (contender: Contender): readonly [refusals: number, good: number] => {
    const { sent, good } = played(known.sharedQuota, contender).totals;
    return [sent - good, good];
  };
  const [often, usual] = figures(known.exponentialBackOff);
  const [seldom, good] = figures({ ...service, hold: { ...service.hold, refusedShare: 0 } });
  expect(1 - seldom / often).toBeGreaterThanOrEqual(0.973);
  expect(good / usual).toBeGreaterThan(0.99);
});

test('most pages that need a hundred answers are slow, but few with a hedge', () => {
  const slowPages = (contender: Contender): number => {
    const { slowestMs } = played(known.fanOut, contender);
    // A page that starts in an odd second ends in it, or a second later; the first ones are warm-up.
    const pages = [...slowestMs].flatMap((ms, second) =>
      second % 2 === 1 && second > 20 ? Math.max(ms, slowestMs[second + 1] ?? 0) : [],
    );
    return pages.filter((ms) => ms > 500).length / pages.length;
  };
  expect(slowPages(peers.noRetry)).toBeCloseTo(1 - 0.99 ** 100, 0.5);
  expect(slowPages({ ...service, hedge: true })).toBeLessThan(0.05);
  expect(played(known.fanOut, { ...service, hedge: true }).totals.amplification).toBeLessThan(1.03);
});

test('dashboards that ask every second keep a service down, and those with our policies do not', () => {
  const atEnd = (contender: Contender): number =>
    perSecond(played(known.dashboards, contender).series.good, 150_000, 60_000);
  expect(atEnd(known.everySecond)).toBe(0);
  for (const contender of [peers.noRetry, {}, service]) expect(atEnd(contender)).toBeGreaterThan(50);
});
