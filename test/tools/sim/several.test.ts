/** Servers that are several: by the path, behind one origin, over time. */

import { describe, expect, test } from 'vitest';
import type { Clients, Contender, PlainServer, RouteRun, ServerModel } from '../../../src/tools/sim/index.js';
import { peers, perSecond, simulate } from '../../../src/tools/sim/index.js';
import { story, worldOf } from './stories.js';

const quick: PlainServer = { kind: 'flaky', latencyMs: 50, share: 0, status: 503 };
const broken: PlainServer = { kind: 'flaky', latencyMs: 10, share: 1, status: 503, retryAfter: 30 };
const silent: PlainServer = { kind: 'scripted', answers: [{ answer: 'silence' }] };
const stream: Clients = { kind: 'open', count: 10, perSecond: 100, timeoutMs: 1_000 };

function run(server: ServerModel, clients: Clients = stream, policy: Contender = peers.noRetry) {
  return simulate(worldOf(server), clients, policy, { seed: 1 });
}

describe('a server with routes', () => {
  const tenants: Clients = {
    ...stream,
    routes: [
      { path: '/tenants/1', weight: 3 },
      { path: '/tenants/2', weight: 1, guilty: true },
    ],
  };
  const server: ServerModel = {
    kind: 'routed',
    routes: [{ path: '/tenants/2', server: broken }],
    otherwise: quick,
  };

  test('answers each by its own, and each is counted apart', () => {
    const { routes, innocent, totals } = run(server, tenants);
    const [one, two] = routes as [RouteRun, RouteRun];
    expect([one.path, one.guilty, two.path, two.guilty]).toEqual(['/tenants/1', false, '/tenants/2', true]);
    expect(one.totals.offered + two.totals.offered).toBe(totals.offered);
    expect(one.totals.offered / totals.offered).toBeCloseTo(0.75, 1);
    expect([one.totals.failed, two.totals.good]).toEqual([0, 0]);
    expect(one.totals).toEqual(innocent.totals);
    expect(one.totals.good).toBe(totals.good);
  });

  test('shows rules the path: one without retries leaves that route alone', () => {
    const retrying = { ...peers.threeRetries, maxRetries: 2, maxHintMs: 100 };
    const own = { ...retrying, rules: [{ match: '/tenants/2', retry: false }] } as const;
    const plain503 = { ...broken, retryAfter: false } as const;
    const plain: ServerModel = { ...server, routes: [{ path: '/tenants/2', server: plain503 }] };
    expect(run(plain, tenants, retrying).routes[1]?.totals.retries).toBeGreaterThan(500);
    expect(run(plain, tenants, own).routes[1]?.totals.retries).toBe(0);
  });

  test('all of it is cut off by a crash', () => {
    const world = worldOf(server, [{ kind: 'crash', fromMs: 10_000, forMs: 5_000 }]);
    const { series, services } = simulate(world, tenants, peers.noRetry, { seed: 1 });
    expect(perSecond(series.good, 11_000, 3_000)).toBe(0);
    expect(services[0]?.concurrency[12]).toBe(0);
  });
});

describe('several backends behind one origin', () => {
  test('one of them swallows its share of the attempts', () => {
    const { totals } = run({
      kind: 'balanced',
      backends: [{ weight: 9, server: quick }, { server: silent }],
    });
    expect(totals.timedOut / totals.offered).toBeCloseTo(0.1, 1);
    expect(totals.good + totals.timedOut).toBeGreaterThan(totals.offered * 0.94);
  });

  test('the next attempt probably meets another one', () => {
    const halves: ServerModel = { kind: 'balanced', backends: [{ server: quick }, { server: broken }] };
    const patient = { ...peers.threeRetries, hints: false } as const;
    expect(run(halves, stream, patient).totals.good / run(halves).totals.good).toBeGreaterThan(1.6);
  });
});

describe('a server that changes', () => {
  const flapping: ServerModel = {
    kind: 'changing',
    phases: [
      { fromMs: 0, server: quick },
      { fromMs: 2_000, server: broken },
    ],
    everyMs: 4_000,
  };

  test('is another one in each phase, again and again', () => {
    const { series } = run(flapping);
    const isUp = Array.from({ length: 20 }, (_, second) => (series.good[second] as number) > 50);
    expect(isUp).toEqual(Array.from({ length: 20 }, (_, second) => second % 4 < 2));
  });

  test('answers what is in progress as the one it was', () => {
    const server: ServerModel = {
      kind: 'changing',
      phases: [
        { fromMs: 0, server: { ...quick, latencyMs: 500 } },
        { fromMs: 200, server: broken },
      ],
    };
    expect(story(worldOf(server))).toEqual(['0 sent', '500 200', '500 good']);
  });

  test('a limit is raised', () => {
    const limited = (limit: number): PlainServer => {
      return { kind: 'limited', latencyMs: 5, limit: { perSecond: limit, burst: 1 }, retryAfter: false };
    };
    const server: ServerModel = {
      kind: 'changing',
      phases: [
        { fromMs: 0, server: limited(5) },
        { fromMs: 10_000, server: limited(50) },
      ],
    };
    const { series } = run(server);
    expect(perSecond(series.good, 0, 10_000)).toBeCloseTo(5, 0);
    expect(perSecond(series.good, 10_000, 10_000)).toBeGreaterThan(30);
  });
});

describe('a refusal', () => {
  const limited: ServerModel = {
    kind: 'limited',
    latencyMs: 20,
    limit: { perSecond: 0.1, burst: 1 },
    retryAfter: 'exact',
    refusalMs: 30,
    status: 503,
  };

  test('may take its time, and another status than 429', () => {
    const twice = { maxRetries: 1, deadlineMs: 2_000, budget: false } as const;
    const empty: ServerModel = { ...limited, limit: { permits: 0, windowMs: 1_000 } };
    expect(story(worldOf(empty), twice)).toEqual([
      '0 sent',
      '30 503',
      expect.stringMatching(/^10\d\d sent$/),
      expect.stringMatching(/ 503$/),
      expect.stringMatching(/ failed$/),
    ]);
  });

  test('is forgotten when the server crashes', () => {
    const world = worldOf(limited, [{ kind: 'crash', fromMs: 10, forMs: 5_000 }]);
    const { services, totals } = simulate(world, { kind: 'burst', count: 20, atMs: 0 }, peers.noRetry, {
      seed: 1,
    });
    expect(totals.failed).toBe(20);
    expect(Math.max(...(services[0]?.concurrency.subarray(1) ?? [1]))).toBe(0);
  });
});

describe('a latency with a median', () => {
  test('is above it as often as below, and as rarely far off as it says', () => {
    const slow: ServerModel = { ...quick, latencyMs: { medianMs: 300, spread: 0.5 } };
    const { totals } = run(slow, { ...stream, perSecond: 1_000, timeoutMs: 10_000 });
    expect(totals.p50Ms).toBeGreaterThan(290);
    expect(totals.p50Ms).toBeLessThan(310);
    // 2.326 and 3.09 deviations of the logarithm.
    expect(totals.p99Ms).toBeGreaterThan(300 * 2.9);
    expect(totals.p99Ms).toBeLessThan(300 * 3.5);
    expect(totals.p999Ms).toBeGreaterThan(300 * 4.1);
  });

  test('is ten times as long while everything is', () => {
    const slow: ServerModel = { ...quick, latencyMs: { medianMs: 300, spread: 0.5 } };
    const world = worldOf(slow, [{ kind: 'slow', fromMs: 0, forMs: 20_000, times: 10 }]);
    const { totals } = simulate(world, { ...stream, timeoutMs: 2_000 }, peers.noRetry, { seed: 1 });
    // The logarithm of two thirds is 0.81 deviations below the median.
    expect(totals.good / (totals.good + totals.failed)).toBeGreaterThan(0.18);
    expect(totals.good / (totals.good + totals.failed)).toBeLessThan(0.24);
  });
});

describe('a wave of resets', () => {
  test('cuts off what is in progress, once, and takes what comes next', () => {
    const world = worldOf({ ...quick, latencyMs: 100 }, [{ kind: 'reset', fromMs: 10_000, forMs: 1_000 }]);
    const { totals, series } = simulate(world, { ...stream, perSecond: 1_000 }, peers.noRetry, { seed: 1 });
    expect(totals.failed).toBeGreaterThan(60);
    expect(totals.failed).toBeLessThan(140);
    expect(series.failed[10]).toBe(totals.failed);
  });

  test('comes again every so often, for as long as it lasts', () => {
    const fault = { kind: 'reset', fromMs: 5_000, forMs: 4_000, everyMs: 2_000 } as const;
    const world = worldOf({ ...quick, latencyMs: 100 }, [fault]);
    const { series } = simulate(world, { ...stream, perSecond: 1_000 }, peers.noRetry, { seed: 1 });
    const waves = [...series.failed.entries()].filter(([, count]) => count > 0).map(([second]) => second);
    expect(waves).toEqual([5, 7]);
  });
});
