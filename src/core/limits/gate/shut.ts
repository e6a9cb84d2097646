/** The shut gate: one probe at a time finds out whether the server is back. */

import type { Gate } from '../../policy/limits.js';
import type { Kind } from './kinds.js';
import { afterTrial, onTrial, trialOf } from './kinds.js';
import { ramp } from './ramping.js';
import type { Sign } from './signs.js';
import { isFailure } from './signs.js';
import type { GateState, Pass, Passage, Shut } from './state.js';
import { around, noEpoch } from './state.js';
import { afterSurvived } from './survived.js';

/** A probe that hangs must not keep the gate shut forever: after this many intervals, another one may go. */
const probeIntervals = 5;

/**
 * Any sign of life reopens the gate, also one from an earlier attempt. Only the probe's own failure schedules another
 * probe.
 */
export function afterSignWhenShut(
  gate: Gate,
  state: Shut,
  pass: Pass,
  sign: Sign,
  kind: Kind,
  now: number,
  draw: number,
): GateState {
  const { epoch, failures } = state;
  if (sign === 'alive' || sign === 'answers')
    return ramp(state, afterSurvived(state.survived, failures, now), now);
  const tried = isFailure(sign) ? afterTrial(state.tried, kind, now) : state.tried;
  const isProbe = pass.epoch === epoch && pass.sentAt === state.probingSince;
  if (!isProbe) return tried === state.tried ? state : { ...state, tried };
  const probeAt = sign === 'neutral' ? now : now + around(gate.probeMs, draw);
  return { ...state, tried, probeAt, probingSince: undefined, idleSince: now, turnedAway: 0 };
}

/** A probe may pass when it is time for one, and apart from that, a kind of request that was not seen to fail. */
export function passWhenShut(gate: Gate, state: Shut, kind: Kind, now: number, draw: number): Passage {
  const passage = passToProbe(gate, state, now, draw);
  if (passage.kind === 'go') return passage;
  const trial = trialOf(gate, state, kind, now);
  if (trial === 'known') return passage;
  if (trial === 'wait') return { kind: 'shut', by: 'trial', retryInMs: around(gate.probeMs / 4, draw) };
  return { kind: 'go', state: { ...state, tried: onTrial(state.tried, kind, now) }, epoch: noEpoch };
}

function passToProbe(gate: Gate, state: Shut, now: number, draw: number): Passage {
  const { epoch } = state;
  if (probeIsOut(gate, state, now)) {
    return { kind: 'shut', by: 'probe', retryInMs: around(gate.probeMs / 4, draw) };
  }
  const leftMs = isEarlyProbeDue(gate, state, now) ? 0 : state.probeAt - now;
  if (leftMs > 0) return { kind: 'shut', by: 'failures', retryInMs: leftMs + around(gate.probeMs / 4, draw) };
  if (state.leaseUntil === undefined) return { kind: 'go', state: { ...state, probingSince: now }, epoch };
  return now < state.leaseUntil
    ? { kind: 'go', state: { ...state, probingSince: now, leaseUntil: noLease }, epoch }
    : { kind: 'shut', by: 'lease', retryInMs: leaseRetryMs };
}

/**
 * Where many ask, probes may be more frequent: the sooner the gate learns that the server is back, the fewer it turns
 * away for nothing, and this many for each probe is still hardly any load.
 */
const turnedAwayForProbe = 20;

/** However many ask, this share of the interval passes between probes. */
const shortestShare = 1 / 8;

function isEarlyProbeDue(
  { probeMs }: Gate,
  { idleSince, turnedAway, leaseUntil }: Shut,
  now: number,
): boolean {
  // In a fleet, the store says when.
  if (leaseUntil !== undefined) return false;
  return turnedAway >= turnedAwayForProbe && now - idleSince >= shortestShare * probeMs;
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
export const noLease: number = Number.NEGATIVE_INFINITY;
const leaseRetryMs = 10;

/** Whether it is time for a probe, but this process needs a lease first. */
export function needsLease(gate: Gate, state: GateState, now: number): state is Shut {
  if (state.kind !== 'shut' || state.leaseUntil === undefined) return false;
  return now >= state.probeAt && now >= state.leaseUntil && !probeIsOut(gate, state, now);
}

/** A value for `probingSince` with which another process's probe is given up in `leftMs`. */
export function probingFor({ probeMs }: Gate, leftMs: number, now: number): number {
  return now + leftMs - probeIntervals * probeMs;
}

function probeIsOut(gate: Gate, { probingSince }: Shut, now: number): boolean {
  return now - (probingSince ?? Number.NEGATIVE_INFINITY) < probeIntervals * gate.probeMs;
}

/** Whether the gate turns requests away right now. */
export function isShut(gate: Gate, state: GateState, now: number): boolean {
  // Stryker disable next-line ConditionalExpression: other states have no probe to compare with.
  return state.kind === 'shut' && (now < state.probeAt || probeIsOut(gate, state, now));
}
