/**
 * The hold of a scope: one request's hint keeps the others from being sent inside the forbidden window.
 * Behind it they queue at the rate of successes seen before the first refusal, which grows by half each
 * second, so that the end of the window is not the beginning of the next.
 */

import type { Hold, HoldState } from './types.js';

export const noHold: HoldState = {
  until: Number.NEGATIVE_INFINITY,
  nextAt: Number.NEGATIVE_INFINITY,
  spacingMs: 0,
  successes: 0,
  successesBefore: 0,
  countingSince: Number.NEGATIVE_INFINITY,
};

/** The queue has grown to 57 times the old rate by then: nobody waits in it any more. */
const reopeningMs = 10_000;

/** Counts by the second, to know the rate if a refusal comes. */
export function afterSuccess(state: HoldState, now: number): HoldState {
  const elapsed = now - state.countingSince;
  if (elapsed < 1_000) return { ...state, successes: state.successes + 1 };
  const successesBefore = elapsed < 2_000 ? state.successes : 0;
  return { ...state, successes: 1, successesBefore, countingSince: now };
}

/** A hint of `hintMs` arrived. Short ones delay only the request that got them. */
export function afterHint(hold: Hold, state: HoldState, hintMs: number, now: number): HoldState {
  const until = now + hintMs;
  if (hintMs < hold.minMs || until <= state.until) return state;
  // Another refusal while the first one is still being lived down: the old rate stands.
  const spacingMs = isLivedDown(state, now) ? spacingBefore(hold, state, now) : state.spacingMs;
  return { ...state, until, nextAt: until, spacingMs };
}

function isLivedDown({ until }: HoldState, now: number): boolean {
  return now >= until + reopeningMs;
}

function spacingBefore(hold: Hold, state: HoldState, now: number): number {
  const elapsed = now - state.countingSince;
  // Two slices at most: older news is not the rate of today. A slice begins with a success.
  if (elapsed >= 2_000) return hold.spacingMs;
  return (elapsed + 1_000) / (state.successes + state.successesBefore);
}

/** A place in the queue: when an attempt that asks now may be sent, and the state with that place taken. */
export function takePlace(state: HoldState, now: number): { readonly at: number; readonly state: HoldState } {
  if (isLivedDown(state, now)) return { at: now, state };
  const at = Math.max(state.nextAt, now);
  const growth = 1.5 ** ((at - state.until) / 1_000);
  return { at, state: { ...state, nextAt: at + state.spacingMs / growth } };
}

/** A place taken before a later hint moved the window is worth nothing. */
export function placeHolds({ until }: HoldState, at: number): boolean {
  return at >= until;
}
