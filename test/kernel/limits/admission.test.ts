/** What an attempt takes of several limits at once, and what it leaves behind if one of them keeps it out. */

import { describe, expect, test } from 'vitest';
import type { SettledEvent } from '../../../src/core/events.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { answered } from '../../kit.js';
import { Stage, succeeds } from './stage.js';

const dead = answered(503);
const gate = { failures: 2, deadForMs: 0, probeMs: 1_000, rampMs: 2_000 };
const patient: PolicyOptions = {
  budget: false,
  gate: { ...gate, whenShut: 'wait' },
  hold: { refusedShare: 0 },
  hintJitter: 0,
  deadlineMs: 60_000,
};

function shut(stage: Stage): void {
  stage.ends(dead);
  stage.ends(dead);
  expect(stage.gate).toBe('shut');
}

describe('a request that waits elsewhere', () => {
  const policy: PolicyOptions = { ...patient, concurrency: 3 };

  test('for the gate, stands in no line for room', () => {
    const stage = new Stage(policy);
    shut(stage);
    expect(stage.open().admit()).toMatchObject({ kind: 'wait', why: 'gate' });
    expect(stage.scope?.concurrencies).toEqual([{ limit: 3, inFlight: 2, waiting: 0 }]);
  });

  test('for its place in the queue, stands in no line for room', () => {
    const stage = new Stage(policy);
    stage.ends(answered(503, { 'retry-after': '5' }));
    expect(stage.open().admit()).toMatchObject({ kind: 'wait', why: 'hold' });
    expect(stage.scope?.concurrencies).toEqual([{ limit: 3, inFlight: 1, waiting: 0 }]);
  });

  test.each([
    ['wait', 'wait'],
    ['fail', 'refuse'],
  ] as const)('leaves the line when the gate shuts (whenShut: %s)', (whenShut, kind) => {
    const stage = new Stage({ ...policy, gate: { ...gate, whenShut }, concurrency: 2 });
    const out = [stage.sent(), stage.sent()];
    const waiting = stage.open();
    expect(waiting.admit()).toMatchObject({ kind: 'wait', why: 'concurrency' });
    for (const session of out) session.next(dead, { replayable: false });
    expect(waiting.admit()).toMatchObject({ kind });
    expect(stage.scope?.concurrencies).toEqual([{ limit: 2, inFlight: 2, waiting: 0 }]);
  });
});

describe('a refusal that is not enforced', () => {
  const policy: PolicyOptions = {
    budget: false,
    gate: false,
    hold: { refusedShare: 0, maxQueueMs: 10, enforce: false },
    concurrency: 1,
    hintJitter: 0,
  };

  test('counts when the attempt is sent, and not while it waits for room', () => {
    const stage = new Stage(policy);
    const refused = stage.sent();
    refused.next(answered(429, { 'retry-after': '5' }), { replayable: false });
    const session = stage.open();
    expect(session.admit()).toMatchObject({ kind: 'wait', why: 'concurrency' });
    expect(session.admit()).toMatchObject({ kind: 'wait', why: 'concurrency' });
    expect(stage.scope?.refused.held).toBe(0);
    refused.bodyEnded();
    expect(session.admit()).toEqual({ kind: 'go' });
    expect(stage.scope?.refused).toEqual({ 'gate-shut': 0, 'gate-full': 0, held: 1, crowded: 0 });
  });
});

test('an attempt that was let through after a wait was refused by none', () => {
  const told: SettledEvent[] = [];
  const stage = new Stage({
    ...patient,
    observe: (event) => void (event.type === 'settled' && told.push(event)),
  });
  shut(stage);
  const session = stage.open();
  expect(session.admit()).toMatchObject({ kind: 'wait', why: 'gate' });
  stage.now += 250;
  expect(session.admit()).toEqual({ kind: 'go' });
  succeeds(session);
  expect(told).toHaveLength(3);
  expect(told.at(-1)).not.toHaveProperty('refused');
  expect(stage.scope?.refused).toEqual({ 'gate-shut': 0, 'gate-full': 0, held: 0, crowded: 0 });
});

describe('a hedge is sent where every limit has capacity to spare', () => {
  const budget = { capacity: 10, perSuccess: 0, perSecond: 0, refund: false } as const;
  const calm: PolicyOptions = {
    hedge: { afterMs: 10, share: 1 },
    budget,
    gate,
    hold: { refusedShare: 0 },
    concurrency: 3,
    maxRetries: 1,
  };

  /** The number of a hedge that would be sent 10 ms after an attempt, if that happens meanwhile. */
  function hedgeWhile(happens: (stage: Stage) => void, policy: PolicyOptions = {}): number | undefined {
    const stage = new Stage({ ...calm, ...policy });
    stage.succeed(60);
    const { tail } = stage.sent();
    happens(stage);
    stage.now += 10;
    return tail?.hedge();
  }

  const retries = (count: number) => (stage: Stage) => {
    for (let each = 0; each < count; each += 1) {
      const session = stage.sent();
      expect(session.next(answered(500), { replayable: true }).action).toBe('retry');
      session.abandon();
    }
  };
  const fails = (count: number) => (stage: Stage) => {
    for (let each = 0; each < count; each += 1) {
      const session = stage.sent();
      session.next(dead, { replayable: false });
      session.bodyEnded();
    }
  };

  function outage(stage: Stage): void {
    while (stage.gate !== 'shut') fails(1)(stage);
  }

  test.each<[string, number | undefined, (stage: Stage) => void, PolicyOptions?]>([
    ['nothing happens', 2, () => undefined],
    ['a failure is seen', 2, fails(1)],
    ['half of the budget is left', 2, retries(5)],
    ['less than half of it is left', undefined, retries(6)],
    ['that half is not enough for one retry', undefined, retries(1), { budget: { ...budget, cost: 5.5 } }],
    ['there is no budget', 2, () => undefined, { budget: false }],
    ['two attempts leave room', 2, (stage) => void stage.sent()],
    ['three attempts leave none', undefined, (stage) => void [stage.sent(), stage.sent()]],
    [
      'the server asks for a pause',
      undefined,
      (stage) => {
        const session = stage.sent();
        session.next(answered(503, { 'retry-after': '5' }), { replayable: false });
        session.bodyEnded();
      },
    ],
    ['the gate shuts', undefined, outage],
    [
      'the gate is ramping',
      undefined,
      (stage) => {
        outage(stage);
        stage.now += 250;
        succeeds(stage.sent());
        expect(stage.gate).toBe('ramping');
      },
    ],
    [
      'the ramp is over',
      2,
      (stage) => {
        outage(stage);
        stage.now += 250;
        succeeds(stage.sent());
        stage.now += 2_000;
      },
    ],
  ])('if %s: %s', (_, attempt, happens, policy) => {
    expect(hedgeWhile(happens, policy)).toBe(attempt);
  });
});
