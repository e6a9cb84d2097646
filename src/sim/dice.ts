/**
 * Seeded dice. Integer arithmetic only, so that a seed gives the same draws on every machine.
 *
 * Whoever draws has a stream of their own: what one of them draws more or less changes nothing for the others, and
 * two policies meet the very same users.
 */

import { ln } from './elementary.js';

/** Draws from [0, 1). */
export type Dice = () => number;

const resolution = 2 ** 32;

/** sfc32 (Chris Doty-Humphrey, PractRand): 128 bits of state, of which 32 count. */
export function diceOf(seed: number, stream: number): Dice {
  let a = seed | 0;
  let b = stream | 0;
  let c = 0x9e37_79b9;
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  // Until neighbouring seeds have nothing in common any more.
  for (let round = 0; round < 15; round += 1) next();
  return () => next() / resolution;
}

/** The draw number `index` of a user, without a state to keep for each of a hundred thousand. */
export function drawOf(seed: number, user: number, index: number): number {
  return scatter(scatter(scatter(seed) ^ user) ^ index) / resolution;
}

/** A bijection of 32 bits in which every input bit changes half of the output's (Chris Wellons, "lowbias32"). */
function scatter(value: number): number {
  let x = (value + 0x9e37_79b9) | 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0_aaad);
  x = Math.imul(x ^ (x >>> 15), 0xd35a_2d97);
  return (x ^ (x >>> 15)) >>> 0;
}

/** A draw, as an exponentially distributed time with this mean. */
export function exponential(draw: number, mean: number): number {
  return (0 - ln(1 - draw)) * mean;
}

/** From two draws, a normally distributed number of mean 0 and deviation 1 (Marsaglia's polar method). */
export function standardNormal(dice: Dice): number {
  for (;;) {
    const x = 2 * dice() - 1;
    const y = 2 * dice() - 1;
    const square = x * x + y * y;
    if (square > 0 && square < 1) return x * Math.sqrt((-2 * ln(square)) / square);
  }
}
