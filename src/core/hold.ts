/**
 * The hold of a scope: what one request learns of a server's limit holds for all. A long hint keeps everybody
 * from being sent inside the forbidden window. Behind it, and after a short one at once, requests queue a
 * little below the rate of successes seen before, and find out slowly whether there is more.
 */

import type { Finding, Hold, HoldState } from './types.js';

export const noHold: HoldState = {
  until: Number.NEGATIVE_INFINITY,
  pacedSince: Number.NEGATIVE_INFINITY,
  places: 0,
  nextPlace: 0,
  spacingMs: 0,
  successes: 0,
  successesBefore: 0,
  countingSince: Number.NEGATIVE_INFINITY,
};

/** Of the rate that was too much: low enough to be below the limit, and most of it. */
const easing = 0.8;

/**
 * So many times the rate, each second: a bucket that holds a second's worth is empty again, and says so, before
 * the rate has reached one and a half times what fills it.
 */
const growth = 1.1;

/** How long a rate is tried before a refusal says anything about it: what was sent before still comes back. */
const settlingMs = 1_500;

/** Who has not queued for so long need not queue any more. */
const pacedForMs = 10_000;

/** Counts by the second, to know the rate if a refusal comes. */
export function afterSuccess(state: HoldState, now: number): HoldState {
  const elapsed = now - state.countingSince;
  return elapsed < 1_000
    ? withCounts(state, state.successes + 1, state.successesBefore, state.countingSince)
    : withCounts(state, 1, elapsed < 2_000 ? state.successes : 0, now);
}

/** Written out: this happens at every success, and a spread takes ten times as long. */
function withCounts(
  { until, pacedSince, places, spacingMs, nextPlace }: HoldState,
  successes: number,
  successesBefore: number,
  countingSince: number,
): HoldState {
  return { until, pacedSince, places, spacingMs, nextPlace, successes, successesBefore, countingSince };
}

/** An attempt failed; perhaps it was told to wait, or that it was too much. */
export function afterFailure(
  hold: Hold,
  state: HoldState,
  finding: Finding,
  maxHintMs: number,
  now: number,
): HoldState {
  const hintMs = (finding.kind === 'response' && finding.hint?.delayMs) || 0;
  // A window longer than anybody would wait is the server's to enforce: each request asks it.
  if (hintMs > maxHintMs) return state;
  if (hintMs >= hold.minMs) return afterLongHint(hold, state, now + hintMs, now);
  return finding.class === 'throttled' ? paced(hold, state, now) : state;
}

function afterLongHint(hold: Hold, state: HoldState, until: number, now: number): HoldState {
  if (until <= state.until) return state;
  const slower = paced(hold, state, now);
  // Nobody gets on in the meantime.
  return { ...slower, until, pacedSince: until, places: placesBy(state, now) };
}

/** From now on, at a rate that the server has shown that it can bear. */
function paced(hold: Hold, state: HoldState, now: number): HoldState {
  // Late news of what the rate was lowered for.
  if (now < state.pacedSince + settlingMs) return state;
  return {
    ...state,
    pacedSince: now,
    places: placesBy(state, now),
    spacingMs: spacingFrom(hold, state, now),
  };
}

function spacingFrom(hold: Hold, state: HoldState, now: number): number {
  const elapsed = now - state.countingSince;
  // Two slices at most: older news is not the rate of today. A slice begins with a success.
  if (elapsed >= 2_000) return isPaced(state, now) ? state.spacingMs : hold.spacingMs;
  const { successes, successesBefore } = state;
  if (successesBefore > 0) return (elapsed + 1_000) / (successes + successesBefore) / easing;
  const spacingMs = Math.max(elapsed, 1_000) / successes / easing;
  // Too short a look is no rate: so much is possible, and perhaps more.
  return elapsed < 1_000 ? Math.min(spacingMs, hold.spacingMs) : spacingMs;
}

/** Whether requests queue: for a while after a refusal, and as long as others are in the queue. */
export function isPaced(state: HoldState, now: number): boolean {
  return now < state.pacedSince + pacedForMs || placesBy(state, now) < state.nextPlace;
}

// ---------------------------------------------------------------- the queue

/*
 * Places are numbers and not times: when the pace changes, it changes for all that queue, and their order stays.
 */

/** How many places have come up by then: each second, `growth` times as many as in the one before. */
function placesBy({ places, pacedSince, spacingMs }: HoldState, now: number): number {
  const elapsed = Math.max(0, now - pacedSince);
  return spacingMs === 0 ? places : places + (growth ** (elapsed / 1_000) - 1) / (spacingMs * growthPerMs);
}

/** When this place comes up, as things stand now. */
export function timeOf({ places, pacedSince, spacingMs }: HoldState, place: number): number {
  const ahead = Math.max(0, place - places);
  return pacedSince + Math.log1p(ahead * spacingMs * growthPerMs) / growthPerMs;
}

const growthPerMs = Math.log(growth) / 1_000;

/** The next place, and the state with it taken. */
export function takePlace(
  state: HoldState,
  now: number,
): { readonly place: number; readonly state: HoldState } {
  const place = Math.max(state.nextPlace, placesBy(state, now));
  return { place, state: { ...state, nextPlace: place + 1 } };
}
