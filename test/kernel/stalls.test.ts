import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRetrier, type Outcome } from '../../src/index.js';
import { monotonicNow, noteStall, stalledSince } from '../../src/kernel/stalls.js';
import { answered, errorWith, failed, requestOf } from '../kit.js';

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

describe('while this process stood still', () => {
  let now: number;
  const dead = failed(errorWith({ code: 'ECONNRESET' }));

  // In the past, so that no other test finds itself in a stall.
  beforeEach(() => {
    now = performance.now() - 60_000;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    // Whatever another test has noted is over.
    noteStall(now - 2, now - 1);
  });
  afterEach(() => vi.restoreAllMocks());

  /** A gate that two failures shut, if they are a tenth of a second apart, and how requests end that were sent before. */
  function stateAfter(outcomes: readonly Outcome[], happens: () => void): string {
    const retrier = createRetrier({ retry: false, gate: { failures: 2, deadForMs: 100 }, budget: false });
    for (let lives = 0; lives < 2; lives += 1) {
      const session = retrier.open(requestOf());
      session.admit();
      session.acceptAtOnce(200);
    }
    const sessions = outcomes.map(() => retrier.open(requestOf()));
    for (const session of sessions) session.admit();
    for (const [index, outcome] of outcomes.entries()) {
      if (index > 0) happens();
      sessions[index]?.next(outcome, { replayable: true });
    }
    return retrier.snapshot().scopes[0]?.gates[0]?.state ?? 'open';
  }

  const passes = () => {
    now += 500;
  };
  const stalls = () => {
    now += 500;
    noteStall(now - 450, now);
  };

  test.each<[string, readonly Outcome[], () => void, string]>([
    ['failures go on', [dead, dead], passes, 'shut'],
    ['failures do not last', [dead, dead], stalls, 'open'],
    ['signs of life are some', [dead, ...new Array(4).fill(answered(404))], stalls, 'open'],
    ['a sign of life ends the row', [dead, answered(404), dead], passes, 'open'],
  ])('%s: %#', (_, outcomes, happens, state) => {
    expect(stateAfter(outcomes, happens)).toBe(state);
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
