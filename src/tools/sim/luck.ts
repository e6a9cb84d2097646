/**
 * The luck of an attempt depends only on the seed, the request and the number of the attempt: the same attempt of the
 * same request has the same luck under another policy or at another time.
 */

import { scatter, shareOf } from './dice.js';

/** The luck of a request or of an attempt: 32 bits. */
export type Luck = number;

/** What a draw decides: draws of one attempt for different purposes are independent. */
export const purposes = {
  route: 1,
  leaving: 2,
  backend: 3,
  latency: 4,
  failure: 5,
  work: 6,
  loss: 7,
  tail: 8,
} as const;

export type Purpose = (typeof purposes)[keyof typeof purposes];

/** The luck of request number `index`, from the luck of its sender. */
export function luckOf(luck: Luck, index: number): Luck {
  return scatter(luck ^ index);
}

/** From [0, 1). */
export function drawFor(luck: Luck, purpose: Purpose): number {
  return shareOf(scatter(luck ^ purpose));
}
