/** How many hedges may be sent: a bucket that successes fill, and what stops them. */

import type { Hedge } from '../../policy/limits.js';
import { thousandths } from '../budget/kind.js';
import type { LastFifty } from './last-fifty.js';
import { afterOne, noneOfFifty } from './last-fifty.js';

export interface Hedging {
  /** In thousandths. Empty at the start, so that there are never more hedges than the share of successes. */
  readonly tokens: number;
  /** Which of the last hedges lost. */
  readonly lost: LastFifty;
  readonly lastAt: number;
  /** No hedge before this time, since the server has said 429. */
  readonly throttledUntil: number;
}

export const noHedges: Hedging = {
  tokens: 0,
  lost: noneOfFifty,
  lastAt: Number.NEGATIVE_INFINITY,
  throttledUntil: Number.NEGATIVE_INFINITY,
};

/** A hedge takes one token. */
const price = thousandths(1);
const throttledForMs = 5_000;
/** If more of the last fifty hedges lost, one a second finds out whether that has changed. */
const tooManyLost = 25;
const seldomMs = 1_000;

export function filled(hedge: Hedge, hedging: Hedging): Hedging {
  return withTokens(hedge, hedging, hedging.tokens + thousandths(hedge.share));
}

export function refunded(hedge: Hedge, hedging: Hedging): Hedging {
  return withTokens(hedge, hedging, hedging.tokens + price);
}

function withTokens({ capacity }: Hedge, hedging: Hedging, wanted: number): Hedging {
  const tokens = Math.min(thousandths(capacity), wanted);
  if (tokens === hedging.tokens) return hedging;
  const { lost, lastAt, throttledUntil } = hedging;
  return { tokens, lost, lastAt, throttledUntil };
}

export function spent(hedging: Hedging, now: number): Hedging {
  return { ...hedging, tokens: Math.max(0, hedging.tokens - price), lastAt: now };
}

export function throttled(hedging: Hedging, now: number): Hedging {
  return { ...hedging, throttledUntil: now + throttledForMs };
}

export function raced(hedging: Hedging, hasHedgeWon: boolean): Hedging {
  const lost = afterOne(hedging.lost, !hasHedgeWon);
  return lost === hedging.lost ? hedging : { ...hedging, lost };
}

export function isHedgeLeft({ tokens, lost, lastAt, throttledUntil }: Hedging, now: number): boolean {
  const isSeldom = lost.count > tooManyLost;
  return tokens >= price && now >= throttledUntil && !(isSeldom && now - lastAt < seldomMs);
}
