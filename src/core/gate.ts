/**
 * The gate of a scope: shut after so many failures in a row that the server must be taken for dead,
 * found open again by single probes, and reopened gradually. Values in, values out; the healthy path
 * (open, no failure, a sign of life) returns the state that it was given.
 */

import type { Epoch, Finding, Gate, GateState } from './types.js';

export type Sign = 'alive' | 'dead' | 'neutral';

export const openGate: GateState = { kind: 'open', epoch: 0, failures: 0 };

/** Transport errors, timeouts and 5xx are failures; 408, 425, 429 and aborts say nothing of its health. */
export function signOf(finding: Finding): Sign {
  if (finding.kind === 'response') return signOfStatus(finding.status);
  return finding.aborted || finding.class === 'final' ? 'neutral' : 'dead';
}

export function signOfStatus(status: number): Sign {
  if (status >= 500) return 'dead';
  return status === 408 || status === 425 || status === 429 ? 'neutral' : 'alive';
}

/** What an attempt that was let through in `epoch` does to the gate when it ends. */
export function afterSign(
  gate: Gate,
  state: GateState,
  epoch: Epoch,
  sign: Sign,
  now: number,
  draw: number,
): GateState {
  switch (state.kind) {
    case 'open':
      return afterSignWhenOpen(gate, state, sign, now, draw);
    case 'shut':
      return afterSignWhenShut(gate, state, epoch, sign, now, draw);
    case 'ramping':
      return afterSignWhenRamping(gate, state, epoch, sign, now, draw);
  }
}

type Open = Extract<GateState, { kind: 'open' }>;
type Shut = Extract<GateState, { kind: 'shut' }>;
type Ramping = Extract<GateState, { kind: 'ramping' }>;

function afterSignWhenOpen(gate: Gate, state: Open, sign: Sign, now: number, draw: number): GateState {
  if (sign === 'neutral') return state;
  if (sign === 'alive') return state.failures === 0 ? state : { ...state, failures: 0 };
  const failures = state.failures + 1;
  if (failures < gate.failures) return { ...state, failures };
  // The first probe comes soon: most outages are short.
  return shut(state.epoch + 1, now + around(gate.probeMs / 4, draw));
}

/** Any sign of life reopens, also a late one; only the probe's own failure asks for another probe. */
function afterSignWhenShut(
  gate: Gate,
  state: Shut,
  epoch: Epoch,
  sign: Sign,
  now: number,
  draw: number,
): GateState {
  if (sign === 'alive') {
    return { kind: 'ramping', epoch: state.epoch + 1, since: now, limit: 2, inFlight: 0 };
  }
  const isProbe = epoch === state.epoch && state.probingSince !== undefined;
  if (!isProbe) return state;
  return sign === 'dead' ? shut(state.epoch, now + around(gate.probeMs, draw)) : shut(state.epoch, now);
}

/**
 * As many more at once for each success (they double each round trip), half as many for each failure, and
 * shut again when even one at a time fails. Outcomes of attempts from before do not count: they are late
 * news of the outage.
 */
function afterSignWhenRamping(
  gate: Gate,
  state: Ramping,
  epoch: Epoch,
  sign: Sign,
  now: number,
  draw: number,
): GateState {
  if (epoch !== state.epoch) return state;
  const inFlight = Math.max(0, state.inFlight - 1);
  if (sign === 'neutral') return { ...state, inFlight };
  if (sign === 'alive') {
    return now - state.since >= gate.rampMs
      ? { kind: 'open', epoch: state.epoch, failures: 0 }
      : { ...state, inFlight, limit: state.limit + 1 };
  }
  const limit = Math.floor(state.limit / 2);
  return limit === 0
    ? shut(state.epoch + 1, now + around(gate.probeMs, draw))
    : { ...state, inFlight, limit };
}

export type Passage =
  | { readonly kind: 'go'; readonly state: GateState }
  | { readonly kind: 'shut'; readonly retryInMs: number };

/** May an attempt pass now? A passage out of a gate that is not open takes a place, so the state changes. */
export function passGate(gate: Gate, state: GateState, now: number, draw: number): Passage {
  switch (state.kind) {
    case 'open':
      return { kind: 'go', state };
    case 'shut':
      return probeIsOut(gate, state, now) || now < state.probeAt
        ? { kind: 'shut', retryInMs: Math.max(state.probeAt - now, 0) + around(gate.probeMs / 4, draw) }
        : { kind: 'go', state: { ...state, probingSince: now } };
    case 'ramping':
      return state.inFlight < state.limit
        ? { kind: 'go', state: { ...state, inFlight: state.inFlight + 1 } }
        : { kind: 'shut', retryInMs: around(gate.probeMs / 10, draw) };
  }
}

/** A probe that hangs does not keep the gate shut for ever: after five intervals another may go. */
function probeIsOut(gate: Gate, { probingSince }: Shut, now: number): boolean {
  // Stryker disable next-line ConditionalExpression: a comparison with undefined is false.
  return probingSince !== undefined && now - probingSince < 5 * gate.probeMs;
}

/** Whether requests are being turned away right now. */
export function isShut(gate: Gate, state: GateState, now: number): boolean {
  // Stryker disable next-line ConditionalExpression: other states have no probe to compare with.
  return state.kind === 'shut' && (now < state.probeAt || probeIsOut(gate, state, now));
}

function shut(epoch: Epoch, probeAt: number): GateState {
  return { kind: 'shut', epoch, probeAt, probingSince: undefined };
}

/** Half of it to one and a half: clients that saw the same failure do not probe together. */
function around(waitMs: number, draw: number): number {
  return waitMs * (0.5 + draw);
}
