/** How many hedges may be sent: a bucket that successes fill, and what stops hedges. */

import { thousandths } from '../budget/kind.js';
import type { Hedge } from './setting.js';
import type { Trials } from './trials.js';
import { afterResult, afterSlow, afterTrial, areInVain, isDue, noTrials } from './trials.js';

export interface Hedging {
  /** In thousandths. Empty at the start, so that hedges never exceed their share of the successes. */
  readonly tokens: number;
  readonly trials: Trials;
  readonly lastAt: number;
  /** No hedge is sent before this time, because the server has answered 429. */
  readonly throttledUntil: number;
}

export const noHedges: Hedging = /* @__PURE__ */ (() => ({
  tokens: 0,
  trials: noTrials,
  lastAt: -Infinity,
  throttledUntil: -Infinity,
}))();

/** A hedge takes one token. */
const price = /* @__PURE__ */ thousandths(1);
const throttledForMs = 5_000;
/** While hedges do not help, this is the time between two of them. */
const seldomMs = 1_000;

export function filled(hedge: Hedge, hedging: Hedging): Hedging {
  // It nearly always is.
  if (hedging.tokens === thousandths(hedge.capacity)) return hedging;
  return withTokens(hedge, hedging, hedging.tokens + thousandths(hedge.share));
}

export function refunded(hedge: Hedge, hedging: Hedging): Hedging {
  return withTokens(hedge, hedging, hedging.tokens + price);
}

function withTokens({ capacity }: Hedge, hedging: Hedging, wanted: number): Hedging {
  const tokens = Math.min(thousandths(capacity), wanted);
  if (tokens === hedging.tokens) return hedging;
  const { trials, lastAt, throttledUntil } = hedging;
  return { tokens, trials, lastAt, throttledUntil };
}

export function spent(hedging: Hedging, now: number): Hedging {
  const { trials, throttledUntil } = hedging;
  const tokens = Math.max(0, hedging.tokens - price);
  return { tokens, trials: afterTrial(trials), lastAt: now, throttledUntil };
}

export function throttled(hedging: Hedging, now: number): Hedging {
  return { ...hedging, throttledUntil: now + throttledForMs };
}

export function raced(hedging: Hedging, hasHelped: boolean): Hedging {
  return withTrials(hedging, afterResult(hedging.trials, hasHelped));
}

/** An attempt took longer than the wait for a hedge. */
export function passed(hedging: Hedging): Hedging {
  return withTrials(hedging, afterSlow(hedging.trials));
}

function withTrials(hedging: Hedging, trials: Trials): Hedging {
  return trials === hedging.trials ? hedging : { ...hedging, trials };
}

export function isHedgeLeft({ tokens, trials, lastAt, throttledUntil }: Hedging, now: number): boolean {
  if (tokens < price || now < throttledUntil) return false;
  return !areInVain(trials) || (isDue(trials) && now - lastAt >= seldomMs);
}
