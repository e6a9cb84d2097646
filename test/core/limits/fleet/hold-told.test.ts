/** What a process makes of the fleet's facts about a hold. */

import { expect, test } from 'vitest';
import type { HoldCounts, HoldFacts } from '../../../../src/core/limits/hold/record.js';
import { msPerSuccess, sampleFrom } from '../../../../src/core/limits/hold/sample.js';
import { noHold } from '../../../../src/core/limits/hold/state.js';
import { holdTold, othersTold } from '../../../../src/core/limits/hold/told.js';

const perSecond = 20;
const refusedOf = 4;

function totalsAt(at: number): HoldCounts {
  const successes = Math.floor((at * perSecond) / 1_000);
  const refusals = Math.floor(successes / (refusedOf - 1));
  return { successes, firsts: successes + refusals, refusals, sent: 0 };
}

const gaps = [[100], [300], [950], [1_050], [1_700], [2_500], [10_000], [100, 100, 3_000], [4_000, 700, 900]];

test.each(gaps.map((gap) => ({ gap, text: gap.join(', ') })))(
  'the rate and the share of what others were answered, if it is told after $text ms',
  ({ gap }) => {
    let sample = sampleFrom(0);
    let now = 0;
    for (let turn = 0; now < 20_000; turn += 1) {
      const before = now;
      now += gap[turn % gap.length] ?? 100;
      sample = othersTold(sample, totalsAt(before), totalsAt(now), now);
    }
    expect(1_000 / (msPerSuccess(sample) ?? 0)).toBeCloseTo(perSecond, 0);
    expect(sample.refusals / sample.firsts).toBeCloseTo(1 / refusedOf, 2);
  },
);

test('totals that have shrunk, as in a store that was emptied, add nothing', () => {
  const sample = sampleFrom(0);
  expect(othersTold(sample, totalsAt(9_000), totalsAt(1_000), 10)).toBe(sample);
});

const facts: HoldFacts = {
  limit: 'hold',
  ...totalsAt(0),
  turn: 3,
  phase: 'trial',
  dueMs: 700,
  share: 0.8,
  restMs: 10_000,
  forMs: 0,
  pacedMs: 800,
  places: 5,
  spacingMs: 50,
  nextPlace: 9,
  granted: [],
};

test('a trial that another process has begun is one here, too, and ends at the same time', () => {
  expect(holdTold(noHold, facts, true, 1_000)).toMatchObject({
    phase: 'trial',
    dueAt: 1_700,
    pacedSince: 200,
    share: 0.8,
    restMs: 10_000,
    leased: [],
  });
});

test('a queue that has never changed says nothing', () => {
  expect(holdTold(noHold, { ...facts, turn: 0 }, true, 1_000)).toBe(noHold);
});
