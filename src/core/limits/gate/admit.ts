/** Decides whether the gate lets an attempt through now. */

import type { Admission } from '../../types.js';
import type { AdmissionRequest, Admitted, QueuePlace } from '../admission.js';
import { barred, longestPollMs } from '../admission.js';
import { passGate } from './gate.js';
import { type Kind, trialPatienceMs } from './kinds.js';
import type { Gate } from './setting.js';
import { afterTurnedAway } from './shut.js';
import type { GateAnswer } from './state.js';
import { noEpoch } from './state.js';

/**
 * How long a request waits: for the lease of a probe, for the answer of another request's probe, and for a place in the
 * ramp.
 */
export const leasePatienceMs = 50;
const probePatienceMs = 350;
const rampPatienceMs = 2_000;

const shortestPollMs = 10;

export function admitByGate(
  gate: Gate,
  request: AdmissionRequest,
  held: Admitted,
  now: number,
  deadlineAt: number,
  draw: number,
): Admitted {
  const answer = passGate(gate, request.gate, request.kind, now, draw);
  if (answer.kind === 'go') return { ...held, gate: answer.state, epoch: answer.epoch };
  if (!gate.enforce) {
    const passes = { ...held, epoch: noEpoch };
    return answer.by === 'failures' ? { ...passes, unenforced: 'gate-shut' } : passes;
  }
  const queuePlace = havingMet(held.queuePlace, answer, request.kind, now);
  const delayMs =
    gate.whenShut === 'wait' ? patientWait(queuePlace, answer, now) : shortWait(queuePlace, answer, now);
  // A wait that cannot end before the deadline does not start.
  if (delayMs === undefined || now + delayMs >= deadlineAt) {
    return barred(held, afterTurnedAway(held.gate), queuePlace, { kind: 'refuse', reason: 'gate-shut' });
  }
  const answered: Admission =
    request.waiting >= gate.maxWaiting
      ? { kind: 'refuse', reason: 'gate-full' }
      : { kind: 'wait', delayMs, why: 'gate' };
  return barred(held, held.gate, queuePlace, answered);
}

type Barred = Extract<GateAnswer, { kind: 'shut' }>;

function havingMet(queuePlace: QueuePlace, { by }: Barred, kind: Kind, now: number): QueuePlace {
  const { place, queuesUntil, metProbeAt, metRampAt } = queuePlace;
  if (by === 'ramp') {
    return metRampAt === undefined ? { ...queuePlace, metRampAt: now, kind } : queuePlace;
  }
  if (by === 'failures' || (metProbeAt !== undefined && queuePlace.kind !== undefined)) return queuePlace;
  return { place, queuesUntil, metProbeAt: metProbeAt ?? now, metRampAt, kind };
}

/** `whenShut: 'wait'`: the wait goes on until the gate opens or the deadline comes. */
function patientWait(queuePlace: QueuePlace, { by, retryInMs }: Barred, now: number): number {
  if (by === 'probe' || by === 'trial')
    return Math.min(retryInMs, poll(now - (queuePlace.metProbeAt ?? now)));
  return by === 'ramp' ? Math.min(retryInMs, poll(now - (queuePlace.metRampAt ?? now))) : retryInMs;
}

/** `whenShut: 'fail'`: a request waits only for what will be over soon, and fails otherwise. */
function shortWait({ metProbeAt, metRampAt }: QueuePlace, { by }: Barred, now: number): number | undefined {
  if (by === 'probe') return pollUntil(metProbeAt ?? now, probePatienceMs, now);
  if (by === 'trial') return pollUntil(metProbeAt ?? now, trialPatienceMs, now);
  if (by === 'lease') return pollUntil(metProbeAt ?? now, leasePatienceMs, now);
  return by === 'ramp' ? pollUntil(metRampAt ?? now, rampPatienceMs, now) : undefined;
}

function pollUntil(since: number, patienceMs: number, now: number): number | undefined {
  const leftMs = since + patienceMs - now;
  return leftMs > 0 ? Math.min(leftMs, poll(now - since)) : undefined;
}

/**
 * The next wait is as long as the request has waited so far. So it waits at most twice as long as necessary, and asks
 * only a few times.
 */
function poll(waitedMs: number): number {
  return Math.min(longestPollMs, Math.max(shortestPollMs, waitedMs));
}
