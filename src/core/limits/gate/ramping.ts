/**
 * The gate on its way from shut to open. It limits how many attempts may be out at once; the limit grows with each
 * success and with time.
 */

import type { Sign } from '../signs.js';
import { isFailure } from '../signs.js';
import type { Kind } from './kinds.js';
import { isWell, withKind } from './kinds.js';
import type { Gate } from './setting.js';
import type { GateAnswer, GateState, GateTicket, Ramping, Shut } from './state.js';
import { around, noRow, shut } from './state.js';
import type { Survived } from './survived.js';
import { remembered } from './survived.js';

/** How many attempts may be out at once when the ramp begins, and how often that number doubles by its end. */
const rampFirst = 4;
const rampDoublings = 8;

/**
 * This many failures in a row mean that it was too early to reopen; after a longer outage, half as many as that had.
 */
const rampFailures = 10;

/** `well`: the kind of the request that has succeeded, if it is known, and if that was soon. */
export function ramp(
  { epoch, failing, leaseUntil, processes }: Shut,
  survived: Survived,
  now: number,
  well: readonly Kind[] = [],
): Ramping {
  // By news that the record has not confirmed, a process does not know what has failed for the others.
  const isUnsure = leaseUntil !== undefined && processes === undefined;
  const places = { places: 0, placesBefore: 0, placesSince: now };
  return {
    kind: 'ramping',
    epoch: epoch + 1,
    since: now,
    successes: 0,
    failures: 0,
    kinds: [],
    failing: isUnsure ? undefined : failing,
    well,
    ...places,
    survived,
  };
}

/** The state as of now: a ramp is over after `rampMs`, whatever has happened in it. */
export function asOf(gate: Gate, state: GateState, now: number): GateState {
  if (state.kind !== 'ramping' || now - state.since < gate.rampMs) return state;
  const { epoch, since, survived } = state;
  return { kind: 'open', epoch, openedAt: since, lives: 0, ...noRow, survived };
}

/**
 * A success widens the ramp. Too many failures in a row shut the gate again. Attempts of an earlier epoch do not count.
 */
export function afterSignWhenRamping(
  gate: Gate,
  given: Ramping,
  ticket: GateTicket,
  sign: Sign,
  kind: Kind,
  now: number,
  draw: number,
): GateState {
  if (ticket.epoch !== given.epoch) return given;
  const state = placeGivenBack(gate, given, ticket, now);
  if (sign === 'alive') {
    const well = isSoon(gate, ticket, now) ? withKind(state.well, kind) : state.well;
    return { ...state, successes: state.successes + 1, failures: 0, kinds: [], well };
  }
  if (!isFailure(sign)) return state;
  const failures = state.failures + 1;
  const kinds = withKind(state.kinds, kind);
  const failing = state.failing && withKind(state.failing, kind);
  if (!isTooEarly(state.survived, failures, now)) return { ...state, failures, kinds, failing };
  const probeAt = now + around(gate.probeMs, draw);
  return shut(state, probeAt, failures, kinds, now, failing);
}

/** Whether it was answered before many others of its kind have gathered. */
export function isSoon({ probeMs }: Gate, { sentAt }: GateTicket, now: number): boolean {
  return now - sentAt < probeMs;
}

export function isTooEarly(survived: Survived, failures: number, now: number): boolean {
  return failures >= Math.max(rampFailures, remembered(survived, now) / 2);
}

/**
 * What goes on failing may take every place, and take it again as soon as it is given back. So a kind that was seen to
 * succeed, and not to fail, does not wait for a place that is free.
 */
export function passWhenRamping(
  gate: Gate,
  given: Ramping,
  kind: Kind,
  now: number,
  draw: number,
): GateAnswer {
  const state = withPlacesAt(gate, given, now);
  const out = state.places + state.placesBefore;
  return out < rampLimit(gate, state, now) || isWell(state, kind)
    ? { kind: 'go', state: { ...state, places: state.places + 1 }, epoch: state.epoch }
    : { kind: 'shut', by: 'ramp', retryInMs: around(gate.probeMs / 10, draw) };
}

/** How many attempts may be out at once by now. */
function rampLimit({ rampMs }: Gate, { successes, since }: Ramping, now: number): number {
  return Math.floor((rampFirst + 2 * successes) * 2 ** ((rampDoublings * (now - since)) / rampMs));
}

/*
 * Places are counted by the interval in which they were taken: this one, or the one before. A place that is not given
 * back by then no longer counts, so that none can be lost forever.
 */

function withPlacesAt({ probeMs }: Gate, state: Ramping, now: number): Ramping {
  const intervals = Math.floor((now - state.placesSince) / probeMs);
  if (intervals === 0) return state;
  const placesBefore = intervals === 1 ? state.places : 0;
  return { ...state, places: 0, placesBefore, placesSince: state.placesSince + intervals * probeMs };
}

function placeGivenBack(gate: Gate, given: Ramping, { sentAt }: GateTicket, now: number): Ramping {
  const state = withPlacesAt(gate, given, now);
  if (sentAt >= state.placesSince) return { ...state, places: state.places - 1 };
  const isCounted = sentAt >= state.placesSince - gate.probeMs;
  return isCounted ? { ...state, placesBefore: state.placesBefore - 1 } : state;
}
