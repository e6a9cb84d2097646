/**
 * The hold of a scope: what requests learn of a server's limit holds for all, once the refusals are everybody's. A
 * long hint keeps everybody from being sent inside the forbidden window. Behind it, and after a short one at once,
 * requests queue a little below the rate of successes seen before, and find out slowly whether there is more.
 */

import type { Hold } from '../../policy/limits.js';
import type { Finding, ResponseFinding } from '../../types.js';
import type { Answers } from './answers.js';
import { refusedShare, successRate } from './answers.js';
import { isPaced, placesBy, spacingBy } from './queue.js';
import type { HoldState, Pace } from './state.js';
import { courteous, keen } from './state.js';

/** How long a rate is tried before a refusal says anything about it: what was sent before still comes back. */
const settlingMs = 1_500;

/** Where a queue shows that a limit was everybody's, less says that it is met again. */
const shareWhilePaced = 0.25;

/** After so long, no answer that is counted was given at the pace before. */
const forgottenMs = 2_500;

/** A share that is still so much of what it was has not fallen: after a little less, and after much less. */
const unchanged = 0.85;
const unchangedByMuch = 0.6;

/** How much larger a share has to be than one that is a tenant's own, to be about all. */
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
  // No request gets on in the meantime.
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
