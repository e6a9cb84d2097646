import { expect, test } from 'vitest';
import { longestRateLimit } from '../../../src/core/hints/ratelimit.js';
import type { Hint } from '../../../src/core/types.js';
import { epoch, hintOf, type Row, unusable, wait } from './hint-of.js';

const malformed = unusable('malformed');
const left = unusable('ratelimit-not-exhausted');

const fields: readonly (readonly [string | readonly string[], Hint])[] = [
  ['"a";r=0;t=0', wait(0, 'ratelimit-t')],
  ['"a";r=1;t=30', left],
  ['"a";r=0', unusable('ratelimit-without-t')],
  ['"a";r=0, "b";r=0;t=5', wait(5_000, 'ratelimit-t')],
  ['"a";r=0;t=9, "b";r=0;t=5', wait(9_000, 'ratelimit-t-max')],
  ['"a";r=0;t=5, "b";r=7;t=60', wait(5_000, 'ratelimit-t')],
  ['"a";r=7;t=60, "b";r=0;t=5', wait(5_000, 'ratelimit-t')],
  ['"a";r=0;t=5, "b";t=60', wait(5_000, 'ratelimit-t')],
  ['"a";r=7, "b";t=60', malformed],
  ['"a";r=7, "b";r=0', unusable('ratelimit-without-t')],
  ['"a";r=7, "b";r=8', left],
  ['a;r=0;t=5', wait(5_000, 'ratelimit-t')],
  ['"a";r=0;t=5;pk=:AAEC:', wait(5_000, 'ratelimit-t')],
  ['  "a";r=0;t=5\t', wait(5_000, 'ratelimit-t')],
  ['"a"; r=0; t=5', wait(5_000, 'ratelimit-t')],
  ['"a";r=0;t=999999999999999', wait(2_147_483_648_000, 'ratelimit-t')],
  ['"a";r=0;t=2147483648', wait(2_147_483_648_000, 'ratelimit-t')],
  ['"a";r=0;t=2147483647', wait(2_147_483_647_000, 'ratelimit-t')],
  ['"a";r=0;t=1000000000000000', malformed],
  ['"a";r=0;t=5,', malformed],
  ['"a";r=0;t=5 "b";r=0;t=5', malformed],
  ['"a;r=0;t=5', malformed],
  ['"a";r=0;t=1.5', malformed],
  // Decimals, which are another type than Integers, whatever their value is.
  ['"a";r=0.0', malformed],
  ['"a";r=0.0;t=30', malformed],
  ['"a";r=0;t=30.0', malformed],
  ['"a";r=1.0;t=30', malformed],
  ['"a";r=0.5;t=5', malformed],
  ['"a";r=-1;t=5', malformed],
  ['"a";r="0";t=5', malformed],
  ['"a";r=0;t="5"', malformed],
  ['"a";r;t=5', malformed],
  ['"a";r=0;t', malformed],
  ['("a");r=0;t=5', malformed],
  // It is a list of items, so one with an inner list is no such field.
  ['("a" "b");r=0;t=5, "c";r=0;t=9', malformed],
  ['5;r=0;t=5', malformed],
  ['', malformed],
  [' ', malformed],
  [['"a";r=0;t=5', '"b";r=0;t=9'], wait(9_000, 'ratelimit-t-max')],
  // The dictionary of draft 07.
  ['limit=10, remaining=0, reset=7', wait(7_000, 'ratelimit-reset-delta')],
  ['limit=10, remaining=1, reset=7', left],
  ['limit=10, reset=7', wait(7_000, 'ratelimit-reset-delta')],
  ['reset=2147483649', wait(2_147_483_648_000, 'ratelimit-reset-delta')],
  ['limit=10, remaining=0', malformed],
  ['limit=10, remaining=0, reset=-1', malformed],
  ['limit=10, remaining=0, reset=1.5', malformed],
  ['limit=10, remaining=0, reset=30.0', malformed],
  ['limit=10, remaining=0, reset="7"', malformed],
  ['limit=10, remaining=0, reset=7,', malformed],
  ['limit=10, remaining=0, reset', malformed],
];

test.each(fields)('RateLimit: %j', (ratelimit, hint) => {
  expect(hintOf('common', 429, { ratelimit })).toEqual(hint);
});

test(`a field of more than ${longestRateLimit} characters is not parsed`, () => {
  const field = (length: number): string => {
    const end = ';r=0;t=5';
    return `"${'a'.repeat(length - end.length - 2)}"${end}`;
  };
  expect(longestRateLimit).toBe(8_192);
  expect(hintOf('common', 429, { ratelimit: field(8_192) })).toEqual(wait(5_000, 'ratelimit-t'));
  expect(hintOf('common', 429, { ratelimit: field(8_193) })).toEqual(malformed);
});

const quotaExceeded = (policies: unknown): unknown => ({
  type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
  'violated-policies': policies,
});
const two = '"a";r=0;t=5, b;r=0;t=9, "c";r=3;t=60';

const rows: readonly Row[] = [
  [
    'a violated policy',
    'common',
    429,
    { ratelimit: two },
    quotaExceeded(['a']),
    wait(5_000, 'ratelimit-t-violated'),
  ],
  [
    'one named by a token',
    'common',
    429,
    { ratelimit: two },
    quotaExceeded(['b']),
    wait(9_000, 'ratelimit-t-violated'),
  ],
  ['two', 'common', 429, { ratelimit: two }, quotaExceeded(['a', 'b']), wait(9_000, 'ratelimit-t-violated')],
  ['one with something left', 'common', 429, { ratelimit: two }, quotaExceeded(['c']), left],
  ['an unknown one', 'common', 429, { ratelimit: two }, quotaExceeded(['x']), wait(9_000, 'ratelimit-t-max')],
  ['none', 'common', 429, { ratelimit: two }, quotaExceeded([]), wait(9_000, 'ratelimit-t-max')],
  ['no list', 'common', 429, { ratelimit: two }, quotaExceeded('a'), wait(9_000, 'ratelimit-t-max')],
  [
    'odd members',
    'common',
    429,
    { ratelimit: two },
    quotaExceeded([null, 7, {}]),
    wait(9_000, 'ratelimit-t-max'),
  ],
  ['from a cache', 'common', 429, { ratelimit: two, age: '1' }, undefined, unusable('ratelimit-stored')],
  ['just validated', 'common', 429, { ratelimit: two, age: '0' }, undefined, wait(9_000, 'ratelimit-t-max')],
  ['Age malformed', 'common', 429, { ratelimit: two, age: 'x' }, undefined, wait(9_000, 'ratelimit-t-max')],
  ['not in standard', 'standard', 429, { ratelimit: two }, undefined, undefined],

  [
    'the triple: delta',
    'common',
    429,
    { 'ratelimit-remaining': '0', 'ratelimit-reset': '30' },
    undefined,
    wait(30_000, 'ratelimit-reset-delta'),
  ],
  [
    'the triple: without remaining',
    'common',
    503,
    { 'ratelimit-reset': '30' },
    undefined,
    wait(30_000, 'ratelimit-reset-delta'),
  ],
  [
    'the triple: remaining unreadable',
    'common',
    503,
    { 'ratelimit-remaining': 'x', 'ratelimit-reset': '30' },
    undefined,
    wait(30_000, 'ratelimit-reset-delta'),
  ],
  [
    'the triple: one left',
    'common',
    429,
    { 'ratelimit-remaining': '1', 'ratelimit-reset': '30' },
    undefined,
    left,
  ],
  [
    'the triple: some of several left',
    'common',
    429,
    { 'ratelimit-remaining': '5, 0', 'ratelimit-reset': '30' },
    undefined,
    wait(30_000, 'ratelimit-reset-delta'),
  ],
  [
    'the triple: epoch ms',
    'common',
    429,
    { 'ratelimit-reset': `${epoch(60)}000` },
    undefined,
    wait(60_000, 'ratelimit-reset-epoch'),
  ],
  [
    'the triple: epoch in the past',
    'common',
    429,
    { 'ratelimit-reset': epoch(-60) },
    undefined,
    wait(0, 'ratelimit-reset-epoch'),
  ],
  [
    'the triple: an epoch counts from the client’s clock',
    'common',
    429,
    { 'ratelimit-reset': epoch(60), date: 'Tue, 10 Mar 2026 12:00:30 GMT' },
    undefined,
    wait(60_000, 'ratelimit-reset-epoch'),
  ],
  ['the triple: blank', 'common', 429, { 'ratelimit-reset': ' ' }, undefined, unusable('empty')],
  [
    'the triple: several',
    'common',
    429,
    { 'ratelimit-reset': ['5', 'x', '7', '6'] },
    undefined,
    wait(7_000, 'ratelimit-reset-delta'),
  ],
  [
    'the triple: no date',
    'common',
    429,
    { 'ratelimit-reset': 'Tue, 10 Mar 2026 12:00:30 GMT' },
    undefined,
    malformed,
  ],
  [
    'the triple: behind the field',
    'common',
    429,
    { ratelimit: '"a";r=0;t=5', 'ratelimit-reset': '30' },
    undefined,
    wait(5_000, 'ratelimit-t'),
  ],
  [
    'the triple: after a field with something left',
    'common',
    429,
    { ratelimit: '"a";r=1;t=5', 'ratelimit-reset': '30' },
    undefined,
    wait(30_000, 'ratelimit-reset-delta'),
  ],
  [
    'limit and remaining alone say nothing',
    'common',
    429,
    { 'ratelimit-limit': '5', 'ratelimit-remaining': '0' },
    undefined,
    undefined,
  ],
];

test.each(rows)('%s', (_, hints, status, headers, body, hint) => {
  expect(hintOf(hints, status, headers, body)).toEqual(hint);
});
