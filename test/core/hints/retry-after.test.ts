import { describe, expect, test } from 'vitest';
import { mostLines } from '../../../src/core/hints/answer.js';
import type { Hint } from '../../../src/core/types.js';
import { hintOf, noon, unusable, wait } from './hint-of.js';

const retryAfter = (value: string | readonly string[], others: Record<string, string | string[]> = {}) =>
  hintOf('standard', 503, { 'retry-after': value, ...others });

const values: readonly (readonly [string | readonly string[], Hint])[] = [
  ['2147483647', wait(2_147_483_647_000, 'delay-seconds')],
  ['2147483647.5', wait(2_147_483_647_500, 'delay-seconds-decimal')],
  ['2147483648', wait(2_147_483_648_000, 'delay-seconds-clamped')],
  ['99999999999.5', wait(2_147_483_648_000, 'delay-seconds-clamped')],
  ['9'.repeat(100_000), wait(2_147_483_648_000, 'delay-seconds-clamped')],
  ['0.0', wait(0, 'delay-seconds-zero')],
  ['', unusable('empty')],
  ['\t', unusable('empty')],
  [',', unusable('empty')],
  [' , ,\t', unusable('empty')],
  [['', ''], unusable('empty')],
  [',5', wait(5_000, 'delay-seconds')],
  ['5, 10', wait(10_000, 'delay-seconds-multiple-max')],
  ['10,5', wait(10_000, 'delay-seconds-multiple-max')],
  ['5 ,\t5', wait(5_000, 'delay-seconds-duplicate')],
  ['5, 5, 6', wait(6_000, 'delay-seconds-multiple-max')],
  ['5, soon, 7', wait(7_000, 'delay-seconds-multiple-max')],
  ['soon, later', unusable('malformed')],
  [['soon', 'later'], unusable('malformed')],
  ['soon, 7', wait(7_000, 'delay-seconds')],
  ['1,000', unusable('malformed')],
  ['1,234,567', unusable('malformed')],
  ['5,300', unusable('malformed')],
  ['5,3000', wait(3_000_000, 'delay-seconds-multiple-max')],
  ['5,30', wait(30_000, 'delay-seconds-multiple-max')],
  ['5, 300', wait(300_000, 'delay-seconds-multiple-max')],
  [['1,000', '7'], wait(7_000, 'delay-seconds')],
  ['5\u00a0', unusable('malformed')],
  ['\n5', unusable('malformed')],
  ['5\u0000', unusable('malformed')],
  ['5 5', unusable('malformed')],
  ['Tue, 10 Mar 2026 12:00:05 GMT, 3', wait(5_000, 'multiple-max')],
  ['3, Tue, 10 Mar 2026 12:00:05 GMT', wait(5_000, 'multiple-max')],
  ['Tuesday, 10-Mar-26 12:00:05 GMT, Tue Mar 10 12:00:06 2026', wait(6_000, 'multiple-max')],
  [['Tue, 10 Mar 2026 12:00:05 GMT', 'Tue, 10 Mar 2026 12:00:05 GMT'], wait(5_000, 'multiple-max')],
  ['Tue, 5', unusable('malformed')],
  ['Tue, ', unusable('empty')],
  ['Tue,10 Mar 2026 12:00:05 GMT', unusable('malformed')],
  ['\t Tue, 10 Mar 2026 12:00:05 GMT \t', wait(5_000, 'http-date')],
  ['Tuesday, 10-Mar-26 11:00:00 GMT', wait(0, 'http-date-rfc850')],
  ['Wed, 10 Mar 2026 11:00:00 GMT', wait(0, 'http-date-past')],
  ['2026-03-10T12:00:00.001Z', wait(1, 'iso-8601-lenient')],
];

test.each(values)('%j', (value, hint) => {
  expect(retryAfter(value)).toEqual(hint);
});

test('a list is taken apart up to 1,024 characters', () => {
  const list = (length: number): string => `${'1, '.repeat(341)}${'9'.repeat(length - 1_023)}`;
  expect(list(1_024)).toHaveLength(1_024);
  expect(retryAfter(list(1_024))).toEqual(wait(9_000, 'delay-seconds-multiple-max'));
  expect(retryAfter(list(1_025))).toEqual(unusable('malformed'));
});

test('of thousands of lines the first 64 are looked at', () => {
  const lines = (count: number, last: string): string[] => [...Array<string>(count - 1).fill('5'), last];
  expect(mostLines).toBe(64);
  expect(retryAfter(lines(64, '9'))).toEqual(wait(9_000, 'delay-seconds-multiple-max'));
  expect(retryAfter(lines(65, '9'))).toEqual(wait(5_000, 'delay-seconds-duplicate'));
  expect(retryAfter(lines(10_000, '9'))).toEqual(wait(5_000, 'delay-seconds-duplicate'));
});

describe('dates count from the server’s own Date', () => {
  const inFive = 'Wed, 10 Mar 2027 12:00:05 GMT';
  const date = 'Wed, 10 Mar 2027 12:00:00 GMT';
  const yearMs = Date.UTC(2027, 2, 10, 12) - noon;
  const uncorrected = wait(yearMs + 5_000, 'http-date');
  const rows: readonly (readonly [string, Record<string, string | string[]>, Hint])[] = [
    ['when there is one', { date }, wait(5_000, 'http-date-skew-corrected')],
    ['in any form', { date: 'Wednesday, 10-Mar-27 12:00:00 GMT' }, wait(5_000, 'http-date-skew-corrected')],
    ['when it is one line', { date: [date] }, wait(5_000, 'http-date-skew-corrected')],
    ['not when there are two', { date: [date, date] }, uncorrected],
    ['not when two are joined', { date: `${date}, ${date}` }, uncorrected],
    ['not when it is malformed', { date: 'today' }, uncorrected],
    ['not when a cache kept it', { date, age: '10' }, uncorrected],
    ['not when Age is there at all', { date, age: '' }, uncorrected],
  ];

  test.each(rows)('%s', (_, headers, hint) => {
    expect(retryAfter(inFive, headers)).toEqual(hint);
  });

  test('a wrong weekday is told before a correction, the past before both', () => {
    expect(retryAfter('Tue, 10 Mar 2027 12:00:05 GMT', { date })).toEqual(
      wait(5_000, 'http-date-wrong-weekday'),
    );
    expect(retryAfter('Tue, 10 Mar 2027 11:59:59 GMT', { date })).toEqual(wait(0, 'http-date-past'));
    expect(retryAfter(date, { date })).toEqual(wait(0, 'http-date-now'));
  });
});

describe('headers in odd shapes', () => {
  const get = (value: unknown): object => ({
    get: (name: string) => (name === 'retry-after' ? value : null),
  });
  const five = wait(5_000, 'delay-seconds');
  const throwing = Object.defineProperty({}, 'retry-after', {
    enumerable: true,
    get() {
      throw new Error('no');
    },
  });
  const rows: readonly (readonly [string, unknown, Hint | undefined])[] = [
    ['a number', { 'retry-after': 5 }, five],
    ['NaN', { 'retry-after': Number.NaN }, unusable('malformed')],
    ['a list of a number', { 'retry-after': [5] }, five],
    ['odd members', { 'retry-after': [null, {}, undefined, '5', true] }, five],
    ['an empty list', { 'retry-after': [] }, undefined],
    ['only odd members', { 'retry-after': [null, {}] }, undefined],
    ['undefined', { 'retry-after': undefined }, undefined],
    ['null', { 'retry-after': null }, undefined],
    ['an object', { 'retry-after': { value: '5' } }, undefined],
    ['mixed case', { 'rEtRy-AfTeR': '5' }, five],
    [
      'the same name twice',
      { 'Retry-After': '5', 'retry-after': '9' },
      wait(9_000, 'delay-seconds-multiple-max'),
    ],
    ['the case folded by others', { 'X-Other': '1', 'retry-after': '5' }, five],
    ['get: text', get('5'), five],
    ['get: a number', get(5), five],
    ['get: lines', get(['5', '7']), wait(7_000, 'delay-seconds-multiple-max')],
    ['get: null', get(null), undefined],
    ['get: undefined', get(undefined), undefined],
    ['get: an object', get({}), undefined],
    ['get: a promise', get(Promise.resolve('5')), undefined],
    [
      'fetch Headers',
      new Headers([
        ['Retry-After', '5'],
        ['retry-after', '7'],
      ]),
      wait(7_000, 'delay-seconds-multiple-max'),
    ],
    ['a header named get', { get: 'x', 'retry-after': '5' }, five],
    [
      'get that throws',
      {
        get: () => {
          throw new Error('no');
        },
      },
      undefined,
    ],
    ['a getter that throws', throwing, undefined],
    [
      'a getter that throws, in a copy',
      Object.assign(Object.create(throwing), { 'X-Other': '1' }),
      undefined,
    ],
    ['no object', 'retry-after: 5', undefined],
    ['null headers', null, undefined],
    ['none', undefined, undefined],
  ];

  test.each(rows)('%s', (_, headers, hint) => {
    expect(hintOf('standard', 503, headers as object)).toEqual(hint);
  });
});
