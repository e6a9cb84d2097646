/** Which answers are refusals, and what a single one changes where it is enough. */

import type { Finding, ResponseFinding } from '../../types.js';
import { isPaced, placesTaken, spacingBy } from './queue.js';
import type { Sample } from './sample.js';
import { shortestMs } from './sample.js';
import type { Hold } from './setting.js';
import type { HoldState } from './state.js';
import { obeyed } from './state.js';
import { trialMs } from './trial.js';

/** Whether a failure says that other requests would fail as well: it asks for a long wait, or it is a rate limit. */
export function isRefusal(hold: Hold, finding: Finding, maxHintMs: number): finding is ResponseFinding {
  if (finding.kind !== 'response') return false;
  const hintMs = hintIn(finding);
  // If the window is longer than requests are willing to wait, they do not wait for it: each one asks the server.
  return hintMs <= maxHintMs && (hintMs >= hold.minMs || finding.class === 'throttled');
}

function hintIn({ hint }: ResponseFinding): number {
  return hint?.delayMs ?? 0;
}

/** The hold after an attempt was refused. If the limit is not known to be for all, the samples tell (`trial.ts`). */
export function afterRefusal(
  hold: Hold,
  state: HoldState,
  sample: Sample,
  finding: ResponseFinding,
  now: number,
): HoldState {
  const hintMs = hintIn(finding);
  if (hold.refusedShare > 0) {
    if (state.phase !== 'trickle') return state;
    // The server has named a later time.
    return { ...state, dueAt: Math.max(state.dueAt, now + hintMs + trialMs) };
  }
  const asked = { finding, at: now };
  if (hintMs < hold.minMs) {
    const slower = slowed(hold, state, sample, now);
    return slower === state ? state : { ...slower, asked };
  }
  const until = now + hintMs;
  if (until <= state.until) return state;
  // No place comes up before the window is over.
  const places = placesTaken(state, now);
  return { ...slowed(hold, state, sample, now), phase: 'obeyed', until, pacedSince: until, places, asked };
}

/** From now on, requests go at a rate that the server has accepted before. */
function slowed(hold: Hold, state: HoldState, sample: Sample, now: number): HoldState {
  // This refusal belongs to the time before the rate was lowered.
  if (now < state.pacedSince + trialMs) return state;
  const measuredMs = usualMs(hold, sample, now);
  const spacingMs = isPaced(state, now)
    ? Math.max(measuredMs ?? state.spacingMs, measuredMs === undefined ? 0 : spacingBy(state, now))
    : (measuredMs ?? hold.spacingMs);
  return { ...state, phase: 'obeyed', pacedSince: now, places: placesTaken(state, now), spacingMs };
}

/** The time between two requests at a little less than the rate of what has succeeded lately. */
function usualMs(hold: Hold, { since, successes, before }: Sample, now: number): number | undefined {
  const elapsed = now - since;
  const lately = successes + (before?.successes ?? 0);
  if (lately === 0 || elapsed >= 2 * shortestMs) return undefined;
  const eachMs = (Math.max(elapsed, shortestMs - (before?.forMs ?? 0)) + (before?.forMs ?? 0)) / lately;
  const isTooShort = before === undefined && elapsed < shortestMs;
  return (isTooShort ? Math.min(eachMs, hold.spacingMs) : eachMs) / obeyed.easing;
}
