import { expect, test } from 'vitest';
import { unreadBodies } from '../../../../src/core/policy/check/remarks.js';
import type { PolicyOptions } from '../../../../src/core/policy/options.js';
import { definePolicy } from '../../../../src/parts/all.js';

const match = '/x';

test.each<[string, PolicyOptions, readonly string[]]>([
  ['a set that is named', { hints: 'github', bodyHintBytes: 0 }, ['bodyHintBytes']],
  ['a set that reads headers', { hints: 'auth0', bodyHintBytes: 0 }, []],
  ['nothing named', { bodyHintBytes: 0 }, []],
  ['no hints', { hints: false, bodyHintBytes: 0 }, []],
  ['no size', { hints: 'github' }, []],
  ['another size', { hints: 'github', bodyHintBytes: 1 }, []],
  [
    'a rule with both',
    { rules: [{ match }, { match: '/y', hints: ['common', 'telegram'], bodyHintBytes: 0 }] },
    ['rules[1].bodyHintBytes'],
  ],
  [
    'a rule with a set, in a policy that says 0',
    { bodyHintBytes: 0, rules: [{ match, hints: 'aws' }] },
    ['rules[0].hints'],
  ],
  [
    'a rule that says 0, in a policy with a set',
    { hints: 'aws', rules: [{ match, bodyHintBytes: 0 }] },
    ['rules[0].bodyHintBytes'],
  ],
  ['a rule that only inherits', { hints: 'aws', bodyHintBytes: 0, rules: [{ match }] }, ['bodyHintBytes']],
  [
    'a rule that reads other hints',
    { hints: 'aws', bodyHintBytes: 0, rules: [{ match, hints: false }] },
    ['bodyHintBytes'],
  ],
  [
    'a rule that says otherwise',
    { hints: 'aws', bodyHintBytes: 0, rules: [{ match, bodyHintBytes: 9 }] },
    ['bodyHintBytes'],
  ],
])('%s', (_, options, paths) => {
  expect(unreadBodies(options).map(({ path }) => path)).toEqual(paths);
});

test('names the sets, and says what to write', () => {
  expect(unreadBodies({ hints: ['github', 'common', 'aws'], bodyHintBytes: 0 })).toEqual([
    {
      path: 'bodyHintBytes',
      says: 'bodyHintBytes is 0, so "github" and "aws" do not read response bodies',
      advice: 'Leave bodyHintBytes out to read up to 16384 bytes.',
    },
  ]);
});

test('causes no warning at run time', () => {
  expect(definePolicy({ hints: 'github', bodyHintBytes: 0 }).remarks).toEqual([]);
});
