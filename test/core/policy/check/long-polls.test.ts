import { expect, test } from 'vitest';
import { longPolls } from '../../../../src/core/limits/gate/check.js';
import type { PolicyOptions } from '../../../../src/core/policy/options.js';

const timed = { attemptTimeoutMs: 2_000 } as const;

test.each([
  '/events/poll',
  'GET /bot:token/getUpdates',
  '/db/_changes',
  'api.example.com/long-polling/*',
  '/watch',
])('%s next to a gate', (match) => {
  expect(longPolls({ ...timed, gate: true, rules: [{ match: '/' }, { match }] })).toEqual([
    {
      path: 'rules[1].match',
      says: expect.stringContaining('looks like a long poll'),
      advice: 'If it is one, set "gate": false in this rule, so that its failures do not count.',
    },
  ]);
});

test.each<[string, PolicyOptions]>([
  ['without a gate', { ...timed, rules: [{ match: '/poll' }] }],
  ['that the rule switches off', { ...timed, gate: true, rules: [{ match: '/poll', gate: false }] }],
  ['in a scope of its own', { ...timed, gate: true, rules: [{ match: '/poll', scope: 'polls' }] }],
  ['without a time limit', { gate: true, rules: [{ match: '/poll' }] }],
  [
    'of another name',
    { ...timed, gate: true, rules: [{ match: '/pollution' }, { match: '/synchrotrons/*' }] },
  ],
  [
    'of which only the host is known',
    { ...timed, gate: true, rules: [{ match: { host: 'poll.example.com' } }] },
  ],
])('no remark on a path %s', (_, policy) => {
  expect(longPolls(policy)).toEqual([]);
});

test('objects, and gates of a rule, too', () => {
  const rules = [{ match: { path: '/v2/poll' }, gate: true, deadlineMs: 5_000 }];
  expect(longPolls({ rules })).toMatchObject([{ path: 'rules[0].match' }]);
});
