/**
 * Asks the limits of a scope whether an attempt may be sent now. An admission may take something: a probe, a place in the
 * ramp, or a place in the queue of the hold.
 */

import { admit as decideOn } from '../../core/limits/admit.js';
import type { Epoch } from '../../core/limits/gate/state.js';
import { openGate } from '../../core/limits/gate/state.js';
import { noHold } from '../../core/limits/hold/state.js';
import { go, noClaim } from '../../core/limits/turnstile.js';
import type { Admission, RefusalReason } from '../../core/types.js';
import type { Turn } from '../turn.js';
import { isClear } from './clear.js';
import type { Asking } from './gate.js';
import type { Limits } from './limits.js';

export function admit(
  limits: Limits,
  asking: Asking,
  turn: Turn,
  deadlineAt: number,
  isRetry: boolean,
): Admission {
  const { scope, gate, hold } = limits;
  const now = scope.ports.now();
  if (!isClear(limits, now)) return ask(limits, asking, turn, deadlineAt, isRetry, now);
  hold?.setQueued(turn, false);
  return letThrough(limits, turn, gate === undefined ? openGate.epoch : gate.state.epoch, now);
}

function ask(
  limits: Limits,
  asking: Asking,
  turn: Turn,
  deadlineAt: number,
  isRetry: boolean,
  now: number,
): Admission {
  const { scope, settings, gate, hold } = limits;
  const holdBefore = hold === undefined ? noHold : hold.state;
  const turnstile = {
    gate: gate === undefined ? openGate : gate.state,
    hold: holdBefore,
    kind: gate === undefined ? 0 : gate.kindOf(asking),
    waiting: scope.waiting - (turn.isWaiting ? 1 : 0),
    queued: scope.queued - (turn.isHeld ? 1 : 0),
    claim: turn.claim,
    isRetry,
  };
  const admitted = decideOn(settings, turnstile, now, deadlineAt, scope.ports.random());
  if (gate !== undefined) gate.state = admitted.gate;
  if (hold !== undefined) hold.state = admitted.hold;
  const { admission, claim, epoch, unenforced } = admitted;
  if (admission.kind === 'refuse') refuse(limits, turn, admission.reason, true);
  if (admission.kind === 'go') {
    if (unenforced !== undefined) refuse(limits, turn, unenforced, false);
    hold?.sent(turn, holdBefore, now);
    return letThrough(limits, turn, epoch, now);
  }
  turn.claim = claim;
  setWaiting(limits, turn, admission.kind === 'wait' ? admission.why : undefined);
  askFleet(limits, turn, admission, deadlineAt, now);
  return admission;
}

/** The request waits for something that only the fleet can give: the lease of a probe, or a place in the queue. */
function askFleet(
  { settings, gate, hold }: Limits,
  turn: Turn,
  admission: Admission,
  deadlineAt: number,
  now: number,
): void {
  const why = admission.kind === 'wait' ? admission.why : undefined;
  if (why === 'gate') gate?.waits(settings.attemptTimeoutMs, now);
  const { place, queuesUntil } = turn.claim;
  const isQueued = why === 'hold' && place === undefined;
  hold?.setQueued(turn, isQueued, Math.min(queuesUntil, deadlineAt) - now);
}

function refuse({ scope }: Limits, turn: Turn, reason: RefusalReason, enforced: boolean): void {
  scope.refused[reason] += 1;
  turn.refused = { reason, enforced };
}

/** The turn keeps the epoch, because only an attempt that was let through has something to give back to the gate. */
function letThrough(limits: Limits, turn: Turn, epoch: Epoch, now: number): Admission {
  turn.epoch = epoch;
  turn.sentAt = now;
  turn.claim = noClaim;
  setWaiting(limits, turn, undefined);
  return go;
}

/** The request stops waiting. */
export function leave(limits: Limits, turn: Turn): void {
  setWaiting(limits, turn, undefined);
  limits.hold?.leave(turn);
  turn.claim = noClaim;
}

function setWaiting({ scope }: Limits, turn: Turn, why: 'gate' | 'hold' | undefined): void {
  scope.waiting += Number(why === 'gate') - Number(turn.isWaiting);
  scope.queued += Number(why === 'hold') - Number(turn.isHeld);
  turn.isWaiting = why === 'gate';
  turn.isHeld = why === 'hold';
}
