/**
 * What is asked of hedges and of timeouts that learn, with one seed: `npm run sim:tail` judges the same with ten, on more
 * days, and with the bounds themselves.
 */

import { describe, expect, test } from 'vitest';
import type { TailFigures } from '../../scripts/tail/figures.js';
import { attemptsEach, slowMinuteBeside, tailFiguresOf, workBeside } from '../../scripts/tail/figures.js';
import type { TailContender } from '../../scripts/tail/rows.js';
import { tailContenders } from '../../scripts/tail/rows.js';
import type { Day } from '../../src/tools/sim/index.js';
import { tailDays as days } from '../../src/tools/sim/index.js';

const none = 'no retry';
const service = 'undaunted: `service`';
const hedge = '`service`, hedge';
const moreHedges = '`service`, hedge, share 0.15';
const learning = '`service`, timeouts that learn';

function figuresOn(day: Day): (contender: TailContender) => TailFigures {
  const known = new Map<TailContender, TailFigures>();
  return (contender) => {
    const figures = known.get(contender) ?? tailFiguresOf(day, tailContenders[contender], [1]);
    known.set(contender, figures);
    return figures;
  };
}

describe('one answer in a hundred takes a hundred times as long', () => {
  const on = figuresOn(days.slowTail(days.oneInAHundred, 100));

  test('without, it takes two seconds', () => {
    expect(on(service).p999Ms).toBeGreaterThan(2_000);
    expect(attemptsEach(on(service))).toBeLessThan(1.006);
  });

  test.each<[TailContender, number, number]>([
    [hedge, 120, 1.03],
    [learning, 135, 1.02],
  ])('%s: %i ms at %dx', (contender, mostMs, load) => {
    const own = on(contender);
    expect(own.p999Ms).toBeLessThanOrEqual(mostMs);
    expect(attemptsEach(own)).toBeLessThanOrEqual(load);
    expect(workBeside(own, on(none))).toBeLessThanOrEqual(load);
  });
});

describe('one of ten backends is fifty times as slow', () => {
  const on = figuresOn(days.slowBackend(10, 50, 100));

  // With one seed, there is chance in the 99th percentile.
  test.each<[TailContender, number, number]>([
    [hedge, 0.9, 1.06],
    [moreHedges, 0.4, 1.12],
  ])('%s: the 99th percentile is %d of what it was, at %dx', (contender, share, load) => {
    const own = on(contender);
    expect(own.p99Ms / on(service).p99Ms).toBeLessThanOrEqual(share);
    expect(attemptsEach(own)).toBeLessThanOrEqual(load);
    expect(workBeside(own, on(none))).toBeLessThanOrEqual(load);
  });
});

describe('a busy server', () => {
  describe.each([0.8, 0.95])('%d of 16 workers', (share) => {
    const on = figuresOn(days.busy(16, share));

    test.each<TailContender>([hedge, learning])('%s: neither loses more nor becomes slower', (contender) => {
      const own = on(contender);
      expect(own.good / on(service).good).toBeGreaterThanOrEqual(0.99);
      expect(own.p999Ms / on(service).p999Ms).toBeLessThanOrEqual(1.05);
    });
  });
});

describe('requests that are slow by nature', () => {
  const on = figuresOn(days.slowByNature(days.oneInAHundred, 100));

  test.each<TailContender>([hedge, learning])('%s: hardly more work', (contender) => {
    expect(workBeside(on(contender), on(service))).toBeLessThanOrEqual(1.12);
    expect(on(contender).good).toBeGreaterThanOrEqual(on(service).good - 0.001);
  });
});

describe('everything is three times as slow for a minute', () => {
  describe.each([10, 100])('%i a second', (rate) => {
    const on = figuresOn(days.slowMinute(3, rate));

    test.each<TailContender>([hedge, moreHedges, learning])('%s: hardly more load', (contender) => {
      const own = on(contender);
      expect(slowMinuteBeside(own, on(service))).toBeLessThanOrEqual(1.01);
      expect(own.hedgesWhenNoticed).toBeLessThanOrEqual(5);
    });
  });
});

describe('pauses of 200 ms every five seconds', () => {
  const on = figuresOn(days.pauses(5_000, 200, 100));

  test.each<TailContender>([hedge, learning])('%s: hardly more load, and hardly slower', (contender) => {
    expect(attemptsEach(on(contender))).toBeLessThan(1.01);
    expect(on(contender).p999Ms / on(none).p999Ms).toBeLessThan(1.1);
    expect(on(contender).good).toBe(1);
  });
});
