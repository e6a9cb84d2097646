/** The open gate: it counts failures in a row until the server must be taken for dead. */

import type { Sign } from '../signs.js';
import { isFailure } from '../signs.js';
import type { Kind } from './kinds.js';
import { withKind } from './kinds.js';
import type { Gate } from './setting.js';
import type { GateState, GateTicket, Open } from './state.js';
import { around, noRow, shut } from './state.js';
import { afterSurvived, remembered, type Survived } from './survived.js';

/** After a pause this long, a failure does not continue the row but begins a new one. */
const rowPauseMs = 10_000;

/** After this many signs of life without a failure between them, a row of failures is something new. */
const usualLives = 20;

/**
 * Otherwise failures may be normal for this server: the row has to be this many times as long, in number and in time.
 */
const doubtFactor = 5;

/** In any case, the row has to be this many times as long as the longest one that the server survived lately. */
const rowFactor = 3;

export function afterSignWhenOpen(
  gate: Gate,
  state: Open,
  ticket: GateTicket,
  sign: Sign,
  kind: Kind,
  now: number,
  draw: number,
): GateState {
  if (sign === 'alive') return afterLife(gate, state, ticket, now);
  if (!isFailure(sign) || isFromBefore(state, ticket)) return state;
  const row = afterFailure(state, ticket, sign, kind, now);
  if (!isDead(gate, row, now)) return row;
  const { failures, kinds } = row;
  // The first probe is sent early, because most outages are short.
  const probeAt = now + around(gate.probeMs / 4, draw);
  return shut(state, probeAt, failures, kinds, now);
}

/** Whether the attempt was sent before the gate reopened, so that its failure is old news: a probe that hung, say. */
export function isFromBefore(state: GateState, { epoch, sentAt }: GateTicket): boolean {
  if (state.kind === 'ramping') return epoch !== state.epoch;
  return state.kind === 'open' && sentAt < state.openedAt;
}

/** Whether there is no failure, and enough signs of life that no more need to be counted. */
export function isHealthy({ failures }: Gate, state: GateState): boolean {
  return state.kind === 'open' && state.failures === 0 && state.lives >= Math.min(failures, usualLives);
}

function afterLife(gate: Gate, state: Open, { sentAt }: GateTicket, now: number): Open {
  const { failures, lives, since, survived } = state;
  if (isHealthy(gate, state)) return state;
  if (failures === 0) return { ...state, lives: lives + 1 };
  // The attempt was sent before the row began, so its success is old news: the row ends, but does not count as one that
  // the server has survived.
  if (sentAt < since) return withRow(state, lives, noRow, survived);
  return withRow(state, 1, noRow, afterSurvived(survived, failures, now));
}

/**
 * A row that begins with a timeout counts from the time when that attempt was sent, so that a server that hangs is
 * noticed as soon as one that refuses.
 */
function afterFailure(state: Open, { sentAt }: GateTicket, sign: Sign, kind: Kind, now: number): Open {
  const since = sign === 'silent' ? sentAt : now;
  const { failures, lives, survived } = state;
  const isLate = failures > 0 && sentAt - state.lastAt > rowPauseMs;
  if (failures === 0 || isLate) {
    return withRow(state, isLate ? 0 : lives, { failures: 1, since, lastAt: now, kinds: [kind] }, survived);
  }
  return { ...state, failures: failures + 1, lastAt: now, kinds: withKind(state.kinds, kind) };
}

/** The fields are written out: two spreads take ten times as long, which a server that fails now and then would cost. */
function withRow(
  { epoch, openedAt }: Open,
  lives: number,
  { failures, since, lastAt, kinds }: Pick<Open, 'failures' | 'since' | 'lastAt' | 'kinds'>,
  survived: Survived,
): Open {
  return { kind: 'open', epoch, openedAt, lives, failures, since, lastAt, kinds, survived };
}

/** For so long after the last failure, nothing could be heard of the server. */
export function afterStall(state: Open, ms: number): Open {
  return ms > 0 ? { ...state, since: state.since + ms, lastAt: state.lastAt + ms } : state;
}

export function isDead(
  gate: Gate,
  { lives, failures, since, survived }: Pick<Open, 'lives' | 'failures' | 'since' | 'survived'>,
  now: number,
): boolean {
  const longest = remembered(survived, now);
  const isNew = lives >= Math.min(gate.failures, usualLives);
  const isUnheardOf = lives === 0 && longest === 0;
  const least = isNew || isUnheardOf ? gate.failures : doubtFactor * gate.failures;
  const deadForMs = isNew ? gate.deadForMs : doubtFactor * gate.deadForMs;
  return now - since >= deadForMs && failures >= Math.max(least, rowFactor * longest);
}
