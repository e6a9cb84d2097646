/** What the facts of the fleet make of a process's own gate, as if it had seen them. */

import type { Gate } from '../../policy/limits.js';
import { isDead } from '../gate/open.js';
import { isTooEarly, ramp } from '../gate/ramping.js';
import { noLease, probingFor } from '../gate/shut.js';
import type { GateState } from '../gate/state.js';
import { around, shut } from '../gate/state.js';
import { afterSurvived } from '../gate/survived.js';
import type { GateFacts } from './messages.js';

/** What is known besides: facts of another epoch than before, and that this process has the lease of the probe. */
export interface Known {
  readonly isNew: boolean;
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
    // It has seen a sign of life, of which the store has not been told yet.
    return state;
  }
  // It shut by what it has seen itself, and by that it reopens.
  if (state.kind !== 'shut' || state.leaseUntil === undefined) return state;
  return ramp(state, afterSurvived(state.survived, state.failures, now), now);
}

function shutForAll(
  gate: Gate,
  state: GateState,
  facts: GateFacts,
  { isNew, hasLease }: Known,
  now: number,
): GateState {
  const probeAt = now + facts.probeInMs;
  const probingSince = facts.leaseLeftMs > 0 ? probingFor(gate, facts.leaseLeftMs, now) : undefined;
  const isKnown = !isNew && state.kind === 'shut' && state.leaseUntil !== undefined;
  // Of its own probe it knows more.
  if (isKnown) return hasLease ? state : { ...state, probeAt, probingSince };
  const failures = Math.max(1, facts.failures);
  return { ...shut(state.epoch + 1, probeAt, failures, state.survived), probingSince, leaseUntil: noLease };
}

/** The store is silent: as one process alone, and not all of them at once. */
export function gateAlone(gate: Gate, state: GateState, now: number, draw: number): GateState {
  if (state.kind !== 'shut' || state.leaseUntil === undefined) return state;
  const { leaseUntil: _, ...own } = state;
  return { ...own, probeAt: Math.max(state.probeAt, now + around(gate.probeMs, draw)) };
}

/** It may begin to probe until then. */
export function gateLeased(state: GateState, leaseUntil: number, now: number): GateState {
  if (state.kind !== 'shut' || state.leaseUntil === undefined) return state;
  return { ...state, leaseUntil, probeAt: Math.min(state.probeAt, now), probingSince: undefined };
}

/**
 * Whether all processes together have seen enough to take the server for dead; one of them alone never has.
 * `reopenedAt`: when all of them began to come back.
 */
export function isDeadTogether(
  gate: Gate,
  { epoch, survived }: GateState,
  facts: GateFacts,
  reopenedAt: number,
  now: number,
): boolean {
  if (facts.isShut || facts.witnesses < 2 || facts.failures === 0) return false;
  const { lives, failures, forMs } = facts;
  if (now - reopenedAt < gate.rampMs) return isTooEarly(survived, failures, now);
  return isDead(
    gate,
    { kind: 'open', epoch, lives, failures, since: now - forMs, lastAt: now, survived },
    now,
  );
}
