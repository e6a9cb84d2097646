/** Decides whether the hold lets an attempt through now. */

import type { AdmissionRequest, Admitted, QueuePlace } from '../admission.js';
import { longestPollMs, noQueuePlace, passing, refusing, withoutPlace } from '../admission.js';
import { isPaced, takeLeased, takePlace, timeOf } from './queue.js';
import type { Hold } from './setting.js';
import type { HoldState } from './state.js';

/** About how often a request asks again while it is in the queue. */
const pollsOfQueue = 8;

export function admitByHold(
  hold: Hold,
  request: AdmissionRequest,
  now: number,
  deadlineAt: number,
): Admitted {
  const passes = passing(request);
  if (!isPaced(request.hold, now)) return drained(request, passes, now, deadlineAt);
  const isNew =
    request.queuePlace.queuesUntil === noQueuePlace.queuesUntil && request.queuePlace.place === undefined;
  if (isNew && request.queued >= hold.maxWaiting) {
    return hold.enforce ? refusing(passes, 'held') : { ...passes, unenforced: 'held' };
  }
  const { leased } = request.hold;
  if (leased !== undefined && request.queuePlace.place === undefined) {
    return admitByFleet(hold, request, leased, now, deadlineAt);
  }
  const { queuePlace, state } = claimed(hold, request, now, deadlineAt);
  return admitAt(hold, request, { ...passes, hold: state, queuePlace }, queuePlace.place, now, deadlineAt);
}

/** All may go, and those that waited follow each other. */
function drained(
  { hold, queuePlace }: AdmissionRequest,
  passes: Admitted,
  now: number,
  deadlineAt: number,
): Admitted {
  if (queuePlace.place === undefined) return passes;
  const at = Math.min(timeOf(hold, queuePlace.place), queuePlace.queuesUntil);
  if (at <= now || at >= deadlineAt) return passes;
  return { ...passes, queuePlace, admission: { kind: 'wait', delayMs: at - now, why: 'hold' } };
}

/** Admits a request that has a place. */
function admitAt(
  hold: Hold,
  request: AdmissionRequest,
  admitted: Admitted,
  place: number,
  now: number,
  deadlineAt: number,
): Admitted {
  const passes = passing(request);
  const { hold: state, queuePlace } = admitted;
  const at = turnOf(state, place, now);
  if (at <= now) return admitted;
  // The place of a new request comes up too late, or the time of a waiting one is over because others have been told to
  // wait longer.
  const isNew = request.queuePlace.place === undefined;
  const isTooLate = at >= deadlineAt || (isNew ? at > queuePlace.queuesUntil : now >= queuePlace.queuesUntil);
  if (!hold.enforce) return isTooLate ? { ...passes, unenforced: 'held' } : admitted;
  // A trial may be in vain, so that no request may be refused because of it.
  if (isTooLate && state.phase === 'trial')
    return isNew ? passes : { ...withoutPlace(admitted, now), queuePlace: noQueuePlace };
  if (isTooLate) return isNew ? refusing(passes, 'held') : withoutPlace(refusing(admitted, 'held'), now);
  const delayMs = Math.min(untilNextLook(state, at, now), queuePlace.queuesUntil - now);
  return { ...admitted, admission: { kind: 'wait', delayMs, why: 'hold' } };
}

/** How often a request checks whether the store has given it a place. */
const leasePollMs = 50;

/**
 * Admits a request to the queue of a fleet: it takes a free place of this process, or waits until the store gives one.
 */
function admitByFleet(
  hold: Hold,
  request: AdmissionRequest,
  leased: readonly number[],
  now: number,
  deadlineAt: number,
): Admitted {
  const passes = passing(request);
  const { queuePlace: before } = request;
  const isNew = before.queuesUntil === noQueuePlace.queuesUntil;
  const queuesUntil = isNew ? queueEnd(hold, request, now, deadlineAt) : before.queuesUntil;
  const { place, state } = takeLeased(request.hold, leased, now);
  const queuePlace = { ...before, place, queuesUntil };
  const admitted: Admitted = { ...passes, hold: state, queuePlace };
  if (place !== undefined) return admitAt(hold, request, admitted, place, now, deadlineAt);
  // The time of the first place that may be free: a place from the store comes up no earlier.
  const at = turnOf(state, state.nextPlace, now);
  if (at >= deadlineAt || at > queuesUntil || now >= queuesUntil) {
    if (state.phase === 'trial') return passes;
    return hold.enforce ? refusing(passes, 'held') : { ...passes, unenforced: 'held' };
  }
  // No place comes up before the window is over.
  const delayMs = Math.min(Math.max(leasePollMs, state.until - now), queuesUntil - now, deadlineAt - now);
  return { ...admitted, admission: { kind: 'wait', delayMs, why: 'hold' } };
}

/** When a request can go at the latest, as far as is known: in a trial at its end, whatever comes of it. */
function turnOf(state: HoldState, place: number, now: number): number {
  const at = timeOf(state, place);
  const isTried = state.phase === 'trial' || state.phase === 'check';
  // In a fleet, it is over when that is known.
  return isTried ? Math.min(at, Math.max(state.dueAt, now + longestPollMs)) : at;
}

type Placed = QueuePlace & { readonly place: number };

function claimed(
  hold: Hold,
  request: AdmissionRequest,
  now: number,
  deadlineAt: number,
): { readonly queuePlace: Placed; readonly state: HoldState } {
  const { hold: state, queuePlace } = request;
  if (hasPlace(queuePlace)) return { queuePlace, state };
  const taken = takePlace(state, now);
  const queuesUntil = queueEnd(hold, request, now, deadlineAt);
  return { queuePlace: { ...queuePlace, place: taken.place, queuesUntil }, state: taken.state };
}

function hasPlace(queuePlace: QueuePlace): queuePlace is Placed {
  return queuePlace.place !== undefined;
}

/** The longest time in the queue without a deadline. */
const longestQueueMs = 30_000;

/** The answer before a retry is gone, so it queues as long as its deadline allows. */
function queueEnd(
  hold: Hold,
  { isRetry, hold: { until } }: AdmissionRequest,
  now: number,
  deadlineAt: number,
): number {
  const isTimed = deadlineAt < Infinity;
  if (isRetry && isTimed) return Infinity;
  if (hold.maxQueueMs === undefined && !isTimed) return Math.max(now, until) + longestQueueMs;
  return now + longestQueue(hold, deadlineAt - now);
}

/**
 * How long a request may queue: `maxQueueMs`, or half of the time that is left, so that the attempt has the other half.
 */
function longestQueue({ maxQueueMs }: Hold, leftMs: number): number {
  return maxQueueMs ?? Math.max(0, leftMs) / 2;
}

/**
 * When to look again. No place comes up before the window is over; after it, requests may leave and the pace may
 * change.
 */
function untilNextLook({ until }: HoldState, at: number, now: number): number {
  const windowMs = Math.max(0, until - now);
  const queueMs = at - now - windowMs;
  return windowMs + Math.min(queueMs, Math.max(longestPollMs, queueMs / pollsOfQueue));
}

/** Whether a retry would queue for too long: then the caller gets the response that is there, instead of none in the end. */
export function queuesTooLong(hold: Hold, queueMs: number, delayMs: number, leftMs: number): boolean {
  if (queueMs <= delayMs) return false;
  return queueMs >= leftMs || queueMs - delayMs > longestQueue(hold, leftMs - delayMs);
}

/** How long a retry would have to queue if it joined the queue now. */
export function queueMs(hold: Hold, state: HoldState, now: number): number {
  if (!hold.enforce || !isPaced(state, now)) return 0;
  const { place, state: taken } = takePlace(state, now);
  return Math.max(0, turnOf(taken, place, now) - now);
}
