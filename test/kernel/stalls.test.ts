import { describe, expect, test } from 'vitest';
import { createRetrier } from '../../src/index.js';
import { monotonicNow, noteStall, stalledSince } from '../../src/kernel/stalls.js';
import { errorWith, failed, requestOf } from '../kit.js';

describe('a stall', () => {
  test('counts from when the first late timer was due', () => {
    const at = performance.now();
    noteStall(at + 100, at + 600);
    noteStall(at + 50, at + 601);
    expect(stalledSince(monotonicNow, at)).toBeCloseTo(551);
    expect(stalledSince(monotonicNow, at + 301)).toBeCloseTo(300);
    expect(stalledSince(monotonicNow, at + 700)).toBe(0);
    noteStall(at + 900, at + 1_000);
    expect(stalledSince(monotonicNow, at)).toBeCloseTo(100);
  });

  test('says nothing about times of another clock', () => {
    expect(stalledSince(() => performance.now(), 0)).toBe(0);
  });
});

describe("the client's own timeouts", () => {
  const timedOut = failed(errorWith({ code: 'UND_ERR_HEADERS_TIMEOUT' }));
  const policy = { retry: false, gate: { failures: 2, deadForMs: 100 } } as const;

  /** Whether the gate shuts when many requests time out that were sent 700 ms ago. */
  async function shutsAfter(happens: (sentAt: number) => void): Promise<boolean> {
    const retrier = createRetrier(policy);
    const sessions = Array.from({ length: 20 }, () => retrier.open(requestOf()));
    for (const session of sessions) session.admit();
    const sentAt = performance.now();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    happens(sentAt);
    for (const session of sessions) session.next(timedOut, { replayable: true });
    return retrier.snapshot().scopes.some(({ gates }) => gates.some(({ state }) => state === 'shut'));
  }

  test('do not shut the gate of a server that was not heard only because this process stood still', async () => {
    expect(await shutsAfter((sentAt) => noteStall(sentAt, performance.now()))).toBe(false);
  });

  test('do so otherwise', async () => {
    expect(await shutsAfter(() => undefined)).toBe(true);
  });
});
