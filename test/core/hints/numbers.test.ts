import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimalText, longestDelayMs, parseDecimal } from '../../../src/core/hints/decimal.js';
import { parseGoDuration, parseProtoDuration } from '../../../src/core/hints/duration.js';

test('no wait is longer than 2^31 seconds', () => {
  expect(longestDelayMs).toBe(2 ** 31 * 1000);
});

test.each([
  ['0', 1000, 0],
  ['7', 1000, 7_000],
  ['007', 1000, 7_000],
  ['1.5', 1000, 1_500],
  ['1.25', 1000, 1_250],
  ['1.999', 1000, 1_999],
  ['1.0001', 1000, 1_001],
  ['1.9991', 1000, 2_000],
  ['1.0000', 1000, 1_000],
  ['64.57', 1000, 64_570],
  ['250', 1, 250],
  ['250.0', 1, 250],
  ['250.4', 1, 251],
  ['250.01', 1, 251],
  ['999999999999999', 1, 999_999_999_999_999],
] as const)('%s in units of %i ms is %i ms', (text, unit, expected) => {
  expect(parseDecimal(text, unit)).toBe(expected);
});

test.each([
  '',
  '.',
  '.5',
  '5.',
  '-1',
  '+1',
  '1e3',
  '0x1',
  '1 ',
  ' 1',
  '1.5.2',
  '1.5s',
  '1.s',
  '１',
  '/',
  ':',
  '1:',
  '1.:',
  '1./',
])('%j is not a decimal', (text) => {
  expect(parseDecimal(text, 1000)).toBeUndefined();
});

test('any number of digits is finite, and large', () => {
  for (const length of [16, 400, 100_000]) {
    const found = parseDecimal('9'.repeat(length), 1000) ?? Number.NaN;
    expect(found).toBeGreaterThan(longestDelayMs);
    expect(found).toBeLessThan(1e20);
  }
});

test('a decimal is never early and less than 1 ms late', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat({ max: 999_999 }), (whole, millionths) => {
      const text = `${whole}.${String(millionths).padStart(6, '0')}`;
      expect(parseDecimal(text, 1000)).toBe(whole * 1000 + Math.ceil(millionths / 1000));
    }),
  );
});

test('numbers in a body may be text', () => {
  expect([
    decimalText(64.57),
    decimalText('3'),
    decimalText(true),
    decimalText(null),
    decimalText({}),
  ]).toEqual(['64.57', '3', undefined, undefined, undefined]);
});

test.each([
  ['0s', 0],
  ['1s', 1_000],
  ['1.5s', 1_500],
  ['250ms', 250],
  ['12ms', 12],
  ['1m30s', 90_000],
  ['6m0s', 360_000],
  ['1h', 3_600_000],
  ['2h45m', 9_900_000],
  ['1.5h', 5_400_000],
  ['1h2m3.004s', 3_723_004],
  ['1500us', 2],
  ['1500µs', 2],
  ['1500μs', 2],
  ['1000000ns', 1],
  ['1ns', 1],
  ['2000.5ms', 2_001],
  ['596523h14m8s', longestDelayMs],
  ['596523h14m7s', longestDelayMs - 1000],
  ['999999999h', longestDelayMs],
])('the Go duration %s is %i ms', (text, expected) => {
  expect(parseGoDuration(text)).toBe(expected);
});

test.each([
  '',
  '1',
  '0',
  's',
  '-1s',
  '+1s',
  '1h 2m',
  ' 1s',
  '1s ',
  '1.s',
  '.5s',
  '1S',
  '1d',
  '1sx',
  '1234567890s',
  '1.1234567890s',
])('%j is not a Go duration', (text) => {
  expect(parseGoDuration(text)).toBeUndefined();
});

test('a Go duration has at most 64 characters', () => {
  expect(parseGoDuration('1s'.repeat(32))).toBe(32_000);
  expect(parseGoDuration('1s'.repeat(33))).toBeUndefined();
});

test.each([
  ['57.238747106s', 57_239],
  ['42s', 42_000],
  ['0s', 0],
  ['0.000000001s', 1],
  [`${'9'.repeat(30)}s`, longestDelayMs],
  [{ seconds: '1', nanos: 500_000_000 }, 1_500],
  [{ seconds: 2 }, 2_000],
  [{ nanos: 1 }, 1],
  [{ seconds: null, nanos: 1 }, 1],
  [{ seconds: 0, nanos: 0 }, 0],
  [{ seconds: 1, nanos: 999_999_999 }, 2_000],
  [{ seconds: '9'.repeat(30) }, longestDelayMs],
])('the protobuf duration %j is %i ms', (value, expected) => {
  expect(parseProtoDuration(value)).toBe(expected);
});

test.each([
  '',
  's',
  '42',
  '-1s',
  '1.s',
  '1m',
  7,
  null,
  undefined,
  true,
  [],
  {},
  { nanos: 0 },
  { seconds: -1 },
  { seconds: true },
  { seconds: 1, nanos: -1 },
  { seconds: 1, nanos: 1e9 },
  { seconds: 1, nanos: Number.NaN },
  { seconds: 1, nanos: '5' },
])('%j is not a protobuf duration', (value) => {
  expect(parseProtoDuration(value)).toBeUndefined();
});
