/** Compares our parser with structured-headers, the common one for RFC 9651. */

import * as fc from 'fast-check';
import {
  parseDictionary as referenceDictionary,
  parseList as referenceList,
  Token,
} from 'structured-headers';
import { describe, expect, test } from 'vitest';
import {
  type Item,
  parseDictionary,
  parseList,
  type Value,
} from '../../../src/core/hints/structured-field.js';

type ReferenceMember = ReturnType<typeof referenceList>[number];

function ourValueOf(value: unknown): Value {
  if (value instanceof Token) return value.toString();
  return Number.isInteger(value) || typeof value === 'string' ? (value as number | string) : null;
}

function fromReference([value, parameters]: ReferenceMember): Item {
  // No field that is read has one.
  if (Array.isArray(value)) throw new Error('an inner list');
  return [ourValueOf(value), new Map([...parameters].map(([name, one]) => [name, ourValueOf(one)]))];
}

function read<T>(parse: () => T): T | 'malformed' {
  try {
    return parse();
  } catch {
    return 'malformed';
  }
}

/** To the reference, a Decimal without a fraction looks like an Integer. */
const wholeDecimal = /\d\.0/;

test.each(['0.0', '1.0', '-0.0', '7.000', '1.5', '-2.25'])('%s is a Decimal, not an Integer', (text) => {
  expect(parseList(`${text};r=${text}`)).toEqual([[null, new Map([['r', null]])]]);
  expect([...parseDictionary(`a=${text}`)]).toEqual([['a', [null, new Map()]]]);
});

function expectAsReference(text: string): void {
  if (wholeDecimal.test(text)) return;
  expect(read(() => parseList(text))).toEqual(read(() => referenceList(text).map(fromReference)));
  const dictionary = read(() => [...parseDictionary(text)]);
  expect(dictionary).toEqual(
    read(() => [...referenceDictionary(text)].map(([name, member]) => [name, fromReference(member)])),
  );
}

const values = [
  ...['1', '-1', '-', '--1', '0', '-0', '007', '1.', '.5', '1.5', '-1.250', '1.2345', '1.5.5', '1e3', '+1'],
  ...['999999999999999', '1000000000000000', '-999999999999999', '999999999999.999', '1000000000000.0'],
  ...['"a"', '""', '"a b"', '"a\\"b"', '"a\\\\"', '"a\\b"', '"a', 'a"', '"ü"', '"\t"', '"\u007f"', "'a'"],
  ...['a', 'A', '*', '*a/b:c', 'a_b', 'a-b', 'a.b', '_a', '/a', '#a', "a!#$%&'*+-.^_`|~z", 'a(', 'ä'],
  ...['?0', '?1', '?', '?2', '?10', '@1', '@-1', '@', '@-', '@1.5', '@999999999999999', '@1000000000000000'],
  ...[
    '::',
    ':YQ==:',
    ':YWI=:',
    ':YQ:',
    ':YWI:',
    ':Y:',
    ':YWJjZA==:',
    ':YQ=:',
    ':=:',
    ':Y Q:',
    ':YQ',
    ':_w==:',
  ],
  ...[
    '%"a"',
    '%"%c3%bc"',
    '%"%C3%BC"',
    '%"%c3"',
    '%"%c3%28"',
    '%"%ed%a0%80"',
    '%"%"',
    '%"ü"',
    '%"a',
    '%a',
    '%""',
  ],
  ...['()', '( )', '(a b)', '(a  b)', '( a b )', '(a,b)', '(a"b")', '(a;x b);y', '((a))', '(', ')', '(a'],
  '',
] as const;

const surroundings: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => `${value}, ${value}`,
  (value) => `${value};t=${value}`,
  (value) => `a=${value}`,
  (value) => `a;x, b=${value}`,
  (value) => ` ${value} `,
  (value) => `${value},`,
  (value) => `(${value} ${value})`,
];

test.each(values)('%j', (value) => {
  for (const surround of surroundings) {
    const text = surround(value);
    if (!isDateWithMore(text)) expectAsReference(text);
  }
});

const pieces = [
  ...['a', 'b=', 'r=0', 't=5', '*k', '"s"', '"\\"', '1', '-2.5', '1.', '?1', ':YQ==:', '%"%c3%bc"', '%"%ff"'],
  ...[
    ';',
    '; ',
    ' ;',
    ',',
    ', ',
    ',\t',
    ' ',
    '  ',
    '\t',
    '(',
    ')',
    ' )',
    '=',
    ';A',
    ';a=',
    ';a=b',
    '\n',
    'é',
  ],
];

test('whatever the pieces, the reference reads the same', () => {
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(fc.property(texts, expectAsReference), { numRuns: 2_000 });
});

test('the reference reads any characters in the same way', () => {
  const characters = [...'aZ09*_-.=;, ()"\\?:%/+\t\n'];
  const texts = fc.array(fc.constantFrom(...characters), { maxLength: 10 }).map((parts) => parts.join(''));
  fc.assert(fc.property(texts, expectAsReference), { numRuns: 2_000 });
});

/** RFC 9651 allows more after a date; the reference accepts a date only at the end of the field. */
function isDateWithMore(text: string): boolean {
  return /@-?\d+[^\d.]/.test(text);
}

describe('a date', () => {
  test.each(['@1;a', '@1;b=@2, "x"', '"x";t=@1, "y"'])('may be followed by more: %s', (text) => {
    expect(() => parseList(text)).not.toThrow();
  });
});

test.each([
  ['a long list', Array.from({ length: 1_000 }, (_, at) => `"p${at}";r=0`).join()],
  ['spaces', `a${' '.repeat(8_000)}b`],
  ['an open string', `"${'\\"'.repeat(4_000)}`],
  ['open bytes', `:${'A'.repeat(8_000)}`],
  ['an open list', `(${'a '.repeat(4_000)}`],
])('reads a long field in linear time: %s', (_what, text) => {
  const startedAt = performance.now();
  read(() => parseList(text));
  // Linear time is below a millisecond, quadratic time some hundred milliseconds.
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
