import { describe, expect, test } from 'vitest';
import { diceOf, drawOf, exponential, standardNormal } from '../../../src/tools/sim/dice.js';

const count = 20_000;

function draws(next: (index: number) => number): number[] {
  return Array.from({ length: count }, (_, index) => next(index));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Of two series of the same length. */
function correlation(one: readonly number[], other: readonly number[]): number {
  const [left, right] = [mean(one), mean(other)];
  const covariance = mean(one.map((value, index) => (value - left) * ((other[index] ?? 0) - right)));
  const spread = (values: readonly number[], middle: number): number =>
    Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
  return covariance / spread(one, left) / spread(other, right);
}

describe('draws', () => {
  // A change here changes every run of every user.
  test('are the same on every machine', () => {
    const dice = diceOf(1, 2);
    expect([dice(), dice(), dice()].map((draw) => draw * 2 ** 32)).toEqual(pinnedDice);
    expect([0, 1, 2].map((index) => drawOf(1, 2, index) * 2 ** 32)).toEqual(pinnedDraws);
  });

  const series: readonly [string, readonly number[]][] = [
    ['of a stream', draws(diceOf(7, 1))],
    ['of the first stream of many seeds', draws((seed) => diceOf(seed, 1)())],
    ['of the first of many streams', draws((stream) => diceOf(7, stream)())],
    ['of one user', draws((index) => drawOf(7, 3, index))],
    ['of many users', draws((user) => drawOf(7, user, 1))],
    ['of many seeds', draws((seed) => drawOf(seed, 3, 1))],
  ];

  test.each(series)('are evenly spread: %s', (_, values) => {
    const tenths = new Array<number>(10).fill(0);
    for (const value of values) tenths[Math.floor(value * 10)] = (tenths[Math.floor(value * 10)] ?? 0) + 1;
    for (const found of tenths) expect(Math.abs(found - count / 10)).toBeLessThan(200);
  });

  test.each(series)('know nothing of their neighbours: %s', (_, values) => {
    expect(Math.abs(correlation(values.slice(1), values.slice(0, -1)))).toBeLessThan(0.03);
  });

  test('of two streams know nothing of each other', () => {
    expect(Math.abs(correlation(draws(diceOf(7, 1)), draws(diceOf(7, 2))))).toBeLessThan(0.03);
    expect(Math.abs(correlation(draws(diceOf(7, 1)), draws(diceOf(8, 1))))).toBeLessThan(0.03);
  });

  test('become exponential and normal times', () => {
    const dice = diceOf(1, 1);
    const times = draws(() => exponential(dice(), 10_000));
    expect(mean(times) / 10_000).toBeCloseTo(1, 1);
    expect(times.filter((time) => time > 10_000).length / count).toBeCloseTo(Math.exp(-1), 2);
    const normal = draws(() => standardNormal(dice));
    expect(mean(normal)).toBeCloseTo(0, 1);
    expect(mean(normal.map((value) => value * value))).toBeCloseTo(1, 1);
    expect(normal.filter((value) => Math.abs(value) < 1).length / count).toBeCloseTo(0.683, 2);
  });

  test('exponential times are finite for every draw', () => {
    expect(exponential(0, 10)).toBe(0);
    expect(exponential(1 - 2 ** -32, 10)).toBeLessThan(250);
  });
});

const pinnedDice = [291_270_524, 3_895_822_562, 3_217_130_052];
const pinnedDraws = [3_743_166_321, 3_968_469_405, 4_211_592_233];
