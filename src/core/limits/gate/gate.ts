/**
 * The gate of a scope: shut when first attempts have failed for so long, and so many in a row, that the server must
 * be taken for dead; found open again by single probes, and reopened gradually. A circuit breaker, as others call it.
 * Values in, values out; the healthy path (open, no failure, a sign of life) returns the state that it was given.
 */

import type { Gate } from '../../policy/limits.js';
import { afterSignWhenOpen } from './open.js';
import { afterSignWhenRamping, asOf, passWhenRamping } from './ramping.js';
import { afterSignWhenShut, passWhenShut } from './shut.js';
import type { Sign } from './signs.js';
import type { GateState, Pass, Passage } from './state.js';

/** What an attempt does to the gate when it ends. */
export function afterSign(
  gate: Gate,
  given: GateState,
  pass: Pass,
  sign: Sign,
  now: number,
  draw: number,
): GateState {
  const state = asOf(gate, given, now);
  switch (state.kind) {
    case 'open':
      return afterSignWhenOpen(gate, state, pass, sign, now, draw);
    case 'shut':
      return afterSignWhenShut(gate, state, pass, sign, now, draw);
    case 'ramping':
      return afterSignWhenRamping(gate, state, pass, sign, now, draw);
  }
}

/** May an attempt pass now? A passage out of a gate that is not open takes a place, so the state changes. */
export function passGate(gate: Gate, given: GateState, now: number, draw: number): Passage {
  const state = asOf(gate, given, now);
  switch (state.kind) {
    case 'open':
      return { kind: 'go', state };
    case 'shut':
      return passWhenShut(gate, state, now, draw);
    case 'ramping':
      return passWhenRamping(gate, state, now, draw);
  }
}
