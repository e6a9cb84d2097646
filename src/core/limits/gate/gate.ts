/**
 * The gate of a scope, a circuit breaker. It shuts when so many first attempts in a row have failed, over such a time,
 * that the server must be dead. Single probes find out when the server is back, and the gate reopens gradually. Values in,
 * values out; on the healthy path (open, no failure, a sign of life) the given state is returned.
 */

import type { Sign } from '../signs.js';
import type { Kind } from './kinds.js';
import { afterSignWhenOpen } from './open.js';
import { afterSignWhenRamping, asOf, passWhenRamping } from './ramping.js';
import type { Gate } from './setting.js';
import { afterSignWhenShut, passWhenShut } from './shut.js';
import type { GateAnswer, GateState, GateTicket } from './state.js';

/** The gate after an attempt has ended. The kind matters if it has failed, and while the gate is not open. */
export function afterSign(
  gate: Gate,
  given: GateState,
  ticket: GateTicket,
  sign: Sign,
  kind: Kind,
  now: number,
  draw: number,
): GateState {
  const state = asOf(gate, given, now);
  switch (state.kind) {
    case 'open':
      return afterSignWhenOpen(gate, state, ticket, sign, kind, now, draw);
    case 'shut':
      return afterSignWhenShut(gate, state, ticket, sign, kind, now);
    case 'ramping':
      return afterSignWhenRamping(gate, state, ticket, sign, kind, now, draw);
  }
}

/**
 * Decides whether an attempt may pass now. An attempt that passes a gate which is not open takes a place, so the state
 * changes.
 */
export function passGate(gate: Gate, given: GateState, kind: Kind, now: number, draw: number): GateAnswer {
  const state = asOf(gate, given, now);
  switch (state.kind) {
    case 'open':
      return { kind: 'go', state, epoch: state.epoch };
    case 'shut':
      return passWhenShut(gate, state, kind, now, draw);
    case 'ramping':
      return passWhenRamping(gate, state, kind, now, draw);
  }
}
