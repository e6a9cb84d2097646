/** May this attempt be sent now? First the hold, then the gate. Pure: what it takes, it returns. */

import type { Gate, Hold } from '../policy/limits.js';
import type { Settings } from '../policy/settings.js';
import type { Admission, Claim, Epoch, GateState, HoldState, RefusalReason } from '../types.js';
import type { Passage } from './gate.js';
import { passGate } from './gate.js';
import { givePlaceBack, isPaced, takePlace, timeOf } from './hold.js';

/** What the scope shares and what this request has got of it so far. */
export interface Turnstile {
  readonly gate: GateState;
  readonly hold: HoldState;
  /** Requests that wait for the gate, this one not counted. */
  readonly waiting: number;
  readonly claim: Claim;
  /** It was decided that it may try again, and its answer is gone: it waits as long as its deadline lets it. */
  readonly isRetry: boolean;
}

export interface Admitted {
  readonly admission: Admission;
  readonly gate: GateState;
  readonly hold: HoldState;
  readonly claim: Claim;
  /** Of the gate's state in which the attempt goes. */
  readonly epoch: Epoch;
  /** It goes, but only because what would have refused it is not enforced. */
  readonly unenforced?: RefusalReason;
}

export const go: Admission = Object.freeze({ kind: 'go' });

/** Nothing yet. */
export const noClaim: Claim = Object.freeze({
  place: undefined,
  queuesUntil: Number.POSITIVE_INFINITY,
  metProbeAt: undefined,
  metRampAt: undefined,
});

/** Of attempts that were let through although they have no place: nothing is given back for them. */
export const noEpoch: Epoch = -1;

/** How long a request waits for the answer of a probe that it meets, and for a place in the ramp, at most. */
const probePatienceMs = 250;
const rampPatienceMs = 2_000;

/** Requests that wait ask again from time to time, because it may go faster than it seemed. */
const shortestPollMs = 10;
const longestPollMs = 100;
const pollsOfQueue = 8;

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
  const { gate, hold } = settings;
  const held = hold === false ? passing(turnstile) : passHold(hold, turnstile, now, deadlineAt);
  if (held.admission.kind !== 'go') return held;
  const admitted = gate === false ? held : passingGate(gate, turnstile, held, now, deadlineAt, draw);
  if (admitted.admission.kind === 'go') return { ...admitted, claim: noClaim };
  return admitted.admission.kind === 'refuse' ? withoutPlace(admitted, now) : admitted;
}

function passing({ gate, hold, claim }: Turnstile): Admitted {
  return { admission: go, gate, hold, claim, epoch: gate.epoch };
}

function refusing(admitted: Admitted, reason: RefusalReason): Admitted {
  return { ...admitted, admission: { kind: 'refuse', reason } };
}

/** A request that is refused leaves the queue. */
function withoutPlace(admitted: Admitted, now: number): Admitted {
  const { hold, claim } = admitted;
  if (claim.place === undefined) return admitted;
  return { ...admitted, hold: givePlaceBack(hold, claim.place, now), claim: noClaim };
}

// ---------------------------------------------------------------- the hold

function passHold(hold: Hold, turnstile: Turnstile, now: number, deadlineAt: number): Admitted {
  const passes = passing(turnstile);
  if (!isPaced(turnstile.hold, now)) return passes;
  const { claim, state } = claimed(hold, turnstile, now, deadlineAt);
  const at = timeOf(state, claim.place);
  const admitted: Admitted = { ...passes, hold: state, claim };
  if (at <= now) return admitted;
  // The place of a newcomer comes up too late; or time is over, because others were told to wait longer.
  const isNew = turnstile.claim.place === undefined;
  const isTooLate = at >= deadlineAt || (isNew ? at > claim.queuesUntil : now >= claim.queuesUntil);
  if (!hold.enforce) return isTooLate ? { ...passes, unenforced: 'held' } : admitted;
  if (isTooLate) return isNew ? refusing(passes, 'held') : withoutPlace(refusing(admitted, 'held'), now);
  const delayMs = Math.min(untilNextLook(state, at, now), claim.queuesUntil - now);
  return { ...admitted, admission: { kind: 'wait', delayMs, why: 'hold' } };
}

type Placed = Claim & { readonly place: number };

function claimed(
  hold: Hold,
  { hold: state, claim, isRetry }: Turnstile,
  now: number,
  deadlineAt: number,
): { readonly claim: Placed; readonly state: HoldState } {
  const { place } = claim;
  if (place !== undefined) return { claim: { ...claim, place }, state };
  const taken = takePlace(state, now);
  const queuesUntil = isRetry ? Number.POSITIVE_INFINITY : now + longestQueue(hold, deadlineAt - now);
  return { claim: { ...claim, place: taken.place, queuesUntil }, state: taken.state };
}

/** Half of the time that is left, so that what is sent has the other half; or what the setting says. */
export function longestQueue({ maxQueueMs }: Hold, leftMs: number): number {
  return maxQueueMs ?? Math.max(0, leftMs) / 2;
}

/** No place comes up before the window is over; then, others may leave, and the pace may change. */
function untilNextLook({ until }: HoldState, at: number, now: number): number {
  const windowMs = Math.max(0, until - now);
  const queueMs = at - now - windowMs;
  return windowMs + Math.min(queueMs, Math.max(longestPollMs, queueMs / pollsOfQueue));
}

/** How long a retry that begins to wait now would have to, if it came at once. */
export function queueMs(hold: Hold, state: HoldState, now: number): number {
  if (!hold.enforce || !isPaced(state, now)) return 0;
  const { place, state: taken } = takePlace(state, now);
  return Math.max(0, timeOf(taken, place) - now);
}

// ---------------------------------------------------------------- the gate

function passingGate(
  gate: Gate,
  turnstile: Turnstile,
  held: Admitted,
  now: number,
  deadlineAt: number,
  draw: number,
): Admitted {
  const passage = passGate(gate, turnstile.gate, now, draw);
  if (passage.kind === 'go') return { ...held, gate: passage.state, epoch: passage.state.epoch };
  if (!gate.enforce) {
    const passes = { ...held, epoch: noEpoch };
    return passage.by === 'failures' ? { ...passes, unenforced: 'gate-shut' } : passes;
  }
  const claim = claimMet(held.claim, passage, now);
  const delayMs =
    gate.whenShut === 'wait' ? patientWait(claim, passage, now) : shortWait(claim, passage, now);
  const met: Admitted = { ...held, claim };
  // A wait that cannot end before the deadline does not start.
  if (delayMs === undefined || now + delayMs >= deadlineAt) return refusing(met, 'gate-shut');
  if (turnstile.waiting >= gate.maxWaiting) return refusing(met, 'gate-full');
  return { ...met, admission: { kind: 'wait', delayMs, why: 'gate' } };
}

type Barred = Extract<Passage, { kind: 'shut' }>;

function claimMet(claim: Claim, { by }: Barred, now: number): Claim {
  if (by === 'probe') return { ...claim, metProbeAt: claim.metProbeAt ?? now };
  return by === 'ramp' ? { ...claim, metRampAt: claim.metRampAt ?? now } : claim;
}

/** As long as it takes, or as the deadline says. */
function patientWait(claim: Claim, { by, retryInMs }: Barred, now: number): number {
  if (by === 'probe') return Math.min(retryInMs, poll(now - (claim.metProbeAt ?? now)));
  return by === 'ramp' ? Math.min(retryInMs, poll(now - (claim.metRampAt ?? now))) : retryInMs;
}

/** Only for what is over soon. */
function shortWait({ metProbeAt, metRampAt }: Claim, { by }: Barred, now: number): number | undefined {
  if (by === 'probe') return pollUntil(metProbeAt ?? now, probePatienceMs, now);
  return by === 'ramp' ? pollUntil(metRampAt ?? now, rampPatienceMs, now) : undefined;
}

function pollUntil(since: number, patienceMs: number, now: number): number | undefined {
  const leftMs = since + patienceMs - now;
  return leftMs > 0 ? Math.min(leftMs, poll(now - since)) : undefined;
}

/** As long again as it has waited: it waits twice as long as it had to at most, and asks only a few times. */
function poll(waitedMs: number): number {
  return Math.min(longestPollMs, Math.max(shortestPollMs, waitedMs));
}
