/** The list of the limits, and the orders in which they are asked. */

import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/core/decide/decide.js';
import { type AdmissionRequest, noQueuePlace } from '../../../src/core/limits/admission.js';
import { awaitsBody, type LimitName, limitNames, orderOfAdmission } from '../../../src/core/limits/all.js';
import { admit } from '../../../src/core/limits/ask.js';
import { openGate, shut } from '../../../src/core/limits/gate/state.js';
import { noHold } from '../../../src/core/limits/hold/state.js';
import { limitStops } from '../../../src/core/limits/settings.js';
import type { World } from '../../../src/core/types.js';
import { serverError, settingsOf, worldOf } from '../../kit.js';

const all = settingsOf({
  budget: { capacity: 1 },
  gate: true,
  hold: { refusedShare: 0 },
  concurrency: { limit: 1, maxWaiting: 1 },
  deadlineMs: 100,
});

describe('a retry that limits forbid', () => {
  const spent: Partial<World> = { budget: { tokens: 0, at: 0 } };
  const isShut: Partial<World> = { gateShut: true };
  const queues: Partial<World> = { queueMs: 1_000 };
  const full: Partial<World> = { line: { waiting: 1, waitedMs: 0 } };
  const alone: Readonly<Record<LimitName, Partial<World>>> = {
    budget: spent,
    gate: isShut,
    hold: queues,
    concurrency: full,
  };

  test.each(limitNames)('one alone: %s', (name) => {
    const decision = decide(all, [], serverError, worldOf(alone[name]));
    expect(Object.keys(limitStops[name])).toContain(decision.reason);
  });

  test.each<[string, Partial<World>, string]>([
    ['budget, gate and hold', { ...spent, ...isShut, ...queues }, 'budget-spent'],
    ['budget and hold', { ...spent, ...queues }, 'budget-spent'],
    ['gate and hold', { ...isShut, ...queues }, 'gate-shut'],
    ['hold', queues, 'held'],
    ['hold and concurrency', { ...queues, ...full }, 'held'],
    ['concurrency', full, 'crowded'],
  ])('%s', (_, world, reason) => {
    const decision = decide(all, [], serverError, worldOf({ budget: { tokens: 1_000, at: 0 }, ...world }));
    expect(decision).toMatchObject({ action: 'stop', reason });
  });
});

describe('an attempt that several limits refuse', () => {
  const now = 1_000;
  const dead = shut(openGate, now + 60_000, 20, [7], now);
  const paced = { ...noHold, phase: 'obeyed', until: now + 60_000, pacedSince: now + 60_000 } as const;
  const full = { free: 0, ahead: 1, waiting: 1, until: undefined };
  const clear: AdmissionRequest = {
    gate: openGate,
    hold: noHold,
    kind: 7,
    waiting: 0,
    queued: 0,
    queuePlace: noQueuePlace,
    isRetry: false,
  };

  test.each<[string, Partial<AdmissionRequest>, string]>([
    ['hold and gate', { gate: dead, hold: { ...paced, spacingMs: 100 } }, 'held'],
    ['gate', { gate: dead }, 'gate-shut'],
    ['hold and concurrency', { hold: { ...paced, spacingMs: 100 }, room: full }, 'held'],
    ['concurrency and gate', { gate: dead, room: full }, 'crowded'],
    ['concurrency', { room: full }, 'crowded'],
  ])('%s', (_, request, reason) => {
    const { admission } = admit(all, { ...clear, ...request }, now, now + 100, 0.5);
    expect(admission).toEqual({ kind: 'refuse', reason });
  });
});

test('limits that are off let an attempt through, whatever there is to find', () => {
  const now = 1_000;
  const found: AdmissionRequest = {
    gate: shut(openGate, now + 60_000, 20, [7], now),
    hold: { ...noHold, phase: 'obeyed', until: now + 60_000, pacedSince: now + 60_000, spacingMs: 100 },
    room: { free: 0, ahead: 1, waiting: 1_000, until: undefined },
    kind: 7,
    waiting: 0,
    queued: 0,
    queuePlace: noQueuePlace,
    isRetry: false,
  };
  const { gate, hold, queuePlace } = found;
  const admitted = admit(settingsOf(none), found, now, now + 100, 0.5);
  expect(admitted).toEqual({ admission: { kind: 'go' }, gate, hold, queuePlace, epoch: gate.epoch });
});

const none = { budget: false, gate: false, hold: false, concurrency: false } as const;
const on = { budget: {}, gate: true, hold: true, concurrency: 1 } as const;

describe('whether an attempt asks for admission', () => {
  test('it does not without a limit', () => expect(settingsOf(none).needsAdmission).toBe(false));

  test.each(limitNames)('%s', (name) => {
    const isAsked = orderOfAdmission.some((one) => one === name);
    expect(settingsOf({ ...none, [name]: on[name] }).needsAdmission).toBe(isAsked);
  });
});

test.each(limitNames)('whether it asks for the end of a body: %s', (name) => {
  expect(awaitsBody(settingsOf({ ...none, [name]: on[name] }))).toBe(name === 'concurrency');
});
