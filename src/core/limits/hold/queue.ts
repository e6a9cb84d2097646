/**
 * The queue behind a hold. Places are numbers, not times: when the pace changes, it changes for all requests in the
 * queue, and their order stays the same. A place that is given back leaves a gap, and every request behind it moves up
 * by one.
 */

import type { HoldState, Pace } from './state.js';
import { paces } from './state.js';

/** How long requests have to queue after the pace was last set, even if no others are waiting. */
const pacedForMs = 10_000;

/** Whether requests have to queue: for a while after a refusal, and as long as there are others in the queue. */
export function isPaced(state: HoldState, now: number): boolean {
  // Nearly always; to look it up takes longer than all else here.
  if (state.phase === 'free' || paces[state.phase] === undefined) return false;
  return now < state.pacedSince + pacedForMs || placesBy(state, now) < state.nextPlace - state.gaps.length;
}

/** If all may go, those that waited follow each other for this time: at once, they would be too many for some servers. */
const drainMs = 1_000;

/** Whether requests that waited before all might go are still about to follow each other. */
export function isDraining({ phase, pacedSince, places, nextPlace }: HoldState, now: number): boolean {
  return places < nextPlace && paces[phase] === undefined && now < pacedSince + drainMs;
}

/** How many places have come up after this time, if the pace begins at one place per millisecond. */
function placesAfter({ gentlePerMs, gentleForMs, boldPerMs }: Pace, elapsed: number): number {
  const places = Math.expm1(gentlePerMs * Math.min(elapsed, gentleForMs)) / gentlePerMs;
  if (elapsed <= gentleForMs) return places;
  return (
    places +
    (Math.exp(gentlePerMs * gentleForMs) * Math.expm1(boldPerMs * (elapsed - gentleForMs))) / boldPerMs
  );
}

/** The inverse: after what time this many places have come up. */
function timeFor(pace: Pace, places: number): number {
  const { gentlePerMs, gentleForMs, boldPerMs } = pace;
  const gentlePlaces = placesAfter(pace, gentleForMs);
  if (places <= gentlePlaces) return Math.log1p(places * gentlePerMs) / gentlePerMs;
  const bolder = ((places - gentlePlaces) * boldPerMs) / Math.exp(gentlePerMs * gentleForMs);
  return gentleForMs + Math.log1p(bolder) / boldPerMs;
}

/** How many places have come up by `now`. */
export function placesBy({ places, pacedSince, spacingMs, phase }: HoldState, now: number): number {
  const pace = paces[phase];
  return pace === undefined ? places : places + placesAfter(pace, Math.max(0, now - pacedSince)) / spacingMs;
}

/**
 * How many places have been taken and have come up by `now`. When the pace changes, this is where it goes on. Places
 * that came up untaken do not count: after minutes of growth there are more of them than a number can tell apart.
 */
export function placesTaken(state: HoldState, now: number): number {
  const taken = state.nextPlace - state.gaps.length;
  return paces[state.phase] === undefined ? taken : Math.min(placesBy(state, now), taken);
}

/** The time between two places at `now`. */
export function spacingBy({ pacedSince, spacingMs, phase }: HoldState, now: number): number {
  const pace = paces[phase];
  if (pace === undefined) return spacingMs;
  const elapsed = Math.max(0, now - pacedSince);
  const bolder = Math.max(0, elapsed - pace.gentleForMs);
  return spacingMs / Math.exp(pace.gentlePerMs * (elapsed - bolder) + pace.boldPerMs * bolder);
}

/** When this place comes up, at the current pace. */
export function timeOf(state: HoldState, place: number): number {
  const { places, pacedSince, spacingMs, gaps, phase } = state;
  const pace = paces[phase];
  const ahead = Math.max(0, place - gapsBefore(gaps, place) - places);
  if (pace === undefined) return pacedSince + (drainMs * ahead) / Math.max(1, state.nextPlace - places);
  return pacedSince + timeFor(pace, ahead * spacingMs);
}

/** Takes the next place. */
export function takePlace(
  state: HoldState,
  now: number,
): { readonly place: number; readonly state: HoldState } {
  const { nextPlace, gaps } = state;
  const place = Math.max(nextPlace, placesBy(state, now) + gaps.length);
  return { place, state: { ...state, nextPlace: place + 1 } };
}

/** Gives back a place that was not used; the requests behind it move up. */
export function givePlaceBack(given: HoldState, place: number, now: number): HoldState {
  if (given.leased !== undefined) return withLeased(given, [...given.leased, place].sort(byNumber));
  const state = withoutPassedGaps(given, now);
  if (place >= state.nextPlace) return state;
  const { gaps } = state;
  return withoutPassedGaps({ ...state, gaps: gaps.toSpliced(gapsBefore(gaps, place), 0, place) }, now);
}

/** Takes the first of the places that the store has given, if there is one. */
export function takeLeased(
  state: HoldState,
  leased: readonly number[],
  now: number,
): { readonly place: number | undefined; readonly state: HoldState } {
  // Places that came up long ago are dropped: otherwise many requests would use them all at once.
  const [place, ...others] = leased.filter((one) => timeOf(state, one) > now - leaseKeptMs);
  return { place, state: withLeased(state, others) };
}

/** How long a place that has come up is kept for a request of this process. */
const leaseKeptMs = 500;

function withLeased(state: HoldState, leased: readonly number[]): HoldState {
  return { ...state, leased };
}

function byNumber(one: number, other: number): number {
  return one - other;
}

/** Removes gaps whose requests in front have all gone: they only count as that many more places that have come up. */
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
