import { describe, expect, test } from 'vitest';
import type { Answers } from '../../../src/core/limits/hold/answers.js';
import { afterAnswer, noAnswers, refusedShare, successRate } from '../../../src/core/limits/hold/answers.js';

type Kind = 'success' | 'refusal' | 'other';

/** Answers at an even rate from one time to another. With `oneOf`, one in that many is refused. */
function counted(perSecond: number, fromMs: number, toMs: number, oneOf = 0, from = noAnswers): Answers {
  const count = ((toMs - fromMs) * perSecond) / 1_000;
  return Array.from({ length: count }, (_, index) => index).reduce((answers, index) => {
    const kind: Kind = oneOf > 0 && index % oneOf === 0 ? 'refusal' : 'success';
    return afterAnswer(answers, true, kind, fromMs + (index * 1_000) / perSecond);
  }, from);
}

describe('the share of refusals', () => {
  test('is that of the last two seconds, if they have enough answers', () => {
    expect(refusedShare(counted(20, 0, 2_000, 2), 1_990)).toBe(0.5);
    expect(refusedShare(counted(20, 0, 2_000, 4), 1_990)).toBe(0.25);
    expect(refusedShare(counted(100, 0, 1_000, 1), 1_100)).toBe(1);
  });

  test('ignores older answers', () => {
    const before = counted(100, 0, 2_000, 1);
    const since = counted(100, 2_000, 4_000, 0, before);
    expect(refusedShare(since, 4_000)).toBe(0);
  });

  test('is otherwise that of the last thirty answers, within half a minute', () => {
    const seldom = counted(2, 0, 15_000, 3);
    expect(refusedShare(seldom, 15_000)).toBeCloseTo(1 / 3);
    expect(refusedShare(seldom, 40_000)).toBe(0);
    const turned = counted(2, 15_000, 30_000, 1, seldom);
    expect(refusedShare(turned, 30_000)).toBe(1);
  });

  test('is 0 if there are fewer', () => {
    expect(refusedShare(noAnswers, 0)).toBe(0);
    expect(refusedShare(counted(29, 0, 1_000, 1), 1_000)).toBe(0);
    expect(refusedShare(counted(30, 0, 1_000, 1), 1_000)).toBe(1);
    expect(refusedShare(counted(1, 0, 60_000, 1), 60_000)).toBe(0);
  });

  test('ignores the answers to retries', () => {
    const healthy = counted(20, 0, 2_000);
    const retried = Array.from({ length: 100 }).reduce<Answers>(
      (answers) => afterAnswer(answers, false, 'refusal', 2_000),
      healthy,
    );
    expect(refusedShare(retried, 2_000)).toBe(0);
  });
});

describe('the rate of successes', () => {
  test.each<[string, Answers, number, number | undefined]>([
    [
      'this second and the one before',
      counted(10, 1_000, 1_500, 0, counted(20, 0, 1_000)),
      1_500,
      25 / 1_500,
    ],
    ['a second that is over', counted(20, 0, 1_000), 1_800, 20 / 1_800],
    ['a short look', counted(40, 0, 500), 500, 20 / 1_000],
    ['too short a look', counted(10, 0, 500), 500, 0.01],
    ['retries as well', afterAnswer(counted(10, 0, 1_000), false, 'success', 900), 1_000, 11 / 1_000],
    ['nothing yet', noAnswers, 500, undefined],
    ['only refusals', counted(40, 0, 500, 1), 500, undefined],
    ['successes of long ago', counted(20, 0, 1_000), 2_000, undefined],
  ])('of %s', (_, answers, now, rate) => {
    expect(successRate(answers, 0.01, now)).toEqual(rate === undefined ? undefined : expect.closeTo(rate, 9));
  });
});
