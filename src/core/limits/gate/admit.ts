/** Decides whether the gate lets an attempt through now. */

import type { Admitted, Claim, Turnstile } from '../turnstile.js';
import { longestPollMs, refusing } from '../turnstile.js';
import { passGate } from './gate.js';
import { trialPatienceMs } from './kinds.js';
import type { Gate } from './setting.js';
import { afterTurnedAway } from './shut.js';
import type { Passage } from './state.js';
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
  turnstile: Turnstile,
  held: Admitted,
  now: number,
  deadlineAt: number,
  draw: number,
): Admitted {
  const passage = passGate(gate, turnstile.gate, turnstile.kind, now, draw);
  if (passage.kind === 'go') return { ...held, gate: passage.state, epoch: passage.epoch };
  if (!gate.enforce) {
    const passes = { ...held, epoch: noEpoch };
    return passage.by === 'failures' ? { ...passes, unenforced: 'gate-shut' } : passes;
  }
  const claim = claimMet(held.claim, passage, now);
  const delayMs =
    gate.whenShut === 'wait' ? patientWait(claim, passage, now) : shortWait(claim, passage, now);
  const met: Admitted = { ...held, claim };
  // A wait that cannot end before the deadline does not start.
  if (delayMs === undefined || now + delayMs >= deadlineAt) {
    return refusing({ ...met, gate: afterTurnedAway(met.gate) }, 'gate-shut');
  }
  if (turnstile.waiting >= gate.maxWaiting) return refusing(met, 'gate-full');
  return { ...met, admission: { kind: 'wait', delayMs, why: 'gate' } };
}

type Barred = Extract<Passage, { kind: 'shut' }>;

function claimMet(claim: Claim, { by }: Barred, now: number): Claim {
  if (by === 'probe' || by === 'lease' || by === 'trial')
    return { ...claim, metProbeAt: claim.metProbeAt ?? now };
  return by === 'ramp' ? { ...claim, metRampAt: claim.metRampAt ?? now } : claim;
}

/** `whenShut: 'wait'`: the wait goes on until the gate opens or the deadline comes. */
function patientWait(claim: Claim, { by, retryInMs }: Barred, now: number): number {
  if (by === 'probe' || by === 'trial') return Math.min(retryInMs, poll(now - (claim.metProbeAt ?? now)));
  return by === 'ramp' ? Math.min(retryInMs, poll(now - (claim.metRampAt ?? now))) : retryInMs;
}

/** `whenShut: 'fail'`: a request waits only for what will be over soon, and fails otherwise. */
function shortWait({ metProbeAt, metRampAt }: Claim, { by }: Barred, now: number): number | undefined {
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
