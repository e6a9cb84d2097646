import { describe, expect, test } from 'vitest';
import type { Turnstile } from '../../src/core/admit.js';
import { admit } from '../../src/core/admit.js';
import { openGate } from '../../src/core/gate.js';
import { noHold } from '../../src/core/hold.js';
import type { PolicyOptions } from '../../src/core/options.js';
import type { Admission, GateState, HoldState } from '../../src/core/types.js';
import { settingsOf } from '../kit.js';

const shut: GateState = { kind: 'shut', epoch: 3, probeAt: 1_000, probingSince: undefined };
/** Behind a window that ends at 5,000: the next free place is its first. */
const held: HoldState = { ...noHold, until: 5_000, pacedSince: 5_000, spacingMs: 100 };
/** That place was taken. */
const queue: HoldState = { ...held, nextPlace: 1 };

function turnstile(differences: Partial<Turnstile> = {}): Turnstile {
  return { gate: openGate, hold: noHold, waiting: 0, place: undefined, ...differences };
}

function ask(
  options: PolicyOptions,
  state: Turnstile,
  now: number,
  deadlineAt = Number.POSITIVE_INFINITY,
): ReturnType<typeof admit> {
  return admit(settingsOf(options), state, now, deadlineAt, 0.5);
}

const waiting: PolicyOptions = { gate: { whenShut: 'wait', maxWaiting: 2 }, deadlineMs: 60_000 };

describe('the gate', () => {
  test('open or not asked for: go, in its epoch', () => {
    expect(ask({ gate: true }, turnstile(), 0)).toMatchObject({ admission: { kind: 'go' }, epoch: 0 });
    expect(ask({}, turnstile({ gate: shut }), 0)).toMatchObject({ admission: { kind: 'go' }, gate: shut });
  });

  test('shut: fails fast, or waits', () => {
    const refusal: Admission = { kind: 'refuse', reason: 'gate-shut' };
    expect(ask({ gate: true }, turnstile({ gate: shut }), 0)).toMatchObject({
      admission: refusal,
      gate: shut,
    });
    expect(ask(waiting, turnstile({ gate: shut }), 0).admission).toEqual({
      kind: 'wait',
      delayMs: 1_250,
      why: 'gate',
    });
  });

  test('a wait that cannot end before the deadline does not start', () => {
    expect(ask(waiting, turnstile({ gate: shut }), 0, 1_250).admission.kind).toBe('refuse');
    expect(ask(waiting, turnstile({ gate: shut }), 0, 1_251).admission.kind).toBe('wait');
  });

  test('no more wait than may', () => {
    expect(ask(waiting, turnstile({ gate: shut, waiting: 1 }), 0).admission.kind).toBe('wait');
    expect(ask(waiting, turnstile({ gate: shut, waiting: 2 }), 0).admission).toEqual({
      kind: 'refuse',
      reason: 'gate-full',
    });
  });

  test('a probe takes its place', () => {
    const admitted = ask({ gate: true }, turnstile({ gate: shut }), 1_000);
    expect(admitted).toMatchObject({ admission: { kind: 'go' }, epoch: 3, gate: { probingSince: 1_000 } });
  });
});

describe('the hold', () => {
  test('not asked for, or nothing held: go', () => {
    expect(ask({}, turnstile({ hold: held }), 0)).toMatchObject({ admission: { kind: 'go' }, hold: held });
    expect(ask({ hold: true }, turnstile(), 0)).toMatchObject({ admission: { kind: 'go' }, hold: noHold });
  });

  test('gives a place behind the window, and lets through who comes at that time', () => {
    const first = ask({ hold: true }, turnstile({ hold: held }), 1_000);
    expect(first).toMatchObject({
      admission: { kind: 'wait', delayMs: 4_000, why: 'hold' },
      place: 0,
      hold: queue,
    });
    const again = ask({ hold: true }, turnstile({ hold: queue, place: 0 }), 5_000);
    expect(again).toMatchObject({ admission: { kind: 'go' }, hold: queue });
  });

  test('who goes has used its place', () => {
    const gone = ask({ hold: true }, turnstile({ hold: queue, place: 0 }), 5_000);
    expect(gone.place).toBeUndefined();
    const both = ask({ hold: true, gate: true }, turnstile({ hold: queue, place: 0 }), 5_000);
    expect(both).toMatchObject({ admission: { kind: 'go' }, place: undefined });
  });

  test('who comes too early waits for the place that it has', () => {
    const early = ask({ hold: true }, turnstile({ hold: queue, place: 0 }), 4_000);
    expect(early).toMatchObject({ admission: { kind: 'wait', delayMs: 1_000 }, hold: queue, place: 0 });
  });

  test('a place moves with the window', () => {
    const moved: HoldState = { ...queue, until: 8_000, pacedSince: 8_000 };
    const again = ask({ hold: true }, turnstile({ hold: moved, place: 0 }), 5_000);
    expect(again).toMatchObject({ admission: { kind: 'wait', delayMs: 3_000 }, place: 0, hold: moved });
  });

  test('a place after the deadline is not taken', () => {
    const refused = ask({ hold: true }, turnstile({ hold: held }), 1_000, 5_000);
    expect(refused).toMatchObject({
      admission: { kind: 'refuse', reason: 'hold-past-deadline' },
      hold: held,
      place: undefined,
    });
    expect(ask({ hold: true }, turnstile({ hold: held }), 1_000, 5_001).admission.kind).toBe('wait');
  });

  test('comes before the gate: no probe is taken by one who has to wait', () => {
    const state = turnstile({ hold: held, gate: { ...shut, probeAt: 0 } as GateState });
    expect(ask({ hold: true, gate: true }, state, 1_000)).toMatchObject({
      admission: { kind: 'wait', why: 'hold' },
      gate: { probingSince: undefined },
    });
  });

  test('a place is kept while the gate keeps waiting', () => {
    const state = turnstile({ hold: queue, place: 0, gate: { ...shut, probeAt: 9_000 } as GateState });
    expect(ask({ ...waiting, hold: true }, state, 5_000)).toMatchObject({
      admission: { kind: 'wait', why: 'gate', delayMs: 4_250 },
      place: 0,
      hold: queue,
    });
  });
});
