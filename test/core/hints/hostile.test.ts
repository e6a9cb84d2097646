/** Answers that no server should send: reading them never throws, and never gives an invalid wait. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allHintSets } from '../../../src/core/hints/all-sets.js';
import { compileSets } from '../../../src/core/hints/compile.js';
import { hintSetNames } from '../../../src/core/hints/sets.js';
import type { Hint } from '../../../src/core/types.js';
import { hintOf } from './hint-of.js';

const known: readonly string[] = [
  ...compileSets(hintSetNames, allHintSets).headers,
  ...hintSetNames
    .map((name) => allHintSets[name])
    .flatMap(({ resets = [] }) =>
      resets.flatMap(({ quotas }) => quotas.flatMap(({ remaining }) => remaining ?? [])),
    ),
  'age',
  'ratelimit-remaining',
  'connection',
  'date',
  'grpc-retry-pushback-ms',
  'grpc-status',
  'x-amzn-errortype',
  'zendesk-ratelimit-x',
];

function expectSound(hint: Hint | undefined): void {
  if (hint === undefined) return;
  const { delayMs, retry, reason, ...others } = hint;
  expect(others).toEqual({});
  expect(reason).toMatch(/^[a-z0-9+-]+$/);
  expect([true, false, undefined]).toContain(retry);
  if (delayMs !== null) expect(Number.isSafeInteger(delayMs) && delayMs >= 0).toBe(true);
}

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^[0-9.,:;=" +eTZ-]{0,40}$/),
  fc.mixedCase(
    fc.constantFrom('Tue, 10 Mar 2026 12:00:30 GMT', '2026-03-10T12:00Z', '"a";r=0;t=5', 'resets=4'),
  ),
  fc.integer().map(String),
  fc.double().map(String),
);
const status = fc.oneof(
  fc.integer({ min: 100, max: 599 }),
  fc.constantFrom(200, 302, 400, 403, 408, 429, 503),
);
const hints = fc.constantFrom(...hintSetNames);

describe('any text in any known field', () => {
  test('gives no wait, or a whole number of ms', () => {
    fc.assert(
      fc.property(
        hints,
        status,
        fc.dictionary(fc.constantFrom(...known), text, { maxKeys: 5 }),
        (set, code, headers) => {
          expectSound(hintOf(set, code, headers));
          expectSound(hintOf(hintSetNames, code, headers));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('gives the same from a record, from lines and from get()', () => {
    fc.assert(
      fc.property(hints, status, fc.constantFrom(...known), text, (set, code, name, value) => {
        const expected = hintOf(set, code, { [name]: value });
        const shapes: readonly object[] = [
          { [name]: [value] },
          { [name.toUpperCase()]: value },
          { get: (asked: string) => (asked === name ? value : undefined), keys: () => [name] },
          { get: (asked: string) => (asked === name ? [value] : null), keys: () => [name] },
        ];
        for (const headers of shapes) expect(hintOf(set, code, headers)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  test('so does anything that is not text', () => {
    fc.assert(
      fc.property(hints, status, fc.constantFrom(...known), fc.anything(), (set, code, name, value) => {
        expectSound(hintOf(set, code, { [name]: value }));
        expectSound(hintOf(set, code, value as object));
      }),
    );
  });

  test('so does any body', () => {
    fc.assert(
      fc.property(hints, status, fc.oneof(fc.anything(), fc.json(), text), (set, code, body) => {
        expectSound(hintOf(set, code, {}, body));
      }),
    );
  });
});

/** Long enough that a quadratic reader would take minutes and fail by the test's timeout. */
const size = 200_000;
const floods: Readonly<Record<string, string>> = {
  digits: '9'.repeat(size),
  'a fraction of digits': `1.${'9'.repeat(size)}`,
  commas: ','.repeat(size),
  spaces: ' '.repeat(size),
  'spaces and a letter': `${' '.repeat(size)}x`,
  'a letter and spaces': `x${' '.repeat(size)}x`,
  ones: '1,'.repeat(size / 2),
  thousands: '1,000'.repeat(size / 5),
  weekdays: 'Tue, '.repeat(size / 5),
  dates: 'Tue, 10 Mar 2026 12:00:30 GMT, '.repeat(size / 31),
  'items without commas': '"a";r=0;'.repeat(size / 8),
  items: '"a";r=0;t=5, '.repeat(size / 13),
  'open lists': '('.repeat(size),
  quotes: '"'.repeat(size),
  'parameters without keys': `"a"${';'.repeat(size)}`,
  parts: 'remaining=0; '.repeat(size / 13),
  units: '1m'.repeat(size / 2),
  signs: '-'.repeat(size),
};

describe.each(Object.entries(floods))('200 kB of %s', (_, flood) => {
  test('in every known field at once', () => {
    const headers = Object.fromEntries(known.map((name) => [name, flood]));
    for (const code of [200, 302, 400, 403, 408, 429, 503]) expectSound(hintOf(hintSetNames, code, headers));
  });

  test('in every known body field', () => {
    const body = {
      __type: flood,
      title: flood,
      type: flood,
      message: flood,
      retry_after: flood,
      'violated-policies': [flood],
      error: {
        message: flood,
        status: 'RESOURCE_EXHAUSTED',
        retry_after: flood,
        details: [{ retryDelay: flood }],
      },
    };
    for (const code of [400, 403, 409, 429]) expectSound(hintOf(hintSetNames, code, {}, body));
    expectSound(hintOf(hintSetNames, 429, {}, flood));
    expectSound(hintOf(hintSetNames, 429, {}, `{"retry_after":"${flood}`));
  });
});

test('a header of 100,000 lines, and 100,000 headers', () => {
  const lines = Array<string>(100_000).fill('5');
  expect(hintOf('common', 429, { 'retry-after': lines })).toMatchObject({ delayMs: 5_000 });
  expect(hintOf('common', 429, { ratelimit: lines })).toEqual({ delayMs: null, reason: 'malformed' });
  const headers = Object.fromEntries(lines.map((value, index) => [`X-${index}`, value]));
  expect(hintOf(hintSetNames, 429, { ...headers, 'Retry-After': '7' })).toMatchObject({ delayMs: 7_000 });
});
