import { describe, expect, test } from 'vitest';
import type { Clients, ServerModel } from '../../../src/tools/sim/index.js';
import { articleServer, simulate } from '../../../src/tools/sim/index.js';
import { story, worldOf } from './stories.js';

const flaky: ServerModel = { kind: 'flaky', latencyMs: 50, share: 0, status: 503 };

/** This many at once, and none after that. */
function crowdOf(count: number): Clients {
  return { kind: 'closed', count, thinkMs: 1e-6 };
}

describe('the crowded server', () => {
  test('answers after its base delay while it has little to do', () => {
    expect(story(worldOf(articleServer))).toEqual(['0 sent', '100 200', '100 good']);
  });

  // 100 ms * 1.05 ^ ((count - 30) / 15), at the next of its checks every 50 ms.
  test.each([
    [30, 100],
    [31, 150],
    [100, 150],
    [307, 250],
    [511, 500],
    [900, 1_700],
  ])('with %i in progress, answers after %i ms', (count, delayMs) => {
    const { services, totals } = simulate(
      { durationMs: delayMs + 25, services: [{ server: articleServer }] },
      { ...crowdOf(count) },
      { retry: false },
      { seed: 1 },
    );
    expect(totals.good).toBeGreaterThanOrEqual(count);
    expect(totals.p50Ms).toBeGreaterThan(delayMs * 0.99);
    expect(totals.p50Ms).toBeLessThan(delayMs * 1.01);
    expect(services).toHaveLength(1);
  });

  test('looks at how many there are now: when some leave, the others are sooner ready', () => {
    const { totals } = simulate(
      { durationMs: 10_000, services: [{ server: { ...articleServer, factor: 1.5 } }] },
      {
        kind: 'open',
        count: 1,
        perSecond: [
          { fromMs: 0, perSecond: 200 },
          { fromMs: 1_000, perSecond: 1e-9 },
        ],
      },
      { retry: false },
      { seed: 1 },
    );
    expect(totals.good).toBe(totals.offered);
    // At its worst the delay is ten seconds.
    expect(totals.p999Ms).toBeLessThan(8_000);
  });

  test('keeps the place of a client that has left', () => {
    const { services, totals } = simulate(
      { durationMs: 3_000, services: [{ server: articleServer, faults: [] }] },
      { kind: 'closed', count: 2_000, thinkMs: 1e-6, timeoutMs: 1_000 },
      { retry: false },
      { seed: 1 },
    );
    expect(totals.good).toBe(0);
    expect(services[0]?.concurrency[2]).toBe(4_000);
  });

  test('never overflows', () => {
    const { services } = simulate(
      { durationMs: 2_000, services: [{ server: articleServer }] },
      { kind: 'closed', count: 20_000, thinkMs: 100, timeoutMs: 1_000 },
      { retry: false },
      { seed: 1 },
    );
    expect(services[0]?.delayMs[2]).toBe(1e15);
  });
});

describe('the queue', () => {
  const queue: ServerModel = { kind: 'queue', workers: 2, places: 3, serviceMs: 100 };

  test('serves so many at a time, keeps so many, and turns the others away', () => {
    const { totals, services } = simulate(
      worldOf(queue),
      { kind: 'open', count: 1, perSecond: 200 },
      { retry: false },
      { seed: 1 },
    );
    // Two workers of ten a second each.
    expect(totals.goodput).toBeGreaterThan(16);
    expect(totals.goodput).toBeLessThan(24);
    expect(totals.failed).toBeGreaterThan(3_000);
    expect(Math.max(...(services[0]?.concurrency ?? []))).toBe(5);
  });

  test('lets no request wait for long if there is little to do', () => {
    const { totals } = simulate(
      worldOf(queue),
      { kind: 'open', count: 1, perSecond: 1 },
      { retry: false },
      { seed: 1 },
    );
    expect(totals.failed).toBe(0);
    expect(totals.p50Ms).toBeLessThan(150);
  });
});

describe('the server that slows down', () => {
  test('takes longer for each that is there', () => {
    const slowing: ServerModel = { kind: 'slowing', baseMs: 100, eachMs: 10 };
    expect(story(worldOf(slowing))).toEqual(['0 sent', '110 200', '110 good']);
    const { totals } = simulate(
      worldOf(slowing),
      { kind: 'open', count: 1, perSecond: 50 },
      { retry: false },
      { seed: 1 },
    );
    // By Little's law 50 * (0.1 + 0.01 * 10) are 10.
    expect(totals.p50Ms).toBeGreaterThan(170);
    expect(totals.p50Ms).toBeLessThan(230);
  });
});

describe('the limited server', () => {
  test.each([
    ['a bucket', { perSecond: 20, burst: 5 }, 5 + 20 * 20],
    ['a window', { permits: 20, windowMs: 1_000 }, 20 * 20],
  ])('lets through as many as %s allows', (_, limit, permitted) => {
    const server: ServerModel = { kind: 'limited', latencyMs: 0, limit, retryAfter: false };
    const { totals } = simulate(
      worldOf(server),
      { kind: 'open', count: 1, perSecond: 500 },
      { retry: false },
      { seed: 1 },
    );
    expect(Math.abs(totals.good - permitted)).toBeLessThan(3);
  });

  test.each<['exact' | number | false, string]>([
    ['exact', '1000'],
    [3, '3000'],
    [false, ''],
  ])('says when to come again: %s', (retryAfter, waitMs) => {
    const server: ServerModel = {
      kind: 'limited',
      latencyMs: 10,
      limit: { permits: 0, windowMs: 1_000 },
      retryAfter,
    };
    const policy = {
      maxRetries: 1,
      hintJitter: 0,
      throttledSchedule: { kind: 'fixed', waitMs: 7, jitter: 'none' },
    } as const;
    const again = waitMs === '' ? '7' : waitMs;
    expect(story(worldOf(server), policy)).toEqual([
      '0 sent',
      '0 429',
      `${again} sent`,
      `${again} 429`,
      `${again} failed`,
    ]);
  });
});

describe('the flaky server', () => {
  test('fails its share', () => {
    const { totals } = simulate(
      worldOf({ ...flaky, share: 0.3 }),
      { kind: 'open', count: 1, perSecond: 500 },
      { retry: false },
      { seed: 1 },
    );
    expect(totals.failed / totals.offered).toBeCloseTo(0.3, 1);
    expect(story(worldOf({ ...flaky, share: 1 }))).toEqual(['0 sent', '50 503', '50 failed']);
  });
});

describe('the scripted server', () => {
  test('gives its answers in turn, the last one again and again', () => {
    const server: ServerModel = {
      kind: 'scripted',
      answers: [
        { answer: { status: 503 }, afterMs: 20 },
        { answer: 'reset', afterMs: 30 },
        { answer: 'silence' },
        { answer: 'refused' },
        { answer: { status: 429, headers: { 'retry-after': '2' } } },
        { answer: { status: 500 } },
      ],
    };
    const policy = {
      maxRetries: 6,
      hintJitter: 0,
      schedule: { kind: 'fixed', waitMs: 100, jitter: 'none' },
    } as const;
    expect(story(worldOf(server), policy)).toEqual([
      '0 sent',
      '20 503',
      '120 sent',
      '150 ECONNRESET',
      '250 sent',
      '1250 ERR_UNDAUNTED_ATTEMPT_TIMEOUT',
      '1350 sent',
      '1350 ECONNREFUSED',
      '1450 sent',
      '1450 429',
      '3450 sent',
      '3450 500',
      '3550 sent',
      '3550 500',
      '3550 failed',
    ]);
  });

  test('may answer with bytes that are not HTTP, which are not retried', () => {
    const server: ServerModel = { kind: 'scripted', answers: [{ answer: 'garbage', afterMs: 20 }] };
    expect(story(worldOf(server), {})).toEqual(['0 sent', '20 HPE_INVALID_CONSTANT', '20 failed']);
  });
});
