/** What the table of `npm run sim:table` says, with few seeds: it stays true. */

import { describe, expect, test } from 'vitest';
import { presets } from '../../src/core/policy/presets.js';
import type { Contender, LimitedServer, Run } from '../../src/tools/sim/index.js';
import * as sim from '../../src/tools/sim/index.js';

const { fairness, peers, perSecond, simulate } = sim;
const { service } = presets.policies;
const seeds = [1, 2];

describe('a server that is stopped', () => {
  const stoppedAt = 30_000;

  test.each([
    [511, 5_000],
    [511, 60_000],
    [4_096, 10_000],
    [4_096, 30_000],
    [4_096, 60_000],
  ])(
    'is left alone by `service` until it is back, and then used at once (backlog %i, %i ms)',
    (backlog, stopMs) => {
      const resumedAt = stoppedAt + stopMs;
      for (const seed of seeds) {
        const run = simulate(sim.stoppedServer(backlog, stopMs, 20_000), sim.articleClients, service, {
          seed,
        });
        const calm = simulate(sim.stoppedServer(backlog, 0, stopMs + 20_000), sim.articleClients, service, {
          seed,
        });
        const again = perSecond(run.series.good, resumedAt + 2_000, 10_000);
        expect(again / perSecond(calm.series.good, resumedAt + 2_000, 10_000)).toBeGreaterThanOrEqual(0.9);
        const shutAt = run.totals.refusedFirstAt ?? Infinity;
        // Two seconds until the first attempt has timed out, and two for which failures must go on.
        expect(shutAt).toBeLessThanOrEqual(stoppedAt + 2_500);
        const shut = run.series.sent.subarray(Math.ceil(shutAt / 1_000), resumedAt / 1_000);
        expect(Math.max(...shut)).toBeLessThanOrEqual(10);
      }
    },
  );

  test.each([300, 5_000])(
    'is used again at once by %i clients, too, whatever it has accepted meanwhile',
    (count) => {
      const clients = { ...sim.articleClients, count };
      for (const stopMs of [3_000, 10_000]) {
        const fromMs = stoppedAt + stopMs + (count === 5_000 ? 3_000 : 2_000);
        const good = (stop: number): number =>
          perSecond(
            simulate(sim.stoppedServer(16_384, stop, 20_000 + stopMs - stop), clients, service, { seed: 1 })
              .series.good,
            fromMs,
            10_000,
          );
        expect(good(stopMs) / good(0)).toBeGreaterThanOrEqual(0.95);
      }
    },
  );

  test('does not come back where all clients retry forever, and late for the article', () => {
    const world = sim.stoppedServer(511, 10_000, 50_000);
    const again = (contender: Contender, fromMs: number): number =>
      perSecond(simulate(world, sim.articleClients, contender, { seed: 1 }).series.good, fromMs, 10_000);
    expect(again(peers.fixedForEver, 80_000)).toBe(0);
    expect(again(peers.threeRetries, 80_000)).toBe(0);
    expect(again(peers.noRetry, 42_000)).toBeGreaterThan(80);
    expect(again({}, 42_000)).toBeGreaterThan(80);
    expect(again(peers.articleProgram, 42_000)).toBeLessThan(70);
    expect(again(peers.articleProgram, 80_000)).toBeGreaterThan(80);
  });

  test('is waited for by a batch job, which loses nothing', () => {
    const quick = { kind: 'flaky', latencyMs: 50, share: 0.01, status: 503 } as const;
    const faults = [{ kind: 'crash', fromMs: 20_000, forMs: 300_000 }] as const;
    const jobs = { kind: 'closed', count: 50, thinkMs: 1_000 } as const;
    // The recipe in docs/recipes.md.
    const batch = {
      maxRetries: 100,
      deadlineMs: 3_600_000,
      schedule: { kind: 'exponential', firstMs: 1_000, factor: 2, maxMs: 60_000, jitter: 'full' },
      gate: { whenShut: 'wait', maxWaiting: 10_000 },
      hold: true,
    } as const;
    const world = { durationMs: 400_000, services: [{ server: quick, faults }] } as const;
    const { totals } = simulate(world, jobs, { ...batch, budget: false }, { seed: 1 });
    expect([totals.failed, totals.refused, totals.good > 2_000]).toEqual([0, 0, true]);
    // With a budget, most of those that met the crash fail.
    expect(simulate(world, jobs, batch, { seed: 1 }).totals.failed).toBeGreaterThan(10);
  });

  test('costs nothing where nothing is stopped', () => {
    const goodput = (contender: Contender): number =>
      simulate(sim.stoppedServer(511, 0, 60_000), sim.articleClients, contender, { seed: 1 }).totals.goodput;
    expect(goodput(service) / goodput(peers.noRetry)).toBeGreaterThanOrEqual(0.99);
  });

  test('gets few retries without a gate too', () => {
    const { series } = simulate(sim.stoppedServer(511, 60_000, 10_000), sim.articleClients, {}, { seed: 1 });
    const sent = perSecond(series.sent, stoppedAt, 60_000);
    expect(sent / perSecond(series.offered, stoppedAt, 60_000)).toBeLessThanOrEqual(1.15);
  });
});

describe('failures', () => {
  test('a tenth of them are mended, and a total one is not made worse', () => {
    const some = simulate(sim.brownOut(0.1), sim.hundredProcesses, {}, { seed: 1 }).totals;
    expect(some.good / (some.good + some.failed)).toBeGreaterThanOrEqual(0.999);
    expect(some.amplification).toBeLessThanOrEqual(1.15);
    const all = (contender: Contender): number =>
      simulate(sim.brownOut(1), sim.hundredProcesses, contender, { seed: 1 }).totals.amplification;
    expect(all({})).toBeLessThanOrEqual(1.15);
    expect(all(peers.threeRetries)).toBeGreaterThan(3.9);
  });

  test('a surge does not become a collapse', () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      for (const contender of [{}, service]) {
        const { series } = simulate(sim.surgingServer, sim.surge, contender, { seed });
        expect(perSecond(series.good, 60_000, 20_000)).toBeGreaterThan(30);
      }
    }
    const { series } = simulate(sim.surgingServer, sim.surge, peers.threeRetries, { seed: 6 });
    expect(perSecond(series.good, 60_000, 20_000)).toBe(0);
  });

  test('three layers do not multiply', () => {
    const bottom = (contender: Contender): number => {
      const { services, series } = simulate(sim.layers(3), sim.steadyStream, contender, { seed: 1 });
      const arrived = perSecond(services[2]?.arrived ?? new Float64Array(), 20_000, 60_000);
      return arrived / perSecond(series.offered, 20_000, 60_000);
    };
    expect(bottom({})).toBeLessThanOrEqual(1.5);
    expect(bottom(service)).toBeLessThanOrEqual(1.5);
    expect(bottom(peers.threeRetries)).toBeGreaterThan(50);
  });
});

describe('a limit', () => {
  const hold: Contender = { hold: { refusedShare: 0 } };

  test.each<[string, LimitedServer['limit']]>([
    ['burst 1', { perSecond: 50, burst: 1 }],
    ['burst 50', { perSecond: 50, burst: 50 }],
    ['windows', { permits: 50, windowMs: 1_000 }],
  ])('with a long hint: no requests inside the window, no stampede after it (%s)', (_, limit) => {
    for (const seed of seeds) {
      const { series, totals } = simulate(sim.limitedServer(limit, 5, 90_000), sim.greedyClients, hold, {
        seed,
      });
      expect(totals.forbidden).toBe(0);
      expect(Math.max(...series.sent.subarray(5))).toBeLessThanOrEqual(75);
      expect(totals.good).toBeGreaterThan(1_000);
    }
  });

  test.each([1, 20])('with a short one: used, kept to, and shared (burst %i)', (burst) => {
    const world = sim.limitedServer({ perSecond: 20, burst }, 'exact', 60_000);
    const refusals = ({ totals }: Run): number => totals.sent - totals.good;
    for (const seed of seeds) {
      const on = simulate(world, sim.eagerClients, hold, { seed });
      const off = simulate(world, sim.eagerClients, {}, { seed });
      expect(on.totals.good / (20 * 60 + burst)).toBeGreaterThanOrEqual(0.8);
      expect(refusals(on)).toBeLessThanOrEqual(refusals(off) / 20);
      expect(fairness(on.goodBy)).toBeGreaterThanOrEqual(0.9);
      if (burst === 20) expect(off.totals.good / (20 * 60 + burst)).toBeGreaterThanOrEqual(0.95);
    }
  });
});
