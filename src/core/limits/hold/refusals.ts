/**
 * The hold of a scope: what one request learns about a server's rate limit holds for all, once enough requests are
 * refused. A long hint keeps all requests from being sent inside the window that the server named. After it, and after
 * a short hint at once, requests queue at a little less than the rate of successes seen before, and slowly try whether
 * more is possible.
 */

import type { Hold } from '../../policy/limits.js';
import type { Finding, ResponseFinding } from '../../types.js';
import type { Answers } from './answers.js';
import { refusedShare, successRate } from './answers.js';
import { isPaced, placesTaken, spacingBy } from './queue.js';
import type { HoldState, Pace } from './state.js';
import { courteous, keen } from './state.js';

/**
 * How long a rate has to be in use before a refusal says anything about it: answers to earlier requests still come in.
 */
const settlingMs = 1_500;

/**
 * While there is a queue, the limit is known to concern all requests, so this part of `refusedShare` is enough to
 * notice it again.
 */
const shareWhilePaced = 0.25;

/** After this time, no answer that is still counted came from the pace before. */
const forgottenMs = 2_500;

/**
 * A refused share has not fallen if it is still this part of what it was: after slowing down a little, and after
 * slowing down a lot.
 */
const unchanged = 0.85;
const unchangedByMuch = 0.6;

/** How much larger than the share of a single tenant a refused share must be to concern all requests. */
const clearlyMore = 1.2;
const moreShare = 0.16;

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

/** The hold after an attempt was refused. The recent answers tell whether other requests would be refused, too. */
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
  // No place comes up before the window is over.
  return {
    ...paced(hold, state, answers, now),
    until,
    pacedSince: until,
    places: placesTaken(state, now),
    ...why,
  };
}

type Few = Pick<HoldState, 'asked'> & { readonly share: number };

/**
 * Too few refusals to stop all requests. But the pace may be a little too fast. If lowering it twice does not make them
 * fewer, the pace is not their reason: they belong to one tenant, or to one route.
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
    // Slowing down a little may not show. So now the pace goes down to the rate of successes, at which a rate limit
    // refuses next to nothing.
    return { ...paced(hold, state, answers, now, true), asked, slowedTwice: true };
  }
  if (share < clearlyMore * state.apart + moreShare * hold.refusedShare) return state;
  return { ...paced(hold, state, answers, now), asked, slowedFor: share, slowedTwice: false, apart: 0 };
}

/** From now on, requests go at a rate that the server has accepted before. */
function paced(
  hold: Hold,
  state: HoldState,
  answers: Answers,
  now: number,
  isFar: boolean = refusedShare(answers, now) >= farShare,
): HoldState {
  // This refusal belongs to the time before the rate was lowered.
  if (now < state.pacedSince + settlingMs) return state;
  const pace = hold.refusedShare === 0 ? courteous : keen;
  const spacingMs = spacingFrom(hold, state, pace, answers, isFar, now);
  return { ...state, pacedSince: now, places: placesTaken(state, now), spacingMs, pace };
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
  // If the rate is only a little too high, a token bucket with room for one accepts only half of the requests: then the
  // rate that it accepted before says more than the successes do.
  return Math.max(beforeMs, isFar ? measuredMs : Math.min(measuredMs, beforeMs / leastStep));
}

/**
 * The pace goes down to this part of a rate that was a little too high; and from this refused share on, it was not just
 * a little.
 */
const leastStep = 0.9;
const farShare = 0.7;
