/** Scopes that a retrier forgets while their requests are still under way, and what is left of them. */

import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import type { Session } from '../../src/kernel/session.js';
import { answered, errorWith, failed, requestOf } from '../kit.js';
import type { Process } from './kit.js';
import { Fleets } from './kit.js';

const reset = failed(errorWith({ code: 'ECONNRESET' }));
const refusal = answered(429, { 'retry-after': '5' });

function open({ retrier }: Process, host: string): Session {
  return retrier.open(requestOf({ origin: `https://${host}` }));
}

function succeed(process: Process, host: string): void {
  const session = open(process, host);
  session.admit();
  session.acceptAtOnce(200);
}

/** The keys of which a process reports something within ten seconds. */
function keysReportedBy(fleets: Fleets, { link }: Process): number {
  const keys = new Set<string>();
  const exchange = link.exchange.bind(link);
  link.exchange = (reports, told) => {
    for (const { key } of reports) keys.add(key);
    exchange(reports, told);
  };
  fleets.pass(10_000);
  link.exchange = exchange;
  return keys.size;
}

test('scopes that come and go cost ten round trips a second at most', () => {
  const fleets = new Fleets({ maxScopes: 10, gate: true, hold: true }, 1);
  for (let index = 0; index < 500; index += 1) {
    succeed(fleets.at(0), `${index}.test`);
    fleets.pass(10);
  }
  expect(fleets.store.exchanges).toBeLessThanOrEqual(52);
});

describe('a scope that was forgotten', () => {
  test('reports nothing more, also when its requests end later', () => {
    const fleets = new Fleets({ maxScopes: 1, gate: true, hold: true }, 1);
    const process = fleets.at(0);
    const sessions = Array.from({ length: 50 }, (_, index) => open(process, `${index}.test`));
    for (const session of sessions) session.admit();
    fleets.pass(1_000);
    for (const session of sessions) session.acceptAtOnce(200);
    // Those of the last one: gate, hold and budget.
    expect(keysReportedBy(fleets, process)).toBe(3);
  });

  test('is not kept for a store that is silent', () => {
    const fleets = new Fleets({ maxScopes: 1, gate: true, hold: true }, 1);
    const process = fleets.at(0);
    succeed(process, 'first.test');
    fleets.pass(1_000);
    fleets.store.isStopped = true;
    for (let index = 0; index < 500; index += 1) succeed(process, `${index}.test`);
    fleets.pass(5_000);
    fleets.store.isStopped = false;
    expect(keysReportedBy(fleets, process)).toBeLessThanOrEqual(3);
  });

  test('gives back all the tokens that it had leased', () => {
    const fleets = new Fleets(
      { maxScopes: 1, maxRetries: 1, budget: { capacity: 20, perSecond: 0, perSuccess: 0, cost: 1 } },
      1,
    );
    const process = fleets.at(0);
    succeed(process, 'one.test');
    fleets.pass(300);
    const key = fleets.store.keys().find((one) => one.includes('one.test')) as string;
    expect(fleets.store.recordOf(key)).toMatchObject({ tokens: 10_000 });
    succeed(process, 'other.test');
    fleets.pass(300);
    expect(fleets.store.recordOf(key)).toMatchObject({ tokens: 20_000 });
  });
});

describe('a request of a scope that was forgotten', () => {
  const policy: PolicyOptions = {
    retry: false,
    budget: false,
    hintJitter: 0,
    attemptTimeoutMs: 1_000,
    deadlineMs: 60_000,
    maxScopes: 1,
  };

  function sentAfter(fleets: Fleets, session: Session): number {
    const since = fleets.now;
    for (;;) {
      const admission = session.admit();
      if (admission.kind === 'go') return fleets.now - since;
      if (admission.kind === 'refuse') return Infinity;
      fleets.pass(admission.delayMs);
    }
  }

  test('goes on waiting in the queue of its own process', () => {
    const hold = { refusedShare: 0, spacingMs: 50, maxQueueMs: 20_000 };
    const fleets = new Fleets({ ...policy, hold }, 2);
    fleets.every(50, 3_000, (process) => succeed(process, 'one.test'));
    const told = open(fleets.at(0), 'one.test');
    told.admit();
    told.next(refusal, { replayable: true });
    fleets.pass(4_000);
    const waiting = open(fleets.at(1), 'one.test');
    expect(waiting.admit().kind).toBe('wait');
    succeed(fleets.at(1), 'other.test');
    expect(sentAfter(fleets, waiting)).toBeLessThan(1_500);
  });

  test('goes on waiting for the gate, and may probe without a lease', () => {
    const gate = { failures: 10, deadForMs: 1_000, probeMs: 1_000, rampMs: 2_000, whenShut: 'wait' } as const;
    const fleets = new Fleets({ ...policy, gate }, 2);
    fleets.every(20, 1_000, (process) => succeed(process, 'one.test'));
    fleets.every(20, 1_800, (process) => {
      const session = open(process, 'one.test');
      if (session.admit().kind === 'go') session.next(reset, { replayable: true });
      else session.abandon();
    });
    const waiting = open(fleets.at(1), 'one.test');
    expect(waiting.admit().kind).toBe('wait');
    succeed(fleets.at(1), 'other.test');
    expect(sentAfter(fleets, waiting)).toBeLessThan(3_000);
  });
});

test('a request that waited for a place and found the hold over waits no more: an idle process is silent', () => {
  const hold = { refusedShare: 0, spacingMs: 50, maxQueueMs: 20_000 };
  const fleets = new Fleets({ retry: false, budget: false, hintJitter: 0, deadlineMs: 60_000, hold }, 2);
  fleets.every(50, 3_000, (process) => succeed(process, 'one.test'));
  const told = open(fleets.at(0), 'one.test');
  told.admit();
  told.next(refusal, { replayable: true });
  fleets.pass(4_000);
  const waiting = open(fleets.at(1), 'one.test');
  expect(waiting.admit().kind).toBe('wait');
  // It does not look again before the hold is over.
  fleets.at(1).link.isCut = true;
  fleets.pass(20_000);
  fleets.at(1).link.isCut = false;
  expect(waiting.admit().kind).toBe('go');
  fleets.every(50, 10_000, (process) => succeed(process, 'one.test'));
  fleets.pass(20_000);
  const before = fleets.store.exchanges;
  fleets.pass(10_000);
  expect(fleets.store.exchanges).toBe(before);
});

test('a process that forgot all its scopes while the store was silent is one with the others again', () => {
  const fleets = new Fleets({ gate: true }, 1);
  const process = fleets.at(0);
  succeed(process, 'one.test');
  fleets.pass(1_000);
  fleets.store.isStopped = true;
  succeed(process, 'one.test');
  fleets.pass(3_000);
  expect(process.isShared).toBe(false);
  process.retrier.reset();
  fleets.pass(30_000);
  fleets.store.isStopped = false;
  succeed(process, 'one.test');
  fleets.pass(10_000);
  expect(process.isShared).toBe(true);
});
