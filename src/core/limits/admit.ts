/**
 * Decides whether an attempt may be sent now: first the hold, then the gate. Pure: what the attempt takes is in the
 * state that is returned.
 */

import type { Settings } from '../policy/settings.js';
import { admitByGate } from './gate/admit.js';
import type { GateState } from './gate/state.js';
import { admitByHold } from './hold/admit.js';
import { isPaced } from './hold/queue.js';
import type { HoldState } from './hold/state.js';
import type { Admitted, Turnstile } from './turnstile.js';
import { noClaim, passing, withoutPlace } from './turnstile.js';

/** Whether neither the gate nor the hold is in the way, so that there is nothing to ask for and nothing to take. */
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
  const { gate, hold } = settings;
  const held = hold === false ? passing(turnstile) : admitByHold(hold, turnstile, now, deadlineAt);
  if (held.admission.kind !== 'go') return held;
  const admitted = gate === false ? held : admitByGate(gate, turnstile, held, now, deadlineAt, draw);
  if (admitted.admission.kind === 'go') return { ...admitted, claim: noClaim };
  return admitted.admission.kind === 'refuse' ? withoutPlace(admitted, now) : admitted;
}
