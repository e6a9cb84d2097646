/**
 * What chance makes of an attempt is drawn from the seed, the request and the number of the attempt alone: under
 * another policy, or at another time, the same attempt of the same request meets the same luck.
 */

import { scatter, shareOf } from './dice.js';

/** A request's, or an attempt's: 32 bits. */
export type Luck = number;

/** What is drawn: of one attempt, draws for different purposes have nothing in common. */
export const purposes = {
  route: 1,
  leaving: 2,
  backend: 3,
  latency: 4,
  failure: 5,
  work: 6,
  loss: 7,
} as const;

export type Purpose = (typeof purposes)[keyof typeof purposes];

/** Of the request number `index` of somebody whose own luck this is. */
export function luckOf(luck: Luck, index: number): Luck {
  return scatter(luck ^ index);
}

/** From [0, 1). */
export function drawFor(luck: Luck, purpose: Purpose): number {
  return shareOf(scatter(luck ^ purpose));
}
