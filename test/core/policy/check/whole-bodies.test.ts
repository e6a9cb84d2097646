import { expect, test } from 'vitest';
import type { OwnHints } from '../../../../src/core/hints/own.js';
import { wholeBodies } from '../../../../src/core/policy/check/remarks.js';
import type { PolicyOptions } from '../../../../src/core/policy/options.js';

const match = '/x';
const own: OwnHints = { name: 'acme', statuses: [200], body: [{ at: '/busy', means: 'transient' }] };

test.each<[string, PolicyOptions, readonly string[]]>([
  ['off', {}, []],
  ['switched off', { wholeBodyBytes: 0 }, []],
  ['on', { wholeBodyBytes: 1_000 }, ['wholeBodyBytes']],
  ['on in a rule', { rules: [{ match, wholeBodyBytes: 1_000 }] }, ['rules[0].wholeBodyBytes']],
  ['off in a rule', { wholeBodyBytes: 1_000, rules: [{ match, wholeBodyBytes: 0 }] }, ['wholeBodyBytes']],
  ['a time, and off', { wholeBodyMs: 500 }, ['wholeBodyMs']],
  ['a time in a rule, and off', { rules: [{ match, wholeBodyMs: 500 }] }, ['rules[0].wholeBodyMs']],
  [
    'a time in a rule that inherits the size',
    { wholeBodyBytes: 1_000, rules: [{ match, wholeBodyMs: 100 }] },
    ['wholeBodyBytes'],
  ],
  ['a time for hints of your own that look into a 200', { wholeBodyMs: 100, hints: own }, []],
  ['a time for others', { wholeBodyMs: 100, hints: { ...own, statuses: [403] } }, ['wholeBodyMs']],
])('%s', (_, options, paths) => {
  expect(wholeBodies(options).map(({ path }) => path)).toEqual(paths);
});

test('says in which fetch it has no effect', () => {
  const [remark] = wholeBodies({ wholeBodyBytes: 1_000 });
  expect(remark?.says).toContain("in fetch, this applies to the platform's own answers and undici's");
});
