import { expect, test } from 'vitest';
import { endlessQueues } from '../../../../src/core/limits/hold/check.js';
import type { PolicyOptions } from '../../../../src/core/policy/options.js';

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
