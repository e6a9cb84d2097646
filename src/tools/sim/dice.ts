/**
 * Seeded dice. Integer arithmetic only, so that a seed gives the same draws on every machine.
 *
 * Each part of a run draws from a stream of its own: if one draws more often, the others still get the same draws, and
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
  // Mixes the state until neighbouring seeds have nothing in common.
  for (let round = 0; round < 15; round += 1) next();
  return () => next() / resolution;
}

/** Draw number `index` of a user, computed without a state for each of a hundred thousand users. */
export function drawOf(seed: number, user: number, index: number): number {
  return shareOf(scatter(scatter(scatter(seed) ^ user) ^ index));
}

/** Turns 32 bits into a draw. */
export function shareOf(bits: number): number {
  return (bits >>> 0) / resolution;
}

/** A bijection of 32 bits in which every input bit changes half of the output's (Chris Wellons, "lowbias32"). */
export function scatter(value: number): number {
  let x = (value + 0x9e37_79b9) | 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0_aaad);
  x = Math.imul(x ^ (x >>> 15), 0xd35a_2d97);
  return (x ^ (x >>> 15)) >>> 0;
}

/** Turns a draw into an exponentially distributed time with this mean. */
export function exponential(draw: number, mean: number): number {
  return (0 - ln(1 - draw)) * mean;
}

/** A normally distributed number with mean 0 and deviation 1, from two draws or more (Marsaglia's polar method). */
export function standardNormal(dice: Dice): number {
  for (;;) {
    const x = 2 * dice() - 1;
    const y = 2 * dice() - 1;
    const square = x * x + y * y;
    if (square > 0 && square < 1) return x * Math.sqrt((-2 * ln(square)) / square);
  }
}

/** Turns a draw into a number with mean 0 and deviation 1 (Peter Acklam's approximation, good to nine digits). */
export function normal(draw: number): number {
  const share = Math.min(Math.max(draw, 1e-12), 1 - 1e-12);
  if (share < tail) return normalInTail(share);
  if (share > 1 - tail) return 0 - normalInTail(1 - share);
  const q = share - 0.5;
  const r = q * q;
  return (q * polynomial(middle.above, r)) / (polynomial(middle.below, r) * r + 1);
}

function normalInTail(share: number): number {
  const q = Math.sqrt(-2 * ln(share));
  return polynomial(outer.above, q) / (polynomial(outer.below, q) * q + 1);
}

const tail = 0.02425;

const middle = {
  above: [
    -3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2, -3.066479806614716e1,
    2.506628277459239,
  ],
  below: [
    -5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1,
    -1.328068155288572e1,
  ],
};

const outer = {
  above: [
    -7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734, 4.374664141464968,
    2.938163982698783,
  ],
  below: [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416],
};

function polynomial(factors: readonly number[], x: number): number {
  let sum = 0;
  for (const factor of factors) sum = sum * x + factor;
  return sum;
}
