/** May this attempt be sent now? First the hold, then the gate. Pure: what it takes, it returns. */

import { passGate } from './gate.js';
import { isPaced, takePlace, timeOf } from './hold.js';
import type { Admission, Epoch, GateState, HoldState, Settings } from './types.js';

/** What the scope shares and what this request has got of it so far. */
export interface Turnstile {
  readonly gate: GateState;
  readonly hold: HoldState;
  /** Requests that wait for the gate, this one not counted. */
  readonly waiting: number;
  /** The one that this request has in the hold's queue. */
  readonly place: number | undefined;
}

export interface Admitted {
  readonly admission: Admission;
  readonly gate: GateState;
  readonly hold: HoldState;
  readonly place: number | undefined;
  /** Of the gate's state in which the attempt goes. */
  readonly epoch: Epoch;
}

/** Whether nothing stands in the way, so that there is nothing to ask for and nothing to take. */
export function isClear(settings: Settings, gate: GateState, hold: HoldState, now: number): boolean {
  return (
    (settings.gate === false || gate.kind === 'open') && (settings.hold === false || !isPaced(hold, now))
  );
}

export function admit(
  settings: Settings,
  turnstile: Turnstile,
  now: number,
  deadlineAt: number,
  draw: number,
): Admitted {
  const held = passHold(settings, turnstile, now, deadlineAt);
  if (held.admission.kind !== 'go') return held;
  const { gate } = settings;
  if (gate === false) return goes(turnstile.gate, held.hold);
  const passage = passGate(gate, turnstile.gate, now, draw);
  if (passage.kind === 'go') return goes(passage.state, held.hold);
  const delayMs = passage.retryInMs;
  // A wait that cannot end before the deadline does not start.
  const fails = gate.whenShut === 'fail' || now + delayMs >= deadlineAt;
  if (fails) return { ...held, admission: { kind: 'refuse', reason: 'gate-shut' } };
  if (turnstile.waiting >= gate.maxWaiting) {
    return { ...held, admission: { kind: 'refuse', reason: 'gate-full' } };
  }
  return { ...held, admission: { kind: 'wait', delayMs, why: 'gate' } };
}

/** Whoever goes has used its place: a retry queues again. */
function goes(gate: GateState, hold: HoldState): Admitted {
  return { admission: go, gate, hold, place: undefined, epoch: gate.epoch };
}

export const go: Admission = Object.freeze({ kind: 'go' });

function passHold(settings: Settings, turnstile: Turnstile, now: number, deadlineAt: number): Admitted {
  const { gate, hold } = turnstile;
  const passes: Admitted = { admission: go, gate, hold, place: turnstile.place, epoch: gate.epoch };
  if (settings.hold === false || !isPaced(hold, now)) return passes;
  const { place, state } =
    turnstile.place === undefined ? takePlace(hold, now) : { place: turnstile.place, state: hold };
  const at = timeOf(state, place);
  if (at <= now) return { ...passes, hold: state, place };
  if (at >= deadlineAt) return { ...passes, admission: { kind: 'refuse', reason: 'hold-past-deadline' } };
  return { ...passes, admission: { kind: 'wait', delayMs: at - now, why: 'hold' }, hold: state, place };
}
