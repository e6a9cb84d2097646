/** Queues for a hold, and lines for room, in which a request may wait for half a minute because it has no deadline. */

import { describe, expect, test } from 'vitest';
import { endlessLines } from '../../../../src/core/limits/concurrency/check.js';
import { endlessQueues } from '../../../../src/core/limits/hold/check.js';
import type { PolicyOptions } from '../../../../src/core/policy/options.js';
import { checkPolicy } from '../../../../src/parts/all.js';

test.each<[string, PolicyOptions, readonly string[]]>([
  ['a hold without a deadline', { hold: true }, ['hold']],
  ['one with settings of its own', { hold: { refusedShare: 0 } }, ['hold']],
  ['in a rule', { rules: [{ match: '/a', hold: true }] }, ['rules[0].hold']],
  ['with a deadline', { hold: true, deadlineMs: 10_000 }, []],
  ['whose queue is bounded', { hold: { maxQueueMs: 2_000 } }, []],
  ['in a rule that inherits a deadline', { deadlineMs: 10_000, rules: [{ match: '/a', hold: true }] }, []],
  ['that is off', { hold: false }, []],
  ['no hold', {}, []],
])('%s', (_, policy, paths) => {
  expect(endlessQueues(policy).map(({ path }) => path)).toEqual(paths);
});

describe('a line for room', () => {
  const atC = (concurrency: PolicyOptions['concurrency'], more: PolicyOptions = {}): PolicyOptions => ({
    ...(concurrency !== undefined && { concurrency }),
    ...more,
  });

  test.each<[string, PolicyOptions, readonly string[]]>([
    ['without a deadline', atC(5), ['concurrency']],
    ['with a length of its own', atC({ limit: 5, maxWaiting: 10 }), ['concurrency']],
    ['in a rule', { rules: [{ match: '/a' }, { match: '/b', concurrency: 5 }] }, ['rules[1].concurrency']],
    ['with a deadline', atC(5, { deadlineMs: 10_000 }), []],
    ['whose time is bounded', atC({ limit: 5, maxQueueMs: 2_000 }), []],
    ['in which none waits', atC({ limit: 5, maxWaiting: 0 }), []],
    ['in a rule that inherits a deadline', { deadlineMs: 9, rules: [{ match: '/', concurrency: 5 }] }, []],
    ['in a rule with a deadline', { rules: [{ match: '/', concurrency: 5, deadlineMs: 10_000 }] }, []],
    ['that is off', atC(false), []],
    ['none', {}, []],
  ])('%s', (_, policy, paths) => {
    const remarks = endlessLines(policy);
    expect(remarks.map(({ path }) => path)).toEqual(paths);
    for (const { says, advice } of remarks) {
      expect(says).toMatch(/may wait 30 s/);
      expect(advice).toMatch(/deadlineMs.*maxQueueMs/);
    }
  });

  test.each<[string, PolicyOptions, readonly string[]]>([
    ['of none, with a time', atC({ limit: 5, maxQueueMs: 1, maxWaiting: 0 }), ['concurrency.maxQueueMs']],
    ['of none', atC({ limit: 5, maxQueueMs: 0, maxWaiting: 0 }), []],
    ['without time', atC({ limit: 5, maxQueueMs: 0, maxWaiting: 1 }), ['concurrency.maxWaiting']],
    ['without time, and of none', atC({ limit: 5, maxQueueMs: 0 }), []],
    [
      'with the time of the deadline',
      atC({ limit: 5, maxQueueMs: 100 }, { deadlineMs: 100 }),
      ['concurrency.maxQueueMs'],
    ],
    ['with less', atC({ limit: 5, maxQueueMs: 99 }, { deadlineMs: 100 }), []],
    [
      'with more than the deadline of a rule',
      atC({ limit: 5, maxQueueMs: 100 }, { rules: [{ match: '/', deadlineMs: 100 }] }),
      ['rules[0].deadlineMs'],
    ],
    ['beside a hedge, with room for both', atC(2, { hedge: true }), []],
    ['beside a hedge, with room for one', atC(1, { hedge: true }), ['hedge']],
    [
      'of a rule with room for one',
      { hedge: true, rules: [{ match: '/', concurrency: 1 }] },
      ['rules[0].concurrency'],
    ],
    ['beside no hedge', atC(1, { hedge: false }), []],
  ])('is contradicted or not: %s', (_, policy, paths) => {
    expect(checkPolicy(policy).map(({ path }) => path)).toEqual(paths);
  });
});
