/**
 * The gate of a scope: shut when first attempts have failed for so long, and so many in a row, that the server must
 * be taken for dead; found open again by single probes, and reopened gradually. Values in, values out; the healthy
 * path (open, no failure, a sign of life) returns the state that it was given.
 */

import type { Gate } from '../policy/limits.js';
import type { Epoch, Finding, GateState, Survived } from '../types.js';
import { priceOf } from './budget.js';

export type Sign =
  | 'alive'
  | 'dead'
  /** Dead, and for as long as its attempt has taken. */
  | 'silent'
  /** Dead, but of a request whose failure has counted already. */
  | 'still-dead'
  /** It answers, with an error of its own: news only of a server that was taken for dead. */
  | 'answers'
  | 'neutral';

/** What an attempt was let through with. */
export interface Pass {
  readonly epoch: Epoch;
  readonly sentAt: number;
}

const noRow: Pick<Open, 'failures' | 'since' | 'lastAt'> = { failures: 0, since: 0, lastAt: 0 };

export const openGate: GateState = {
  kind: 'open',
  epoch: 0,
  lives: 0,
  ...noRow,
  survived: { longest: 0, at: 0 },
};

/** For so long without an attempt, and what comes next has nothing to do with it any more. */
const rowPauseMs = 10_000;

/** After so many signs of life without a failure between them, a row of failures is something new. */
const usualLives = 20;

/** Otherwise failures may be how it is: a row has to be so many times as long. */
const doubtFactor = 5;

/** And in any case so many times as long as those that were survived lately. */
const rowFactor = 3;

/** How long such a row is remembered: after this time, it counts half as long. */
const rowHalfLifeMs = 180_000;

/** How many may be out at once when requests begin to come back, and how often that doubles until the end of the ramp. */
const rampFirst = 4;
const rampDoublings = 8;

/** So many in a row, and it was too early; or half as many as those that it has just come back from. */
const rampFailures = 10;

/** A probe that hangs does not keep the gate shut for ever: after so many intervals another one may go. */
const probeIntervals = 5;

/** Transport errors, timeouts and the errors of gateways are failures; 408, 425, 429 and aborts say nothing. */
export function signOf(finding: Finding): Sign {
  if (finding.kind === 'response') return signOfStatus(finding.status);
  if (finding.aborted || finding.class === 'final') return 'neutral';
  return priceOf(finding) === 'timeout' ? 'silent' : 'dead';
}

export function isFailure(sign: Sign): boolean {
  return sign === 'dead' || sign === 'silent';
}

export function signOfStatus(status: number): Sign {
  if (status >= 502 && status <= 504) return 'dead';
  if (status >= 500) return 'answers';
  return status === 408 || status === 425 || status === 429 ? 'neutral' : 'alive';
}

type Open = Extract<GateState, { kind: 'open' }>;
type Shut = Extract<GateState, { kind: 'shut' }>;
type Ramping = Extract<GateState, { kind: 'ramping' }>;

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

/** A ramp is over after its time, whatever has happened on it. */
export function asOf(gate: Gate, state: GateState, now: number): GateState {
  if (state.kind !== 'ramping' || now - state.since < gate.rampMs) return state;
  const { epoch, survived } = state;
  return { kind: 'open', epoch, lives: 0, ...noRow, survived };
}

// ---------------------------------------------------------------- open

function afterSignWhenOpen(
  gate: Gate,
  state: Open,
  pass: Pass,
  sign: Sign,
  now: number,
  draw: number,
): GateState {
  if (sign === 'alive') return afterLife(gate, state, pass, now);
  if (!isFailure(sign)) return state;
  const row = afterFailure(state, pass, sign, now);
  if (!isDead(gate, row, now)) return row;
  const { failures } = row;
  // The first probe comes soon: most outages are short.
  return shut(state.epoch + 1, now + around(gate.probeMs / 4, draw), failures, state.survived);
}

/** No failure, and enough signs of life that no more of them have to be counted. */
export function isHealthy({ failures }: Gate, state: GateState): boolean {
  return state.kind === 'open' && state.failures === 0 && state.lives >= Math.min(failures, usualLives);
}

function afterLife(gate: Gate, state: Open, { sentAt }: Pass, now: number): Open {
  const { epoch, failures, lives, since, survived } = state;
  if (isHealthy(gate, state)) return state;
  if (failures === 0) return { ...state, lives: lives + 1 };
  // It finishes what it had taken before: that is news of then.
  if (sentAt < since) return { ...state, ...noRow };
  return { kind: 'open', epoch, lives: 1, ...noRow, survived: afterSurvived(survived, failures, now) };
}

/** A row that begins with a timeout began when that attempt was sent: a server that hangs is known as soon as one that refuses. */
function afterFailure(state: Open, { sentAt }: Pass, sign: Sign, now: number): Open {
  const since = sign === 'silent' ? sentAt : now;
  if (state.failures === 0) return { ...state, failures: 1, since, lastAt: now };
  if (sentAt - state.lastAt <= rowPauseMs) return { ...state, failures: state.failures + 1, lastAt: now };
  return { ...state, lives: 0, failures: 1, since, lastAt: now };
}

function isDead(gate: Gate, { lives, failures, since, survived }: Open, now: number): boolean {
  const longest = remembered(survived, now);
  const isNew = lives >= Math.min(gate.failures, usualLives);
  const isUnheardOf = lives === 0 && longest === 0;
  const least = isNew || isUnheardOf ? gate.failures : doubtFactor * gate.failures;
  const deadForMs = isNew ? gate.deadForMs : doubtFactor * gate.deadForMs;
  return now - since >= deadForMs && failures >= Math.max(least, rowFactor * longest);
}

function afterSurvived(survived: Survived, failures: number, now: number): Survived {
  return failures < remembered(survived, now) ? survived : { longest: failures, at: now };
}

function remembered({ longest, at }: Survived, now: number): number {
  return longest * 2 ** ((at - now) / rowHalfLifeMs);
}

// ---------------------------------------------------------------- shut

/** Any sign of life reopens, also a late one; only the probe's own failure asks for another probe. */
function afterSignWhenShut(
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
  return shut(epoch, probeAt, failures, state.survived);
}

function shut(epoch: Epoch, probeAt: number, failures: number, survived: Survived): GateState {
  return { kind: 'shut', epoch, probeAt, probingSince: undefined, failures, survived };
}

// ---------------------------------------------------------------- ramping

function ramp({ epoch }: Shut, survived: Survived, now: number): Ramping {
  const places = { places: 0, placesBefore: 0, placesSince: now };
  return { kind: 'ramping', epoch: epoch + 1, since: now, successes: 0, failures: 0, ...places, survived };
}

/** More with each success, and with time; shut again after too many failures in a row. Late news do not count. */
function afterSignWhenRamping(
  gate: Gate,
  given: Ramping,
  pass: Pass,
  sign: Sign,
  now: number,
  draw: number,
): GateState {
  if (pass.epoch !== given.epoch) return given;
  const state = placeGivenBack(gate, given, pass, now);
  if (sign === 'alive') return { ...state, successes: state.successes + 1, failures: 0 };
  if (!isFailure(sign)) return state;
  const failures = state.failures + 1;
  if (failures < Math.max(rampFailures, remembered(state.survived, now) / 2)) return { ...state, failures };
  return shut(state.epoch + 1, now + around(gate.probeMs, draw), failures, state.survived);
}

/** How many may be out at once by now. */
function rampLimit({ rampMs }: Gate, { successes, since }: Ramping, now: number): number {
  return Math.floor((rampFirst + successes) * 2 ** ((rampDoublings * (now - since)) / rampMs));
}

/*
 * Places are counted by when they were taken: in this interval, or in the one before. Those that were not given back
 * by then do not count any more.
 */

function withPlacesAt({ probeMs }: Gate, state: Ramping, now: number): Ramping {
  const intervals = Math.floor((now - state.placesSince) / probeMs);
  if (intervals === 0) return state;
  const placesBefore = intervals === 1 ? state.places : 0;
  return { ...state, places: 0, placesBefore, placesSince: state.placesSince + intervals * probeMs };
}

function placeGivenBack(gate: Gate, given: Ramping, { sentAt }: Pass, now: number): Ramping {
  const state = withPlacesAt(gate, given, now);
  if (sentAt >= state.placesSince) return { ...state, places: state.places - 1 };
  const isCounted = sentAt >= state.placesSince - gate.probeMs;
  return isCounted ? { ...state, placesBefore: state.placesBefore - 1 } : state;
}

// ---------------------------------------------------------------- passing

export type Passage =
  | { readonly kind: 'go'; readonly state: GateState }
  /** `by`: what is in the way, which for a probe that is out and for a full ramp will not be for long. */
  | { readonly kind: 'shut'; readonly by: 'failures' | 'probe' | 'ramp'; readonly retryInMs: number };

/** May an attempt pass now? A passage out of a gate that is not open takes a place, so the state changes. */
export function passGate(gate: Gate, given: GateState, now: number, draw: number): Passage {
  const state = asOf(gate, given, now);
  switch (state.kind) {
    case 'open':
      return { kind: 'go', state };
    case 'shut': {
      if (probeIsOut(gate, state, now)) {
        return { kind: 'shut', by: 'probe', retryInMs: around(gate.probeMs / 4, draw) };
      }
      const leftMs = state.probeAt - now;
      return leftMs > 0
        ? { kind: 'shut', by: 'failures', retryInMs: leftMs + around(gate.probeMs / 4, draw) }
        : { kind: 'go', state: { ...state, probingSince: now } };
    }
    case 'ramping':
      return passRamp(gate, withPlacesAt(gate, state, now), now, draw);
  }
}

function passRamp(gate: Gate, state: Ramping, now: number, draw: number): Passage {
  const out = state.places + state.placesBefore;
  return out < rampLimit(gate, state, now)
    ? { kind: 'go', state: { ...state, places: state.places + 1 } }
    : { kind: 'shut', by: 'ramp', retryInMs: around(gate.probeMs / 10, draw) };
}

function probeIsOut(gate: Gate, { probingSince }: Shut, now: number): boolean {
  return now - (probingSince ?? Number.NEGATIVE_INFINITY) < probeIntervals * gate.probeMs;
}

/** Whether requests are being turned away right now. */
export function isShut(gate: Gate, state: GateState, now: number): boolean {
  // Stryker disable next-line ConditionalExpression: other states have no probe to compare with.
  return state.kind === 'shut' && (now < state.probeAt || probeIsOut(gate, state, now));
}

/** Half of it to one and a half: clients that saw the same failure do not probe together. */
function around(waitMs: number, draw: number): number {
  return waitMs * (0.5 + draw);
}
