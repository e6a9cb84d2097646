/** Decides whether an attempt may be sent now. Pure: what the attempt takes is in the state that is returned. */

import type { Settings } from '../policy/settings.js';
import { type AskedFirst, orderOfAdmission } from './all.js';
import { admitByGate } from './gate/admit.js';
import { admitByHold } from './hold/admit.js';
import type { Admitted, Turnstile } from './turnstile.js';
import { noClaim, passing, withoutPlace } from './turnstile.js';

/** `before`: what the limits that were asked earlier have given. */
type Ask = (
  settings: Settings,
  turnstile: Turnstile,
  before: Admitted,
  now: number,
  deadlineAt: number,
  draw: number,
) => Admitted;

const asked: Readonly<Record<AskedFirst, Ask>> = {
  hold: ({ hold }, turnstile, before, now, deadlineAt) =>
    hold === false ? before : admitByHold(hold, turnstile, now, deadlineAt),
  gate: ({ gate }, turnstile, before, now, deadlineAt, draw) =>
    gate === false ? before : admitByGate(gate, turnstile, before, now, deadlineAt, draw),
};

export function admit(
  settings: Settings,
  turnstile: Turnstile,
  now: number,
  deadlineAt: number,
  draw: number,
): Admitted {
  let admitted = passing(turnstile);
  for (const name of orderOfAdmission) {
    admitted = asked[name](settings, turnstile, admitted, now, deadlineAt, draw);
    if (admitted.admission.kind === 'refuse') return withoutPlace(admitted, now);
    if (admitted.admission.kind === 'wait') return admitted;
  }
  return { ...admitted, claim: noClaim };
}
