/**
 * News that the record knows nothing of. Anyone who may publish on the store's channel can send them, and a store may hold
 * anything: neither keeps requests out for longer than until the next round trip.
 */

import { describe, expect, test } from 'vitest';
import type { Facts } from '../../src/core/limits/fleet/messages.js';
import type { GateFacts } from '../../src/core/limits/gate/record.js';
import type { HoldFacts } from '../../src/core/limits/hold/record.js';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import { answered, errorWith, failed } from '../kit.js';
import { Fleets } from './kit.js';

const yearMs = 31_536_000_000;
const many = Number.MAX_SAFE_INTEGER;
const gate = { failures: 10, deadForMs: 1_000, probeMs: 1_000, rampMs: 2_000 } as const;
const gated: PolicyOptions = { retry: false, budget: false, attemptTimeoutMs: 1_000, gate };
const reset = failed(errorWith({ code: 'ECONNRESET' }));

function publish(fleets: Fleets, limit: Facts['limit'], facts: object): void {
  const key = fleets.store.keys().find((one) => one.includes(` ${limit} `));
  expect(key).toBeDefined();
  for (const { link } of fleets.processes) link.hear({ key: key as string, facts: facts as Facts });
}

function healthy(policy: PolicyOptions): Fleets {
  const fleets = new Fleets(policy, 3);
  fleets.every(20, 2_000, (process) => process.ask());
  return fleets;
}

describe('the gate', () => {
  const shut: GateFacts = {
    ...{
      limit: 'gate',
      slice: 1,
      processes: 3,
      epoch: 1,
      isShut: true,
      row: 1,
      failures: 20,
      forMs: 5_000,
      lives: 0,
    },
    ...{ witnesses: 2, probeInMs: 250, leaseLeftMs: 0, lease: 0 },
  };

  test.each<[string, Partial<GateFacts>]>([
    ['for a year', { probeInMs: yearMs }],
    ['by a probe that takes a year', { probeInMs: 0, leaseLeftMs: yearMs }],
    ['at the end of all epochs, for a year', { epoch: many, probeInMs: yearMs }],
    ['for as long as the settings allow', { probeInMs: 1_500 }],
    ['at the end of all epochs', { epoch: many }],
    ['by a probe that is out', { probeInMs: 0, leaseLeftMs: 5_000 }],
    ['by failures beyond number', { failures: many, forMs: yearMs, row: many }],
  ])('that news shut %s is open again at once, for the record says so', (_, more) => {
    const fleets = healthy(gated);
    publish(fleets, 'gate', { ...shut, ...more });
    fleets.every(20, 300, (process) => process.ask());
    const outcomes: string[] = [];
    fleets.every(20, 3_000, (process) => outcomes.push(process.ask()));
    expect(new Set(outcomes)).toEqual(new Set(['sent']));
    expect(fleets.processes.map((process) => process.gate)).toEqual(['open', 'open', 'open']);
    // And it shuts as it always did: neither the record nor the processes have learnt anything from it.
    fleets.every(20, 2_500, (process) => process.ask(reset));
    expect(fleets.processes.map((process) => process.gate)).toEqual(['shut', 'shut', 'shut']);
  });

  test('that is shut, and that news open, is shut again', () => {
    const fleets = healthy(gated);
    fleets.every(20, 2_500, (process) => process.ask(reset));
    expect(fleets.processes.map((process) => process.gate)).toEqual(['shut', 'shut', 'shut']);
    publish(fleets, 'gate', { ...shut, epoch: many, isShut: false, failures: 0, probeInMs: 0 });
    fleets.pass(300);
    expect(fleets.processes.map((process) => process.gate)).toEqual(['shut', 'shut', 'shut']);
    // The server is back: one probe finds out, and all go on.
    fleets.every(20, 8_000, (process) => process.ask());
    expect(fleets.processes.map((process) => process.gate)).toEqual(['open', 'open', 'open']);
  });

  test('whose record says that it is shut for a year: each process finds out by itself', () => {
    const fleets = healthy(gated);
    fleets.every(20, 2_500, (process) => process.ask(reset));
    for (const key of fleets.store.keys()) {
      const record = fleets.store.recordOf(key);
      if (record?.limit === 'gate')
        Object.assign(record, { probeAt: fleets.now + yearMs, leaseUntil: fleets.now + yearMs });
    }
    fleets.every(20, 15_000, (process) => process.ask());
    const outcomes: string[] = [];
    fleets.every(20, 1_000, (process) => outcomes.push(process.ask()));
    expect(new Set(outcomes)).toEqual(new Set(['sent']));
  });
});

describe('the hold', () => {
  const held: PolicyOptions = {
    ...{ retry: false, budget: false, hintJitter: 0, deadlineMs: 60_000, maxHintMs: 60_000 },
    hold: { refusedShare: 0.3, minMs: 1_000, spacingMs: 50, maxQueueMs: 5_000 },
  };
  const news: HoldFacts = {
    ...{
      limit: 'hold',
      firsts: 9,
      refusals: 9,
      successes: 0,
      sent: 0,
      turn: 9,
      phase: 'paced',
      dueMs: 0,
      share: 0,
      restMs: 0,
      forMs: 30_000,
      pacedMs: -30_000,
      places: 0,
    },
    ...{ spacingMs: 50, nextPlace: 0, granted: [] },
  };

  test.each<[string, Partial<HoldFacts>]>([
    ['a window', {}],
    ['a window of a year', { forMs: yearMs }],
    ['a queue that begins in a year', { forMs: 0, pacedMs: -yearMs }],
    ['a trial that lasts for a year', { forMs: 0, pacedMs: 0, phase: 'trial', dueMs: yearMs }],
    ['places a year apart', { forMs: 0, pacedMs: 0, spacingMs: yearMs }],
    ['a queue that is full for ever', { forMs: 0, pacedMs: 0, nextPlace: many }],
    ['the last turn', { turn: many }],
    ['refusals beyond number', { firsts: many, refusals: many }],
  ])('of news with %s is over at once, for the record knows nothing of it', (_, more) => {
    const fleets = healthy(held);
    publish(fleets, 'hold', { ...news, ...more });
    fleets.pass(300);
    const outcomes: string[] = [];
    fleets.every(20, 3_000, (process) => outcomes.push(process.ask()));
    expect(new Set(outcomes)).toEqual(new Set(['sent']));
    // The record has not learnt it from the processes.
    const records = fleets.store.keys().map((key) => fleets.store.recordOf(key));
    expect(records.find((record) => record?.limit === 'hold')).toMatchObject({ phase: 'free', turn: 0 });
    // A single refusal holds no other request, as before.
    fleets.at(0).ask(answered(429));
    expect(fleets.at(0).ask()).toBe('sent');
  });
});

test('the budget: news that nothing succeeds anywhere are over with the next success', () => {
  const fleets = healthy({ maxRetries: 1, schedule: { kind: 'fixed', waitMs: 1 } });
  publish(fleets, 'budget', {
    limit: 'budget',
    slice: many,
    processes: many,
    isBarren: true,
    granted: many,
    tokens: many,
  });
  fleets.every(20, 1_000, (process) => process.ask());
  fleets.at(0).ask(answered(503));
  expect(fleets.at(0).snapshot.scopes[0]?.budgets[0]?.tokens).toBeGreaterThan(5);
});
