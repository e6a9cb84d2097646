/** The goals of `npm run sim:table -- --goals` can be met and missed. */

import { describe, expect, test } from 'vitest';
import { goals } from '../../scripts/goals/all.js';
import { besideNone, losing, reaching } from '../../scripts/goals/goal.js';
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
