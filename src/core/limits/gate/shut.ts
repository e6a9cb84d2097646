/** The gate while it is shut: one probe at a time finds out whether the server lives again. */

import type { Gate } from '../../policy/limits.js';
import { ramp } from './ramping.js';
import type { Sign } from './signs.js';
import type { GateState, Pass, Passage, Shut } from './state.js';
import { around } from './state.js';
import { afterSurvived } from './survived.js';

/** A probe that hangs does not keep the gate shut for ever: after so many intervals another one may go. */
const probeIntervals = 5;

/** Any sign of life reopens, also a late one; only the probe's own failure asks for another probe. */
export function afterSignWhenShut(
  gate: Gate,
  state: Shut,
  pass: Pass,
  sign: Sign,
  now: number,
  draw: number,
): GateState {
  const { epoch, failures } = state;
  if (sign === 'alive' || sign === 'answers')
    return ramp(state, afterSurvived(state.survived, failures, now), now);
  const isProbe = pass.epoch === epoch && pass.sentAt === state.probingSince;
  if (!isProbe) return state;
  const probeAt = sign === 'neutral' ? now : now + around(gate.probeMs, draw);
  return { ...state, probeAt, probingSince: undefined };
}

/** Only a probe goes, when it is time for one. */
export function passWhenShut(gate: Gate, state: Shut, now: number, draw: number): Passage {
  if (probeIsOut(gate, state, now)) {
    return { kind: 'shut', by: 'probe', retryInMs: around(gate.probeMs / 4, draw) };
  }
  const leftMs = state.probeAt - now;
  if (leftMs > 0) return { kind: 'shut', by: 'failures', retryInMs: leftMs + around(gate.probeMs / 4, draw) };
  if (state.leaseUntil === undefined) return { kind: 'go', state: { ...state, probingSince: now } };
  return now < state.leaseUntil
    ? { kind: 'go', state: { ...state, probingSince: now, leaseUntil: noLease } }
    : { kind: 'shut', by: 'lease', retryInMs: leaseRetryMs };
}

/** It may be sent when others of the fleet are not probing; in so long that will be known. */
export const noLease: number = Number.NEGATIVE_INFINITY;
const leaseRetryMs = 10;

/** Whether it is time for a probe that this process may not send yet. */
export function needsLease(gate: Gate, state: GateState, now: number): state is Shut {
  if (state.kind !== 'shut' || state.leaseUntil === undefined) return false;
  return now >= state.probeAt && now >= state.leaseUntil && !probeIsOut(gate, state, now);
}

/** Since when a probe of another process would have to be out, to be given up in so long. */
export function probingFor({ probeMs }: Gate, leftMs: number, now: number): number {
  return now + leftMs - probeIntervals * probeMs;
}

function probeIsOut(gate: Gate, { probingSince }: Shut, now: number): boolean {
  return now - (probingSince ?? Number.NEGATIVE_INFINITY) < probeIntervals * gate.probeMs;
}

/** Whether requests are being turned away right now. */
export function isShut(gate: Gate, state: GateState, now: number): boolean {
  // Stryker disable next-line ConditionalExpression: other states have no probe to compare with.
  return state.kind === 'shut' && (now < state.probeAt || probeIsOut(gate, state, now));
}
