import { describe, expect, test } from 'vitest';
import type { ServerModel, SimulatedWorld } from '../../../src/tools/sim/index.js';
import { simulate } from '../../../src/tools/sim/index.js';
import { story, worldOf } from './stories.js';

const quick: ServerModel = { kind: 'flaky', latencyMs: 50, share: 0, status: 503 };
const steady = { kind: 'open', count: 10, perSecond: 100, timeoutMs: 1_000 } as const;
const off = { retry: false } as const;

describe('a server that is stopped', () => {
  test('answers late: what was accepted meanwhile, and what was in progress', () => {
    const world = worldOf(quick, [{ kind: 'stop', fromMs: 0, forMs: 500 }]);
    expect(story(world)).toEqual(['0 sent', '550 200', '550 good']);
    const during = worldOf({ ...quick, latencyMs: 100 }, [{ kind: 'stop', fromMs: 50, forMs: 500 }]);
    expect(story(during)).toEqual(['0 sent', '550 200', '550 good']);
  });

  test('never sees clients for which the backlog has no room', () => {
    const world = worldOf(quick, [{ kind: 'stop', fromMs: 5_000, forMs: 900 }], { backlog: 30 });
    const { totals, services } = simulate(world, steady, off, { seed: 1 });
    expect(totals.timedOut).toBeGreaterThan(40);
    expect(totals.timedOut).toBe(totals.failed);
    expect(services[0]?.concurrency[6]).toBeLessThan(40);
  });

  test('sees them again if they still wait: after 1 s, 3 s, 7 s', () => {
    const stopped = (forMs: number): SimulatedWorld =>
      worldOf(quick, [{ kind: 'stop', fromMs: 0, forMs }], { backlog: 0 });
    const patient = { ...off, attemptTimeoutMs: 7_010 };
    expect(story(stopped(900), patient)).toEqual(['0 sent', '1050 200', '1050 good']);
    expect(story(stopped(2_900), patient)).toEqual(['0 sent', '3050 200', '3050 good']);
    expect(story(stopped(3_100), patient)).toEqual([
      '0 sent',
      '7010 ERR_UNDAUNTED_ATTEMPT_TIMEOUT',
      '7010 failed',
    ]);
    // A client that has left does not ask again.
    const again = { idempotent: true, attemptTimeoutMs: 600, maxRetries: 9, budget: false } as const;
    const { totals } = simulate(stopped(2_500), { ...steady, method: 'POST' }, again, { seed: 1 });
    expect([totals.duplicateWrites, totals.timedOut > 100]).toEqual([0, true]);
  });

  test('refuses them, where it has crashed in the meantime', () => {
    const faults = [
      { kind: 'stop', fromMs: 0, forMs: 5_000 },
      { kind: 'crash', fromMs: 500, forMs: 5_000 },
    ] as const;
    const world = worldOf(quick, faults, { backlog: 0 });
    expect(story(world, { ...off, attemptTimeoutMs: 5_000 })).toEqual([
      '0 sent',
      '1000 ECONNREFUSED',
      '1000 failed',
    ]);
  });

  test('does the work of clients that have left', () => {
    const writes = { ...steady, method: 'POST' } as const;
    const world = worldOf(quick, [{ kind: 'stop', fromMs: 5_000, forMs: 3_000 }]);
    const policy = {
      idempotent: true,
      maxRetries: 1,
      budget: false,
      schedule: { kind: 'fixed', waitMs: 10 },
    } as const;
    expect(simulate(world, writes, policy, { seed: 1 }).totals.duplicateWrites).toBeGreaterThan(10);
    expect(simulate(world, writes, {}, { seed: 1 }).totals.duplicateWrites).toBe(0);
    const keyed = { ...writes, keyed: true } as const;
    expect(simulate(world, keyed, policy, { seed: 1 }).totals.duplicateWrites).toBe(0);
  });
});

describe('a server that crashes', () => {
  test('cuts off what is in progress, refuses connections, and is as new when it is back', () => {
    const world = worldOf(quick, [{ kind: 'crash', fromMs: 20, forMs: 1_000 }]);
    const policy = {
      maxRetries: 2,
      schedule: { kind: 'table', waitsMs: [100, 2_000], jitter: 'none' },
    } as const;
    expect(story(world, policy)).toEqual([
      '0 sent',
      '20 ECONNRESET',
      '120 sent',
      '120 ECONNREFUSED',
      '2120 sent',
      '2170 200',
      '2170 good',
    ]);
  });

  test('cuts off what was in its backlog too, and nothing else', () => {
    const idle: SimulatedWorld['services'][0] = { server: quick };
    const faults = [
      { kind: 'stop', fromMs: 0, forMs: 10_000 },
      { kind: 'crash', fromMs: 300, forMs: 100 },
    ] as const;
    const world: SimulatedWorld = {
      durationMs: 5_000,
      services: [
        { ...idle, timeoutMs: 9_000 },
        { server: quick, faults },
      ],
    };
    expect(story(world)).toEqual(['0 sent', '300 502', '300 failed']);
  });

  test('again and again', () => {
    const world = worldOf(quick, [
      { kind: 'flap', fromMs: 2_000, forMs: 10_000, downMs: 1_000, upMs: 1_000 },
    ]);
    const { good } = simulate(world, steady, off, { seed: 1 }).series;
    const isUp = Array.from(good.subarray(0, 16), (count) => count > 50);
    expect(isUp.map(Number).join('')).toBe('1101010101011111');
  });
});

describe('a server that', () => {
  test('is slow takes so many times as long', () => {
    const world = worldOf(quick, [{ kind: 'slow', fromMs: 0, forMs: 1_000, times: 10 }]);
    expect(story(world)).toEqual(['0 sent', '500 200', '500 good']);
    const late = worldOf(quick, [{ kind: 'slow', fromMs: 1_000, forMs: 1_000, times: 10 }]);
    expect(story(late)).toEqual(['0 sent', '50 200', '50 good']);
  });

  test('is not heard has still done the work', () => {
    const world = worldOf(quick, [{ kind: 'lose', fromMs: 0, forMs: 15_000, share: 0.5 }]);
    const writes = { ...steady, method: 'POST' } as const;
    const { totals } = simulate(world, writes, { idempotent: true, budget: false }, { seed: 1 });
    expect(totals.timedOut / totals.sent).toBeGreaterThan(0.3);
    expect(totals.duplicateWrites).toBeGreaterThan(500);
    const careful = simulate(world, writes, {}, { seed: 1 }).totals;
    expect(careful.duplicateWrites).toBe(0);
    expect(careful.retries).toBe(0);
  });
});
