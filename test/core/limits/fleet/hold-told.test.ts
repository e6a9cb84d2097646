/** What other processes were answered is told in portions: the rate and the refused share are still right. */

import { expect, test } from 'vitest';
import type { Totals } from '../../../../src/core/limits/fleet/hold-told.js';
import { answersTold } from '../../../../src/core/limits/fleet/hold-told.js';
import type { Answers } from '../../../../src/core/limits/hold/answers.js';
import {
  afterAnswer,
  noAnswers,
  refusedShare,
  successRate,
} from '../../../../src/core/limits/hold/answers.js';

const perSecond = 20;
const refusedOf = 4;

function totalsAt(at: number): Totals {
  const successes = Math.floor((at * perSecond) / 1_000);
  const refusals = Math.floor(successes / (refusedOf - 1));
  return { successes, firsts: successes + refusals, refusals, at };
}

/** The rate and the share after each portion, from the fifth second on. */
function measured(gapsMs: readonly number[], ownEachMs = Number.POSITIVE_INFINITY): [number, number][] {
  const found: [number, number][] = [];
  let answers: Answers = noAnswers;
  let ownAt = ownEachMs;
  let before = totalsAt(0);
  for (let now = 0, turn = 0; now < 60_000; turn += 1) {
    now += gapsMs[turn % gapsMs.length] ?? 100;
    for (; ownAt < now; ownAt += ownEachMs) answers = afterAnswer(answers, true, 'other', ownAt);
    const after = totalsAt(now);
    answers = answersTold(answers, before, after, now);
    before = after;
    if (now > 5_000) {
      found.push([1_000 * (successRate(answers, 0, now) ?? Number.NaN), refusedShare(answers, now)]);
    }
  }
  return found;
}

const gaps = [
  [100],
  [300],
  [950],
  [1_050],
  [1_700],
  [2_500],
  [10_000],
  [100, 100, 3_000],
  [1_900, 100],
  [950, 950, 150],
  [4_000, 700, 900],
].map((gap) => ({ gap, text: gap.join(', ') }));

test.each(gaps)(
  'successes of others are measured at their rate, if they are told after $text ms',
  ({ gap }) => {
    for (const [rate] of measured(gap)) {
      expect(rate).toBeGreaterThan(0.9 * perSecond);
      expect(rate).toBeLessThan(1.1 * perSecond);
    }
  },
);

test.each(gaps)('the refused share of others is measured, if they are told after $text ms', ({ gap }) => {
  for (const [, share] of measured(gap)) expect(share).toBeCloseTo(1 / refusedOf, 1);
});

test.each([170, 800, 1_300, 2_600])(
  'the same with an answer to this process after each %i ms',
  (ownEachMs) => {
    for (const { gap } of gaps) {
      for (const [rate] of measured(gap, ownEachMs)) {
        expect(rate).toBeGreaterThan(0.8 * perSecond);
        expect(rate).toBeLessThan(1.2 * perSecond);
      }
    }
  },
);
