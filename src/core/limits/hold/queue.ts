/**
 * The queue behind a hold. Places are numbers and not times: when the pace changes, it changes for all that queue, and
 * their order stays. A place that was given back leaves a gap, and all behind it are one farther to the front.
 */

import type { HoldState, Pace } from './state.js';

/** Who has not queued for so long need not queue any more. */
const pacedForMs = 10_000;

/** Whether requests queue: for a while after a refusal, and as long as others are in the queue. */
export function isPaced(state: HoldState, now: number): boolean {
  return now < state.pacedSince + pacedForMs || placesBy(state, now) < state.nextPlace - state.gaps.length;
}

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
export function placesBy({ places, pacedSince, spacingMs, pace }: HoldState, now: number): number {
  return pace === undefined ? places : places + placesAfter(pace, Math.max(0, now - pacedSince)) / spacingMs;
}

/** What the distance has become by then. */
export function spacingBy({ pacedSince, spacingMs, pace }: HoldState, now: number): number {
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
  if (given.leased !== undefined) return withLeased(given, [...given.leased, place].sort(byNumber));
  const state = withoutPassedGaps(given, now);
  if (place >= state.nextPlace) return state;
  const { gaps } = state;
  return withoutPassedGaps({ ...state, gaps: gaps.toSpliced(gapsBefore(gaps, place), 0, place) }, now);
}

/** The first of those that a store has given, if it has given one. */
export function takeLeased(
  state: HoldState,
  leased: readonly number[],
  now: number,
): { readonly place: number | undefined; readonly state: HoldState } {
  // What came up long ago is lost: many requests at once would use it.
  const [place, ...others] = leased.filter((one) => timeOf(state, one) > now - leaseKeptMs);
  return { place, state: withLeased(state, others) };
}

/** A place that has come up waits so long for a request of its own process. */
const leaseKeptMs = 500;

function withLeased(state: HoldState, leased: readonly number[]): HoldState {
  return { ...state, leased };
}

function byNumber(one: number, other: number): number {
  return one - other;
}

/** The requests before these gaps have gone: all that is left of them is that so many more places have come up. */
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
