/** Applies the fleet's facts to a process's own gate, as if it had seen them itself. */

import { kindsIn } from './kinds.js';
import { isDead } from './open.js';
import { isTooEarly, ramp } from './ramping.js';
import type { GateFacts } from './record.js';
import type { Gate } from './setting.js';
import { noLease, probingElsewhere } from './shut.js';
import type { GateState, Shut } from './state.js';
import { around, kindsSeenToFail, openGate, shut } from './state.js';
import { afterSurvived } from './survived.js';

/** Whether the facts are of another epoch, and whether this process has the lease to probe. */
export interface Known {
  readonly isNew: boolean;
  /** What shut or opened the gate before was news that the store's record knows nothing of. */
  readonly isRefuted: boolean;
  /** The facts are the record's own answer. */
  readonly isConfirmed: boolean;
  readonly hasLease: boolean;
}

export function gateTold(
  gate: Gate,
  state: GateState,
  facts: GateFacts,
  known: Known,
  now: number,
): GateState {
  if (facts.isShut) {
    if (known.isNew || state.kind === 'shut') return shutForAll(gate, state, facts, known, now);
    // This process has seen a sign of life that it has not reported yet.
    return state;
  }
  // This process shut its gate by what it saw itself, and reopens it in the same way.
  if (state.kind !== 'shut' || state.leaseUntil === undefined) return state;
  if (known.isRefuted) return { ...openGate, epoch: state.epoch + 1, survived: state.survived };
  return ramp(state, afterSurvived(state.survived, state.failures, now), now);
}

function shutForAll(
  gate: Gate,
  state: GateState,
  facts: GateFacts,
  { isNew, isConfirmed, hasLease }: Known,
  now: number,
): GateState {
  const counted = isConfirmed ? { processes: facts.processes } : {};
  const isKnown = !isNew && state.kind === 'shut' && state.leaseUntil !== undefined;
  // About its own probe, this process knows more than the store.
  if (isKnown && hasLease) return { ...state, ...counted };
  const known = isKnown ? state : shutAnew(state, facts, now);
  const due: Shut = { ...known, probeAt: now + facts.probeInMs, probes: [], ...counted };
  return facts.leaseLeftMs > 0 ? probingElsewhere(gate, due, facts.leaseLeftMs, now) : due;
}

function shutAnew(state: GateState, facts: GateFacts, now: number): Shut {
  const kinds = [...new Set([...kindsIn(facts.kinds), ...kindsSeenToFail(state)])];
  return { ...shut(state, now, Math.max(1, facts.failures), kinds, now), leaseUntil: noLease };
}

/** The store is silent: this process probes by itself, but not at the same moment as all others. */
export function gateAlone(gate: Gate, state: GateState, now: number, draw: number): GateState {
  if (state.kind !== 'shut' || state.leaseUntil === undefined) return state;
  const { leaseUntil: _, processes: __, ...own } = state;
  return { ...own, probeAt: Math.max(state.probeAt, now + around(gate.probeMs, draw)) };
}

/** This process may begin a probe until `leaseUntil`. */
export function gateLeased(state: GateState, leaseUntil: number, now: number): GateState {
  if (state.kind !== 'shut' || state.leaseUntil === undefined) return state;
  return { ...state, leaseUntil, probeAt: Math.min(state.probeAt, now), probes: [] };
}

/**
 * Whether all processes together have seen enough to take the server for dead; a single one never has.
 * `reopenedAt`: when the gate last reopened for all.
 */
export function isDeadTogether(
  gate: Gate,
  { survived }: GateState,
  facts: GateFacts,
  reopenedAt: number,
  now: number,
): boolean {
  if (facts.isShut || facts.witnesses < 2 || facts.failures === 0) return false;
  const { lives, failures, forMs } = facts;
  if (now - reopenedAt < gate.rampMs) return isTooEarly(survived, failures, now);
  return isDead(gate, { lives, failures, since: now - forMs, survived }, now);
}
