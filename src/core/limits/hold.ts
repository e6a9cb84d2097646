/**
 * The hold of a scope: what requests learn of a server's limit holds for all, once the refusals are everybody's. A
 * long hint keeps everybody from being sent inside the forbidden window. Behind it, and after a short one at once,
 * requests queue a little below the rate of successes seen before, and find out slowly whether there is more.
 */

import type { Hold } from '../policy/limits.js';
import type { Answers, Finding, HoldState, Pace, ResponseFinding } from '../types.js';
import { refusedShare, successRate } from './answers.js';

export const noHold: HoldState = {
  until: Number.NEGATIVE_INFINITY,
  pacedSince: Number.NEGATIVE_INFINITY,
  places: 0,
  nextPlace: 0,
  gaps: Object.freeze([]),
  spacingMs: 0,
  pace: undefined,
  slowedFor: 0,
  slowedTwice: false,
  apart: 0,
  asked: undefined,
};

/** By what the rate grows in a second. */
function paceOf(easing: number, gentle: number, gentleForMs: number, bold: number): Pace {
  return { easing, gentlePerMs: Math.log(gentle) / 1_000, gentleForMs, boldPerMs: Math.log(bold) / 1_000 };
}

/** A limit that others meet as well: what is not taken, they take. */
export const keen: Pace = paceOf(0.95, 1.02, 4_000, 1.12);

/** A limit that is known, and that asks to be kept to at the first word: as few refusals as possible. */
export const courteous: Pace = paceOf(0.8, 1.1, Number.POSITIVE_INFINITY, 1.1);

/** How long a rate is tried before a refusal says anything about it: what was sent before still comes back. */
const settlingMs = 1_500;

/** Who has not queued for so long need not queue any more. */
const pacedForMs = 10_000;

/** Where a queue shows that a limit was everybody's, less says that it is met again. */
const shareWhilePaced = 0.25;

/** After so long, no answer that is counted was given at the pace before. */
const forgottenMs = 2_500;

/** A share that is still so much of what it was has not fallen: after a little less, and after much less. */
const unchanged = 0.85;
const unchangedByMuch = 0.6;

/** What one has to be, beside one that is somebody's own, to be about everybody. */
const clearlyMore = 1.2;
const moreShare = 0.16;

/** Whether a failure says that others would fail as well: it asks for a long wait, or it was too much. */
export function isRefusal(hold: Hold, finding: Finding, maxHintMs: number): finding is ResponseFinding {
  if (finding.kind !== 'response') return false;
  const hintMs = hintIn(finding);
  // A window longer than anybody would wait is the server's to enforce: each request asks it.
  return hintMs <= maxHintMs && (hintMs >= hold.minMs || finding.class === 'throttled');
}

function hintIn({ hint }: ResponseFinding): number {
  return hint?.delayMs ?? 0;
}

/** An attempt was refused; by the answers of late, perhaps all others would be. */
export function afterRefusal(
  hold: Hold,
  state: HoldState,
  answers: Answers,
  finding: ResponseFinding,
  now: number,
): HoldState {
  const share = refusedShare(answers, now);
  const asked = { finding, at: now };
  if (share < hold.refusedShare) return afterFewRefusals(hold, state, answers, { share, asked }, now);
  const why = { asked, slowedFor: share, slowedTwice: false, apart: isPaced(state, now) ? state.apart : 0 };
  if (hintIn(finding) < hold.minMs) {
    const slower = paced(hold, state, answers, now);
    return slower === state ? state : { ...slower, ...why };
  }
  const until = now + hintIn(finding);
  if (until <= state.until) return state;
  // Nobody gets on in the meantime.
  return {
    ...paced(hold, state, answers, now),
    until,
    pacedSince: until,
    places: placesBy(state, now),
    ...why,
  };
}

type Few = Pick<HoldState, 'asked'> & { readonly share: number };

/**
 * Too few for everybody: they shut no window, but may say that the pace is a little too fast. If they do not become
 * fewer when it is lowered twice, they have nothing to do with it: they are one tenant's, or one route's.
 */
function afterFewRefusals(
  hold: Hold,
  state: HoldState,
  answers: Answers,
  { share, asked }: Few,
  now: number,
): HoldState {
  const settledMs = now - state.pacedSince - forgottenMs;
  if (!isPaced(state, now) || settledMs < 0 || share < shareWhilePaced * hold.refusedShare) return state;
  const unchangedFrom = (state.slowedTwice ? unchangedByMuch : unchanged) * state.slowedFor;
  if (settledMs < settlingMs && share >= unchangedFrom) {
    if (state.slowedTwice) return share <= state.apart ? state : { ...state, apart: share };
    // A little may not show: now to what succeeds, at which a limit refuses next to nothing.
    return { ...paced(hold, state, answers, now, true), asked, slowedTwice: true };
  }
  if (share < clearlyMore * state.apart + moreShare * hold.refusedShare) return state;
  return { ...paced(hold, state, answers, now), asked, slowedFor: share, slowedTwice: false, apart: 0 };
}

/** From now on, at a rate that the server has shown that it can bear. */
function paced(
  hold: Hold,
  state: HoldState,
  answers: Answers,
  now: number,
  isFar: boolean = refusedShare(answers, now) >= farShare,
): HoldState {
  // Late news of what the rate was lowered for.
  if (now < state.pacedSince + settlingMs) return state;
  const pace = hold.refusedShare === 0 ? courteous : keen;
  const spacingMs = spacingFrom(hold, state, pace, answers, isFar, now);
  return { ...state, pacedSince: now, places: placesBy(state, now), spacingMs, pace };
}

function spacingFrom(
  hold: Hold,
  state: HoldState,
  pace: Pace,
  answers: Answers,
  isFar: boolean,
  now: number,
): number {
  const rate = successRate(answers, 1 / hold.spacingMs, now);
  const measuredMs = rate === undefined ? Number.POSITIVE_INFINITY : 1 / (rate * pace.easing);
  if (!isPaced(state, now)) return rate === undefined ? hold.spacingMs : measuredMs;
  const beforeMs = spacingBy(state, now);
  if (rate === undefined) return pace === courteous ? state.spacingMs : beforeMs / leastStep;
  if (pace === courteous) return Math.max(measuredMs, beforeMs);
  // A bucket for one bears half of what comes a little too fast: what was borne before says more than successes do.
  return Math.max(beforeMs, isFar ? measuredMs : Math.min(measuredMs, beforeMs / leastStep));
}

/** Of the rate that was a little too much; and how many refusals say that it was not a little. */
const leastStep = 0.9;
const farShare = 0.7;

/** Whether requests queue: for a while after a refusal, and as long as others are in the queue. */
export function isPaced(state: HoldState, now: number): boolean {
  return now < state.pacedSince + pacedForMs || placesBy(state, now) < state.nextPlace - state.gaps.length;
}

// ---------------------------------------------------------------- the queue

/*
 * Places are numbers and not times: when the pace changes, it changes for all that queue, and their order stays.
 * A place that was given back leaves a gap, and all behind it are one farther to the front.
 */

/** At one place a millisecond to begin with: how many have come up after so long. */
function placesAfter({ gentlePerMs, gentleForMs, boldPerMs }: Pace, elapsed: number): number {
  const places = Math.expm1(gentlePerMs * Math.min(elapsed, gentleForMs)) / gentlePerMs;
  if (elapsed <= gentleForMs) return places;
  return (
    places +
    (Math.exp(gentlePerMs * gentleForMs) * Math.expm1(boldPerMs * (elapsed - gentleForMs))) / boldPerMs
  );
}

/** … and the other way round. */
function timeFor(pace: Pace, places: number): number {
  const { gentlePerMs, gentleForMs, boldPerMs } = pace;
  const gentlePlaces = placesAfter(pace, gentleForMs);
  if (places <= gentlePlaces) return Math.log1p(places * gentlePerMs) / gentlePerMs;
  const bolder = ((places - gentlePlaces) * boldPerMs) / Math.exp(gentlePerMs * gentleForMs);
  return gentleForMs + Math.log1p(bolder) / boldPerMs;
}

/** How many places have come up by then. */
function placesBy({ places, pacedSince, spacingMs, pace }: HoldState, now: number): number {
  return pace === undefined ? places : places + placesAfter(pace, Math.max(0, now - pacedSince)) / spacingMs;
}

/** What the distance has become by then. */
function spacingBy({ pacedSince, spacingMs, pace }: HoldState, now: number): number {
  if (pace === undefined) return spacingMs;
  const elapsed = Math.max(0, now - pacedSince);
  const bolder = Math.max(0, elapsed - pace.gentleForMs);
  return spacingMs / Math.exp(pace.gentlePerMs * (elapsed - bolder) + pace.boldPerMs * bolder);
}

/** When this place comes up, as things stand now. */
export function timeOf(state: HoldState, place: number): number {
  const { places, pacedSince, spacingMs, gaps, pace } = state;
  if (pace === undefined) return pacedSince;
  const ahead = Math.max(0, place - gapsBefore(gaps, place) - places);
  return pacedSince + timeFor(pace, ahead * spacingMs);
}

/** The next place, and the state with it taken. */
export function takePlace(
  state: HoldState,
  now: number,
): { readonly place: number; readonly state: HoldState } {
  const { nextPlace, gaps } = state;
  const place = Math.max(nextPlace, placesBy(state, now) + gaps.length);
  return { place, state: { ...state, nextPlace: place + 1 } };
}

/** It was not used: those behind it move up. */
export function givePlaceBack(given: HoldState, place: number, now: number): HoldState {
  const state = withoutPassedGaps(given, now);
  if (place >= state.nextPlace) return state;
  const { gaps } = state;
  return withoutPassedGaps({ ...state, gaps: gaps.toSpliced(gapsBefore(gaps, place), 0, place) }, now);
}

/** Whoever was before them has gone: what is left of them is that so many more have come up. */
function withoutPassedGaps(state: HoldState, now: number): HoldState {
  const { gaps, places } = state;
  const came = placesBy(state, now);
  let passed = 0;
  while (passed < gaps.length && (gaps[passed] as number) - passed <= came) passed += 1;
  return passed === 0 ? state : { ...state, gaps: gaps.slice(passed), places: places + passed };
}

function gapsBefore(gaps: readonly number[], place: number): number {
  let low = 0;
  let high = gaps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((gaps[middle] as number) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
