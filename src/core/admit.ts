/** May this attempt be sent now? First the hold, then the gate. Pure: what it takes, it returns. */

import { passGate } from './gate.js';
import { placeHolds, takePlace } from './hold.js';
import type { Admission, Epoch, GateState, HoldState, Settings } from './types.js';

/** What the scope shares and what this request has got of it so far. */
export interface Turnstile {
  readonly gate: GateState;
  readonly hold: HoldState;
  /** Requests that wait for the gate, this one not counted. */
  readonly waiting: number;
  /** The place that this request took in the queue behind a hold. */
  readonly placeAt: number | undefined;
}

export interface Admitted {
  readonly admission: Admission;
  readonly gate: GateState;
  readonly hold: HoldState;
  readonly placeAt: number | undefined;
  /** Of the gate's state in which the attempt goes. */
  readonly epoch: Epoch;
}

export function admit(
  settings: Settings,
  turnstile: Turnstile,
  now: number,
  deadlineAt: number,
  draw: number,
): Admitted {
  const held = passHold(settings, turnstile, now, deadlineAt);
  if (held.admission.kind !== 'go' || settings.gate === false) return held;
  const { gate } = settings;
  const passage = passGate(gate, turnstile.gate, now, draw);
  if (passage.kind === 'go') return { ...held, gate: passage.state, epoch: passage.state.epoch };
  const delayMs = passage.retryInMs;
  // A wait that cannot end before the deadline does not start.
  const fails = gate.whenShut === 'fail' || now + delayMs >= deadlineAt;
  if (fails) return { ...held, admission: { kind: 'refuse', reason: 'gate-shut' } };
  if (turnstile.waiting >= gate.maxWaiting) {
    return { ...held, admission: { kind: 'refuse', reason: 'gate-full' } };
  }
  return { ...held, admission: { kind: 'wait', delayMs, why: 'gate' } };
}

function passHold(settings: Settings, turnstile: Turnstile, now: number, deadlineAt: number): Admitted {
  const { gate, hold, placeAt } = turnstile;
  const go: Admitted = { admission: { kind: 'go' }, gate, hold, placeAt, epoch: gate.epoch };
  if (settings.hold === false) return go;
  const place =
    // Stryker disable next-line ConditionalExpression: a comparison with undefined is false.
    placeAt !== undefined && placeHolds(hold, placeAt) ? { at: placeAt, state: hold } : takePlace(hold, now);
  if (place.at <= now) return { ...go, hold: place.state, placeAt: place.at };
  if (place.at >= deadlineAt) return { ...go, admission: { kind: 'refuse', reason: 'hold-past-deadline' } };
  const admission: Admission = { kind: 'wait', delayMs: place.at - now, why: 'hold' };
  return { ...go, admission, hold: place.state, placeAt: place.at };
}
