/**
 * Asks the limits of a scope whether an attempt may be sent now. An admission may take something: a probe, a place in the
 * ramp, or a place in the queue of the hold.
 */

import { admit as decideOn } from '../../core/limits/ask.js';
import type { Epoch } from '../../core/limits/gate/state.js';
import { openGate } from '../../core/limits/gate/state.js';
import { noHold } from '../../core/limits/hold/state.js';
import { go, noClaim } from '../../core/limits/turnstile.js';
import type { Admission, RefusalReason } from '../../core/types.js';
import { isClear } from './clear.js';
import type { Asking } from './gate.js';
import type { Limits } from './limits.js';
import { isAsking, noteRefusal, type Permit, permitWith } from './permit.js';

export function admit(
  limits: Limits,
  asking: Asking,
  permit: Permit,
  deadlineAt: number,
  isRetry: boolean,
): Admission {
  const { scope, gate, hold } = limits;
  const now = scope.ports.now();
  if (!isClear(limits, now)) return ask(limits, asking, permit, deadlineAt, isRetry, now);
  hold?.setQueued(permit, false);
  return letThrough(limits, permit, gate === undefined ? openGate.epoch : gate.state.epoch, now);
}

function ask(
  limits: Limits,
  asking: Asking,
  permit: Permit,
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
    waiting: scope.waiting - (permit.state === 'waits' ? 1 : 0),
    queued: scope.queued - (permit.state === 'queues' ? 1 : 0),
    claim: permit.claim,
    isRetry,
  };
  const admitted = decideOn(settings, turnstile, now, deadlineAt, scope.ports.random());
  if (gate !== undefined) gate.state = admitted.gate;
  if (hold !== undefined) hold.state = admitted.hold;
  const { admission, claim, epoch, unenforced } = admitted;
  if (admission.kind === 'refuse') refuse(limits, permit, admission.reason, true);
  if (admission.kind === 'go') {
    if (unenforced !== undefined) refuse(limits, permit, unenforced, false);
    hold?.sent(permit, holdBefore, now);
    return letThrough(limits, permit, epoch, now);
  }
  permit.claim = claim;
  enter(limits, permit, stateIn(admission));
  askFleet(limits, permit, admission, deadlineAt, now);
  return admission;
}

/** The request waits for something that only the fleet can give: the lease of a probe, or a place in the queue. */
function askFleet(
  { settings, gate, hold }: Limits,
  permit: Permit,
  admission: Admission,
  deadlineAt: number,
  now: number,
): void {
  const why = admission.kind === 'wait' ? admission.why : undefined;
  if (why === 'gate') gate?.waits(settings.attemptTimeoutMs, now);
  const { place, queuesUntil } = permit.claim;
  const isQueued = why === 'hold' && place === undefined;
  hold?.setQueued(permit, isQueued, Math.min(queuesUntil, deadlineAt) - now);
}

function refuse({ scope }: Limits, permit: Permit, reason: RefusalReason, enforced: boolean): void {
  scope.refused[reason] += 1;
  noteRefusal(permit, { reason, enforced });
}

/** The permit keeps the epoch, because only an attempt that was let through has something to give back to the gate. */
function letThrough(limits: Limits, permit: Permit, epoch: Epoch, now: number): Admission {
  permit.epoch = epoch;
  permit.sentAt = now;
  permit.claim = noClaim;
  enter(limits, permit, 'is out');
  return go;
}

/**
 * The permit of a hedge; undefined if its settings ask for none. A hedge never waits: it is only sent where every limit is
 * at ease, so it takes what it needs at once.
 */
export function admitHedge(limits: Limits, first: Permit | undefined, now: number): Permit | undefined {
  const { settings, gate } = limits;
  if (!settings.needsAdmission) return undefined;
  const permit = permitWith(first?.past);
  letThrough(limits, permit, gate === undefined ? openGate.epoch : gate.state.epoch, now);
  return permit;
}

/** The attempt is over, so it occupies nothing any more. To say so again changes nothing. */
export function end(limits: Limits, permit: Permit): void {
  if (!isAsking(permit)) enter(limits, permit, 'is over');
}

/** The attempt is over, and nothing will be said of how it ended. */
export function giveBack(limits: Limits, asking: Asking, permit: Permit): void {
  limits.gate?.takeBack(asking, permit);
  end(limits, permit);
}

/** The request stops waiting. */
export function leave(limits: Limits, permit: Permit): void {
  if (isAsking(permit)) enter(limits, permit, 'asks');
  limits.hold?.leave(permit);
  permit.claim = noClaim;
}

function stateIn(admission: Admission): Permit['state'] {
  if (admission.kind !== 'wait') return 'asks';
  return admission.why === 'gate' ? 'waits' : 'queues';
}

function enter({ scope }: Limits, permit: Permit, state: Permit['state']): void {
  if (state === permit.state) return;
  scope.waiting += Number(state === 'waits') - Number(permit.state === 'waits');
  scope.queued += Number(state === 'queues') - Number(permit.state === 'queues');
  scope.out += Number(state === 'is out') - Number(permit.state === 'is out');
  permit.state = state;
}
