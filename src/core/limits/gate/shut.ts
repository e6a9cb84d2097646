/** The shut gate: single probes find out whether the server is back. */

import type { Sign } from '../signs.js';
import { isFailure } from '../signs.js';
import type { Kind } from './kinds.js';
import { afterTrial, onTrial, trialOf, withKind } from './kinds.js';
import { isSoon, ramp } from './ramping.js';
import type { Gate } from './setting.js';
import type { GateAnswer, GateState, GateTicket, Shut } from './state.js';
import { around, noEpoch } from './state.js';
import { afterSurvived } from './survived.js';

/**
 * A probe that is not answered may be lost, so it does not hold back the next one for long: for an eighth of an interval
 * for each that is out, up to this many intervals. An answer may never come, and nothing may tell so.
 */
const shareForEach = 1 / 8;
const patientIntervals = 5;
const mostProbes = patientIntervals / shareForEach;

/**
 * A server that is stopped may keep what it got, and has to work through it when it goes on. So unanswered probes are
 * also as far apart as this share of the time for which the gate has been shut.
 */
const shareOfOutage = 1 / 32;

/**
 * Any sign of life reopens the gate, also one from an earlier attempt. A failure only says that its probe is over: when
 * the next one goes was settled when the last one was sent.
 */
export function afterSignWhenShut(
  gate: Gate,
  given: Shut,
  ticket: GateTicket,
  sign: Sign,
  kind: Kind,
  now: number,
): GateState {
  const { epoch, failures } = given;
  if (sign === 'alive' || sign === 'answers') {
    const well = sign === 'alive' && isSoon(gate, ticket, now) ? [kind] : [];
    return ramp(given, afterSurvived(given.survived, failures, now), now, well);
  }
  const state = isFailure(sign) ? afterFailure(given, kind, now) : given;
  if (ticket.epoch !== epoch || !state.probes.includes(ticket.sentAt)) return state;
  const probes = state.probes.filter((sentAt) => sentAt !== ticket.sentAt);
  if (ticket.sentAt !== lastOut(state)) return { ...state, probes };
  // A probe that says nothing leaves its place to the next one.
  const probeAt = sign === 'neutral' ? now : state.probeAt;
  return { ...state, probes, probeAt, idleSince: now, turnedAway: 0 };
}

function afterFailure(state: Shut, kind: Kind, now: number): Shut {
  const tried = afterTrial(state.tried, kind, now);
  const failing = state.failing && withKind(state.failing, kind);
  return tried === state.tried && failing === state.failing ? state : { ...state, tried, failing };
}

/** A probe may pass when it is time for one, and apart from that, a kind of request that was not seen to fail. */
export function passWhenShut(gate: Gate, state: Shut, kind: Kind, now: number, draw: number): GateAnswer {
  const answer = passToProbe(gate, state, now, draw);
  if (answer.kind === 'go') return answer;
  const trial = trialOf(gate, state, kind, now);
  if (trial === 'known') return answer;
  if (trial === 'wait') return { kind: 'shut', by: 'trial', retryInMs: around(gate.probeMs / 4, draw) };
  return { kind: 'go', state: { ...state, tried: onTrial(state.tried, kind, now) }, epoch: noEpoch };
}

function passToProbe(gate: Gate, state: Shut, now: number, draw: number): GateAnswer {
  const leftMs = isEarlyProbeDue(gate, state, now) ? 0 : dueAt(gate, state) - now;
  if (leftMs > 0) return barred(gate, state, leftMs, now, draw);
  if (state.leaseUntil !== undefined && now >= state.leaseUntil) {
    return { kind: 'shut', by: 'lease', retryInMs: leaseRetryMs };
  }
  return { kind: 'go', state: probing(gate, state, now, draw), epoch: state.epoch };
}

/** The answer of a probe may come at any time. But if it takes longer than an interval, it is not worth waiting for. */
function barred(gate: Gate, state: Shut, leftMs: number, now: number, draw: number): GateAnswer {
  const jitterMs = around(gate.probeMs / 4, draw);
  const sentAt = lastOut(state);
  return sentAt !== undefined && now - sentAt < gate.probeMs
    ? { kind: 'shut', by: 'probe', retryInMs: jitterMs }
    : { kind: 'shut', by: 'failures', retryInMs: leftMs + jitterMs };
}

function probing(gate: Gate, state: Shut, now: number, draw: number): Shut {
  const probes = [...state.probes, now].slice(-mostProbes);
  const probeAt = now + around(gate.probeMs, draw);
  const lease = state.leaseUntil === undefined ? {} : { leaseUntil: noLease };
  return { ...state, probes, probeAt, turnedAway: 0, ...lease };
}

/** When the last probe was sent, if it is out. */
function lastOut({ probes, idleSince }: Shut): number | undefined {
  const sentAt = probes.at(-1);
  return sentAt !== undefined && sentAt >= idleSince ? sentAt : undefined;
}

function dueAt(gate: Gate, state: Shut): number {
  const sentAt = state.probes.at(-1);
  if (sentAt === undefined) return state.probeAt;
  return Math.max(
    state.probeAt,
    sentAt + shareForEach * state.probes.length * gate.probeMs,
    spreadAfter(gate, state),
  );
}

/** When the next probe may go after one that is not answered, by the length of the outage. In a fleet, a lease is as long. */
function spreadAfter({ probeMs }: Gate, state: Shut): number {
  const sentAt = lastOut(state);
  return sentAt === undefined || state.leaseUntil !== undefined
    ? state.probeAt
    : sentAt + Math.min(patientIntervals * probeMs, shareOfOutage * (sentAt - state.shutAt));
}

/**
 * Where many ask, probes may be more frequent: the sooner the gate learns that the server is back, the fewer it turns
 * away for nothing, and this many for each probe is still hardly any load.
 */
const turnedAwayForProbe = 20;

/** However many ask, this share of the interval passes after the end of a probe, or after one that is not answered. */
const shortestShare = 1 / 8;
const unansweredShare = 1 / 2;

function isEarlyProbeDue(gate: Gate, state: Shut, now: number): boolean {
  const { probeMs } = gate;
  const { idleSince, turnedAway, leaseUntil, probes } = state;
  // In a fleet, the store says when.
  if (leaseUntil !== undefined || turnedAway < turnedAwayForProbe) return false;
  const sentAt = lastOut(state);
  if (sentAt === undefined) return now - idleSince >= shortestShare * probeMs;
  const apartMs = Math.max(unansweredShare, shareForEach * probes.length) * probeMs;
  return now >= Math.max(sentAt + apartMs, spreadAfter(gate, state));
}

/** How far apart the unanswered probes of a fleet are: as far as those of one process, once as many begin as end. */
export function unansweredMs(
  { probeMs }: Gate,
  attemptTimeoutMs: number = Infinity,
  outageMs: number = 0,
): number {
  const apart = Math.sqrt((shareForEach * attemptTimeoutMs) / probeMs);
  const intervals = Math.max(unansweredShare, apart, (shareOfOutage * outageMs) / probeMs);
  return Math.min(patientIntervals, intervals) * probeMs;
}

/** One more request was turned away. */
export function afterTurnedAway(state: GateState): GateState {
  if (state.kind !== 'shut' || state.turnedAway >= turnedAwayForProbe) return state;
  return { ...state, turnedAway: state.turnedAway + 1 };
}

/**
 * No lease yet: a probe may go only when no other process of the fleet is probing. A request asks again after this
 * time, when the answer should be there.
 */
export const noLease: number = -Infinity;
const leaseRetryMs = 10;

/** Whether it is time for a probe, but this process needs a lease first. */
export function needsLease(gate: Gate, state: GateState, now: number): state is Shut {
  if (state.kind !== 'shut' || state.leaseUntil === undefined) return false;
  return now >= dueAt(gate, state) && now >= state.leaseUntil;
}

/** Another process has a lease to probe for `leaseLeftMs`. */
export function probingElsewhere({ probeMs }: Gate, state: Shut, leaseLeftMs: number, now: number): Shut {
  const probeAt = Math.max(state.probeAt, now + leaseLeftMs);
  const sentAt = probeAt - probeMs;
  return { ...state, probeAt, probes: [sentAt], idleSince: Math.min(state.idleSince, sentAt) };
}

/** Whether the gate turns requests away right now. */
export function isShut(gate: Gate, state: GateState, now: number): boolean {
  return state.kind === 'shut' && now < dueAt(gate, state);
}
