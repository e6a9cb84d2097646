/** Who asks: several crowds, bursts, callers that leave, and callers with deadlines of their own. */

import { describe, expect, test } from 'vitest';
import type { Clients, Contender, ServerModel } from '../../../src/tools/sim/index.js';
import { peers, simulate } from '../../../src/tools/sim/index.js';
import { chronicle, worldOf } from './stories.js';

const quick: ServerModel = { kind: 'flaky', latencyMs: 50, share: 0, status: 503 };
const silent: ServerModel = { kind: 'scripted', answers: [{ answer: 'silence' }] };
const off: Contender = peers.noRetry;

test('a job ends when all of its requests are sent, by whichever client', () => {
  const job: Clients = { kind: 'closed', count: 4, thinkMs: 1, requests: 30 };
  const { totals, goodBy } = simulate(worldOf(quick), job, off, { seed: 1 });
  expect([totals.offered, totals.good]).toEqual([30, 30]);
  expect(Math.min(...goodBy)).toBeGreaterThan(0);
});

describe('several crowds', () => {
  const beside: Clients = { kind: 'open', count: 5, perSecond: 20 };

  test('are counted together, and each apart', () => {
    const job: Clients = {
      kind: 'closed',
      count: 1,
      thinkMs: 1,
      routes: [{ path: '/job', weight: 1, guilty: true }],
    };
    const { totals, routes, innocent, goodBy } = simulate(worldOf(quick), [beside, job], off, { seed: 1 });
    expect(routes.map(({ path }) => path)).toEqual(['/', '/job']);
    expect(routes.reduce((sum, route) => sum + route.totals.offered, 0)).toBe(totals.offered);
    expect(innocent.totals.offered).toBe(routes[0]?.totals.offered);
    expect(goodBy.length).toBe(6);
    expect(goodBy[5]).toBe(routes[1]?.totals.good);
    expect(totals.p50Ms).toBe(routes[0]?.totals.p50Ms);
  });

  test('do not change each other: the first one sends what it sends alone', () => {
    const burst: Clients = { kind: 'burst', count: 3, atMs: 2_000 };
    const alone = simulate(worldOf(quick), beside, off, { seed: 2 });
    const accompanied = simulate(worldOf(quick), [beside, burst], off, { seed: 2 });
    expect(accompanied.routes[0]?.series.offered).toEqual(alone.series.offered);
  });

  test('of one process share its retrier, others have their own', () => {
    const failing: ServerModel = {
      kind: 'routed',
      routes: [{ path: '/broken', server: { kind: 'flaky', latencyMs: 1, share: 1, status: 503 } }],
      otherwise: { kind: 'flaky', latencyMs: 1, share: 0.5, status: 503 },
    };
    const greedy: Clients = {
      kind: 'burst',
      count: 200,
      atMs: 0,
      routes: [{ path: '/broken', weight: 1, guilty: true }],
    };
    const later: Clients = { kind: 'burst', count: 20, atMs: 5_000 };
    const retries = (processes: number): number | undefined =>
      simulate(worldOf(failing), [greedy, { ...later, processes }], {}, { seed: 1 }).innocent.totals.retries;
    expect(retries(1)).toBeLessThan(3);
    expect(retries(20)).toBeGreaterThan(8);
  });
});

describe('a burst', () => {
  test('comes all at once, and again every so often', () => {
    const { series } = simulate(
      worldOf(quick),
      { kind: 'burst', count: 7, atMs: 2_500, everyMs: 5_000 },
      off,
      {
        seed: 1,
      },
    );
    const bursts = [...series.offered.entries()].filter(([, count]) => count > 0);
    expect(bursts).toEqual([
      [2, 7],
      [7, 7],
      [12, 7],
      [17, 7],
    ]);
  });

  test('is the same with the same seed', () => {
    const flaky: ServerModel = { kind: 'flaky', latencyMs: 50, share: 0.5, status: 503 };
    const burst: Clients = { kind: 'burst', count: 30, atMs: 0, everyMs: 1_000 };
    const text = (seed: number): string => chronicle(worldOf(flaky), burst, {}, seed).text;
    expect(text(1)).toBe(text(1));
    expect(text(2)).not.toBe(text(1));
  });
});

describe('callers', () => {
  const stream: Clients = { kind: 'open', count: 10, perSecond: 50 };

  test('leave, some of them, and nothing more is sent for those', () => {
    const leaving: Clients = { ...stream, leaving: { share: 0.25, afterMs: 100 } };
    const { totals, series } = simulate(worldOf(silent), { ...leaving, timeoutMs: 5_000 }, off, { seed: 1 });
    expect(totals.aborted / totals.offered).toBeCloseTo(0.25, 1);
    expect(series.aborted[5]).toBeGreaterThan(0);
    expect(totals.good).toBe(0);
    const retried = simulate(
      worldOf(silent),
      { ...leaving, leaving: { afterMs: 100 }, timeoutMs: 50 },
      {
        ...peers.threeRetries,
        schedule: { kind: 'fixed', waitMs: 1_000, jitter: 'none' },
      },
      { seed: 1 },
    );
    expect([retried.totals.retries, retried.totals.failed]).toEqual([0, 0]);
    expect(retried.totals.aborted).toBeGreaterThan(retried.totals.offered - 10);
  });

  test('whose answer comes in time do not leave', () => {
    const leaving: Clients = { ...stream, leaving: { afterMs: 60 } };
    const { totals } = simulate(worldOf(quick), leaving, off, { seed: 1 });
    expect(totals.aborted).toBe(0);
    expect(totals.good).toBeGreaterThan(900);
  });

  test.each<[string, Contender]>([
    ['ours', { retry: false }],
    ['of others', peers.axiosRetry],
  ])('have deadlines of their own: %s', (_, contender) => {
    const impatient: Clients = { ...stream, deadlineMs: 700 };
    const { totals } = simulate(worldOf(silent), impatient, contender, { seed: 1 });
    expect(totals.good).toBe(0);
    // What began in the last 700 ms is still under way.
    expect(totals.failed + totals.aborted).toBeGreaterThan(totals.offered - 60);
    expect(totals.failed + totals.aborted).toBeLessThan(totals.offered);
  });

  test('that were aborted give nothing back twice: everything adds up', () => {
    const service: Contender = { deadlineMs: 10_000, attemptTimeoutMs: 2_000, gate: true, hold: true };
    const limited: ServerModel = {
      kind: 'limited',
      latencyMs: 20,
      limit: { perSecond: 5, burst: 1 },
      retryAfter: 3,
    };
    const { totals } = simulate(
      worldOf(limited),
      { ...stream, leaving: { share: 0.5, afterMs: 500 } },
      service,
      {
        seed: 1,
      },
    );
    const { offered, good, failed, refused, aborted } = totals;
    expect(aborted).toBeGreaterThan(0);
    expect(good + failed + refused + aborted).toBeLessThanOrEqual(offered);
    expect(good + failed + refused + aborted).toBeGreaterThan(offered * 0.4);
  });
});
