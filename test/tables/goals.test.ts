/** The goals of `npm run sim:table -- --goals` can be met and missed. */

import { describe, expect, test } from 'vitest';
import { goals } from '../../scripts/goals/all.js';
import type { DayGoal, Figure } from '../../scripts/goals/day-goal.js';
import { attempts, columnOf, goalOf, good, wholeNumber } from '../../scripts/goals/day-goal.js';
import { besideNone, losing, reaching } from '../../scripts/goals/goal.js';
import { caseOf } from '../../scripts/ordinary-tables.js';
import { presets } from '../../src/core/policy/presets.js';
import type { Contender } from '../../src/tools/sim/index.js';
import { ordinaryDays as days, peers } from '../../src/tools/sim/index.js';

/** Does not wait for any answer. */
const timid: Contender = { attemptTimeoutMs: 10, retry: false };
const name = 'any';

test('have each a sentence of its own', () => {
  const sentences = goals.map(({ about }) => about);
  expect(new Set(sentences).size).toBe(sentences.length);
});

describe('beside no retry', () => {
  const day = days.partialFailure(0.5, 100);
  const goal = besideNone({ name, about: 'half', day, least: 0.99 });

  test('no retry itself reaches what it reaches, and three retries reach more', () => {
    expect(goal.judge(peers.noRetry, [1, 2])).toMatchObject({
      isMet: true,
      figures: expect.stringContaining('100.0 % of it'),
    });
    expect(goal.judge(peers.threeRetries, [1]).isMet).toBe(true);
  });

  test('a policy that gives up too soon does not', () => {
    expect(goal.judge(timid, [1]).isMet).toBe(false);
  });

  test('a goal that is only reported is neither met nor missed', () => {
    expect(
      besideNone({ name, about: 'half', day, least: undefined }).judge(timid, [1]).isMet,
    ).toBeUndefined();
  });
});

test('goals are a least share of successes, or a most share of losses', () => {
  const half = (least: number) =>
    reaching({ name, about: 'half', day: days.partialFailure(0.5, 100), least }).judge(peers.noRetry, [1]);
  expect([half(0.4).isMet, half(0.6).isMet]).toEqual([true, false]);
  const waves = (most: number) => losing({ name, about: 'wave', day: days.resetWave(200), most });
  expect(waves(0.2).judge(peers.threeRetries, [1]).isMet).toBe(true);
  expect(waves(0.2).judge(peers.noRetry, [1]).isMet).toBe(false);
  expect(waves(1).judge(peers.noRetry, [1]).isMet).toBe(true);
});

describe('a day that is an entry', () => {
  const day = days.partialFailure(0.5, 100);
  const entry = (figure: Partial<Figure>): DayGoal => {
    return { name, about: 'half', day, column: 'half', figures: [{ what: 'good', of: good, ...figure }] };
  };
  const isMet = (figure: Partial<Figure>, contender: Contender = peers.noRetry) =>
    goalOf(entry(figure)).judge(contender, [1, 2]).isMet;

  test('has bounds on both sides, in values or beside no retry', () => {
    expect([isMet({ atLeast: 0.4 }), isMet({ atLeast: 0.6 })]).toEqual([true, false]);
    expect([isMet({ atMost: 0.6 }), isMet({ atMost: 0.4 })]).toEqual([true, false]);
    expect([isMet({ atLeast: 1, besideNone: true }), isMet({ atLeast: 1.1, besideNone: true })]).toEqual([
      true,
      false,
    ]);
    const sent = { what: 'attempts', of: attempts, besideNone: true } as const;
    expect(isMet({ ...sent, atMost: 1.5 }, peers.threeRetries)).toBe(false);
    expect(isMet({ ...sent, atMost: 2.5 }, peers.threeRetries)).toBe(true);
    expect(isMet({})).toBeUndefined();
  });

  test('has to reach all of its figures, and says what it wants and what no retry reaches', () => {
    const both = entry({ atLeast: 0.4 });
    const goal = goalOf({
      ...both,
      figures: [...both.figures, { what: 'attempts', of: attempts, atMost: 1, text: wholeNumber }],
    });
    expect(goal.wanted).toBe('good >= 40.0 %, attempts <= 1');
    const { isMet: isReached, figures } = goal.judge(peers.noRetry, [1]);
    expect([isReached, figures]).toEqual([false, expect.stringMatching(/no retry 5[01]\.\d %/)]);
  });

  test('can be judged by its worst run, and for another setting of the policy', () => {
    const values = [0.4, 0.6];
    const of = (): number => values.shift() ?? 0.5;
    const figure = { of, atLeast: 0.5, worst: true } as const;
    expect(isMet(figure)).toBe(false);
    const adapted = (): Contender => timid;
    expect(goalOf({ ...entry({ atLeast: 0.4 }), adapted }).judge(peers.noRetry, [1]).isMet).toBe(false);
  });

  test('is a column with the same figure', () => {
    const column = columnOf(entry({ atLeast: 0.4 }));
    const cells = column && caseOf(column).cells(peers.noRetry, [1]);
    expect([column?.column, cells]).toEqual(['half', [expect.stringMatching(/^5[01] %$/)]]);
    const { column: _, ...goalOnly } = entry({ atLeast: 0.4 });
    expect(columnOf(goalOnly)).toBeUndefined();
  });
});

/** With one seed, those that are quick to look at; all of them: `npm run sim:table -- 5 --goals`. */
const quick = goals.filter(({ name: group, about }) => {
  const isFast = ['resets', 'changed-limit', 'burst', 'bad-job', 'recipes'].includes(group);
  const isUsual = ['failing', 'broken-route', 'slow', 'flapping', 'gains', 'innocents', 'limiter'].includes(
    group,
  );
  return isFast || (isUsual && /\b100\/s/.test(about)) || about === '1 of 10 backends swallows, 100/s';
});

test('are all met by `service`, as far as they are quick to judge', () => {
  expect(quick.length).toBeGreaterThan(50);
  const missed = quick
    .map(({ about, judge }) => ({ about, ...judge(presets.policies.service, [1]) }))
    .filter(({ isMet }) => isMet === false);
  expect(missed).toEqual([]);
});
