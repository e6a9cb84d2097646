/** The worlds of the slow tail do what they say, and two attempts of one request meet their servers as two attempts do. */

import { describe, expect, test } from 'vitest';
import type { Clients, DrawnLatency, OpenLoop, Peer, SimulatedWorld } from '../../src/tools/sim/index.js';
import { hedgingAtP99, peers, simulate, tailDays, tcpTimeouts } from '../../src/tools/sim/index.js';
import { story, worldOf } from '../tools/sim/stories.js';

const even: DrawnLatency = { medianMs: 20, spread: 0 };
const off = { retry: false, budget: false } as const;

function flaky(latencyMs: DrawnLatency, share = 0) {
  return { kind: 'flaky', latencyMs, share, status: 503 } as const;
}

function stream(perSecond: number, more: Partial<OpenLoop> = {}): OpenLoop {
  return { kind: 'open', count: 10, perSecond, timeoutMs: 10_000, ...more };
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

test('a run knows the slowest request that succeeded in each second', () => {
  const world = worldOf(flaky({ ...even, tail: { share: 0.01, times: 50 } }));
  const { slowestMs, series } = simulate(world, stream(20), off, { seed: 1 });
  expect(slowestMs).toHaveLength(series.good.length);
  for (const [second, ms] of slowestMs.entries()) {
    expect([20, 1_000]).toContain(series.good[second] === 0 ? 20 : Math.round(ms));
  }
  expect(Math.round(Math.max(...slowestMs))).toBe(1_000);
});

describe('a tail', () => {
  const slow = { share: 0.1, times: 100 } as const;

  test('makes that share of the attempts that many times as long', () => {
    const { times } = simulate(worldOf(flaky({ ...even, tail: slow })), stream(500), off, { seed: 1 });
    expect(times.quantile(0.85)).toBeCloseTo(20, 0);
    expect(times.quantile(0.95)).toBeGreaterThan(1_990);
  });

  /** Attempts have to answer within 100 ms, and there is one retry. */
  function shareOfFailures(of: 'attempt' | 'request'): number {
    const policy = { attemptTimeoutMs: 100, maxRetries: 1, budget: false } as const;
    const world = worldOf(flaky({ ...even, tail: { ...slow, of } }));
    const { totals } = simulate(world, stream(500), policy, { seed: 1 });
    return totals.failed / totals.offered;
  }

  test('of attempts leaves a retry the same chance as a first attempt', () => {
    expect(shareOfFailures('attempt')).toBeGreaterThan(0.005);
    expect(shareOfFailures('attempt')).toBeLessThan(0.015);
  });

  test('of requests makes the retry slow, too', () => {
    expect(shareOfFailures('request')).toBeGreaterThan(0.08);
    expect(shareOfFailures('request')).toBeLessThan(0.12);
  });
});

describe('work', () => {
  const tail = { share: 0.01, times: 100 } as const;
  const serviceMs = { ...even, tail };
  const queue = { kind: 'queue', workers: 4, places: 1_000, serviceMs } as const;

  function workEach(clients: Clients): number {
    // Four workers have 39.8 ms for a request: 80 % are busy.
    const world: SimulatedWorld = { durationMs: 300_000, services: [{ server: queue }] };
    const { services, totals } = simulate(world, clients, off, { seed: 1 });
    return sum(services[0]?.workMs ?? []) / totals.offered;
  }

  test('is the time of the workers, without the time in the queue', () => {
    expect(tailDays.meanOf(serviceMs)).toBeCloseTo(39.8);
    expect(workEach(stream(80))).toBeGreaterThan(36);
    expect(workEach(stream(80))).toBeLessThan(44);
  });

  test('is done for clients that have left, too', () => {
    expect(workEach(stream(80, { timeoutMs: 30 }))).toBe(workEach(stream(80)));
  });
});

describe('pauses', () => {
  test('come again and again, and end', () => {
    const fault = {
      kind: 'stop',
      fromMs: 0,
      forMs: 10_000,
      pauses: { everyMs: 5_000, pauseMs: 200 },
    } as const;
    const { times, series } = simulate(worldOf(flaky(even), [fault]), stream(1_000), off, { seed: 1 });
    // Of 20 s, 0.4 are pauses.
    expect(times.quantile(0.975)).toBeLessThan(25);
    expect(times.quantile(0.985)).toBeGreaterThan(25);
    expect(times.quantile(1)).toBeLessThan(225);
    expect(sum(series.failed)).toBe(0);
  });
});

describe('a warm-up', () => {
  test('counts for the load, but not for the percentiles', () => {
    const slowAtFirst = { kind: 'slow', fromMs: 0, forMs: 5_000, times: 10 } as const;
    const world = { ...worldOf(flaky(even), [slowAtFirst]), warmUpMs: 6_000 };
    const { times, totals } = simulate(world, stream(100), off, { seed: 1 });
    expect(times.quantile(1)).toBeLessThan(25);
    expect(times.count).toBeGreaterThan(1_200);
    expect(totals.offered).toBeGreaterThan(1_800);
  });
});

describe('two attempts of one request', () => {
  /** Sends a second attempt after 30 ms, and may try again at once. */
  const after30: Peer = {
    kind: 'peer',
    maxRetries: 1,
    afterTimeout: true,
    statuses: [503],
    wait: () => 100,
    hedges: () => ({ afterMs: () => 30, answered: () => undefined }),
  };
  /** Half of the attempts take 200 ms. */
  const sometimes = flaky({ ...even, tail: { share: 0.5, times: 10 } });

  test('the first good answer is the one that counts, and the other one is not waited for', () => {
    const { totals, times, services } = simulate(worldOf(sometimes), stream(100), after30, { seed: 1 });
    expect(totals.hedges / totals.offered).toBeCloseTo(0.5, 1);
    expect(totals.hedgesWon / totals.hedges).toBeCloseTo(0.5, 1);
    expect(totals.sent).toBe(totals.firstTries + totals.hedges);
    expect(totals.failed).toBe(0);
    // 20 ms, 30 + 20 ms, or 200 ms.
    expect(times.quantile(0.7)).toBeCloseTo(50, 0);
    expect(times.quantile(0.8)).toBeCloseTo(200, -1);
    // The server finishes requests whose clients have left.
    expect(sum(services[0]?.workMs ?? []) / totals.sent).toBeGreaterThan(100);
  });

  test('a failure waits for the other attempt, and after two failures there is one retry', () => {
    expect(story(worldOf(flaky({ ...even, medianMs: 50 }, 1)), after30)).toEqual([
      '0 sent',
      '30 hedged',
      '50 503',
      '80 503',
      '180 sent',
      '210 hedged',
      '230 503',
      '260 503',
      '260 failed',
    ]);
  });

  test('each has a time limit of its own', () => {
    const silent = { kind: 'scripted', answers: [{ answer: 'silence' }] } as const;
    expect(story(worldOf(silent), { ...after30, maxRetries: 0 })).toEqual([
      '0 sent',
      '30 hedged',
      '1000 ERR_UNDAUNTED_ATTEMPT_TIMEOUT',
      '1030 ERR_UNDAUNTED_ATTEMPT_TIMEOUT',
      '1030 failed',
    ]);
  });

  test('neither is waited for when the caller leaves', () => {
    const leaving = stream(100, { leaving: { afterMs: 100 } });
    const { totals, times } = simulate(worldOf(sometimes), leaving, after30, { seed: 1 });
    expect(totals.aborted).toBeGreaterThan(300);
    expect(times.quantile(1)).toBeLessThanOrEqual(101);
  });

  test('a second attempt reaches another backend as often as a first one', () => {
    const { world, clients } = tailDays.slowBackend(10, 50, 100);
    const { times } = simulate(world, clients, after30, { seed: 1 });
    const { times: alone } = simulate(world, clients, peers.noRetry, { seed: 1 });
    expect(alone.quantile(0.98)).toBeGreaterThan(1_000);
    expect(times.quantile(0.98)).toBeLessThan(200);
  });
});

describe('what others do at a busy server', () => {
  const { world, clients } = tailDays.busy(16, 0.95);

  test.each([
    ['a time limit by TCP’s estimator', tcpTimeouts, 0.15, 1.6],
    ['a second attempt at the 99th percentile', hedgingAtP99, 0.03, 1.4],
  ])('%s makes it fail', (_, peer, failed, load) => {
    const run = simulate({ ...world, durationMs: 120_000 }, clients, peer, { seed: 1 });
    const alone = simulate({ ...world, durationMs: 120_000 }, clients, peers.noRetry, { seed: 1 });
    expect(alone.totals.failed / alone.totals.offered).toBeLessThan(0.001);
    expect(run.totals.failed / run.totals.offered).toBeGreaterThan(failed);
    expect(run.totals.amplification).toBeGreaterThan(load);
  });
});
