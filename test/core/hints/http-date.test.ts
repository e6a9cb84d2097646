import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isWeekday,
  type ParsedDate,
  parseDate as parseStrictDate,
} from '../../../src/core/hints/http-date.js';
import { parseLenientDate } from '../../../src/core/hints/lenient-date.js';
import { noon } from './hint-of.js';

/** As the full entries read dates. */
function parseDate(text: string, now: number): ParsedDate | undefined {
  return parseStrictDate(text, now) ?? parseLenientDate(text, now);
}

const at = (...parts: Parameters<typeof Date.UTC>): number => Date.UTC(...parts);
const march10: number = at(2026, 2, 10, 12, 0, 30);

const accepted: readonly (readonly [
  text: string,
  form: ParsedDate['form'],
  at: number,
  weekdayFits?: boolean,
])[] = [
  ['Tue, 10 Mar 2026 12:00:30 GMT', 'http-date', march10],
  ['Wed, 10 Mar 2026 12:00:30 GMT', 'http-date', march10, false],
  ['Mon, 01 Jan 0001 00:00:00 GMT', 'http-date', -62_135_596_800_000],
  ['Sat, 29 Feb 2020 23:59:59 GMT', 'http-date', at(2020, 1, 29, 23, 59, 59)],
  ['Tue, 30 Jun 2026 23:59:60 GMT', 'http-date', at(2026, 6, 1)],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 'http-date', 253_402_300_799_000],
  ['Tuesday, 10-Mar-26 12:00:30 GMT', 'http-date-rfc850', march10],
  ['Monday, 10-Mar-26 12:00:30 GMT', 'http-date-rfc850', march10, false],
  ['Tuesday, 29-Feb-28 00:00:00 GMT', 'http-date-rfc850', at(2028, 1, 29)],
  ['Tue Mar 10 12:00:30 2026', 'http-date-asctime', march10],
  ['Sun Mar  1 12:00:30 2026', 'http-date-asctime', at(2026, 2, 1, 12, 0, 30)],
  ['Sun Mar 01 12:00:30 2026', 'http-date-asctime', at(2026, 2, 1, 12, 0, 30)],
  ['Sun Mar 1 12:00:30 2026', 'http-date-lenient', at(2026, 2, 1, 12, 0, 30)],
  ['tue mar 10 12:00:30 2026', 'http-date-lenient', march10],
  ['10 Mar 2026 12:00:30 GMT', 'http-date-lenient', march10],
  ['Tue, 10 mar 2026 12:00:30 GMT', 'http-date-lenient', march10],
  ['TUESDAY, 10 MAR 2026 12:00:30 gmt', 'http-date-lenient', march10],
  ['Tue 10 Mar 2026 12:00:30 GMT', 'http-date-lenient', march10],
  ['Tue, 1 Mar 2026 12:00:30 GMT', 'http-date-lenient', at(2026, 2, 1, 12, 0, 30), false],
  ['Tue, 10-Mar-2026 12:00:30 GMT', 'http-date-lenient', march10],
  ['Tue, 10-Mar-26 12:00:30 GMT', 'http-date-lenient', march10],
  ['Tue, 10 Mar 26 12:00:30 GMT', 'http-date-lenient', march10],
  ['Tue, 10 Mar 2026 12:00:30 UTC', 'http-date-lenient', march10],
  ['Tue, 10 Mar 2026 12:00:30 UT', 'http-date-lenient', march10],
  ['Tue, 10 Mar 2026 12:00:30 Z', 'http-date-lenient', march10],
  ['Tue, 10 Mar 2026 17:45:30 +0545', 'http-date-lenient', march10],
  ['Tue, 10 Mar 2026 08:30:30 -03:30', 'http-date-lenient', march10],
  // The weekday is that of the date as written, in its own zone.
  ['Wed, 11 Mar 2026 01:00:30 +1300', 'http-date-lenient', march10],
  ['Mon, 09 Mar 2026 23:59:30 -1201', 'http-date-lenient', march10],
  ['2026-03-10T12:00:30Z', 'iso-8601-lenient', march10],
  ['2026-03-10t12:00:30z', 'iso-8601-lenient', march10],
  ['2026-03-10 12:00:30Z', 'iso-8601-lenient', march10],
  ['2026-03-10T12:00Z', 'iso-8601-lenient', noon],
  ['2026-03-10T12:00:30.5Z', 'iso-8601-lenient', march10 + 500],
  ['2026-03-10T12:00:30.123000001Z', 'iso-8601-lenient', march10 + 124],
  ['2026-03-10T13:00:30.25+01:00', 'iso-8601-lenient', march10 + 250],
  ['2026-03-10T07:00:30-0500', 'iso-8601-lenient', march10],
  ['Tue Mar 10 2026 13:00:30 GMT+0100 (Central European Standard Time)', 'js-date-string-lenient', march10],
  ['Tue Mar 10 2026 07:00:30 GMT-0500', 'js-date-string-lenient', march10],
  ['Wed Mar 10 2026 12:00:30 GMT+0000', 'js-date-string-lenient', march10, false],
];

describe('accepted', () => {
  for (const [text, form, expected, weekdayFits = true] of accepted) {
    test(`${text} is ${form}`, () => {
      const date = { at: expected, form, weekdayFits };
      expect(parseDate(text, noon)).toEqual(date);
      // The light entries read the forms of the grammar, and nothing else.
      expect(parseStrictDate(text, noon)).toEqual(
        form.startsWith('http-date') && !form.endsWith('lenient') ? date : undefined,
      );
    });
  }
});

const refused: readonly string[] = [
  '',
  'Tue, 10 Mar 2026 12:00:30',
  'Tue, 10 Mar 2026 12:00:30 PST',
  'Tue, 10 Mar 2026 12:00:30 +2400',
  'Tue, 10 Mar 2026 12:00:30 +0060',
  'Tue, 10 Mar 2026 12:00:30 +01',
  'Tue, 10 Mar 2026 24:00:00 GMT',
  'Tue, 10 Mar 2026 12:60:00 GMT',
  'Tue, 10 Mar 2026 12:00:61 GMT',
  'Tue, 10 Mar 2026 12:00 GMT',
  'Tue, 10 Mar 2026 1:00:00 GMT',
  'Tue, 10 Mar 2026 12:00:30GMT',
  'Tue, 10 Mar 2026 12:00:30 GMT.',
  ' Tue, 10 Mar 2026 12:00:30 GMT',
  'Tue,10 Mar 2026 12:00:30 GMT',
  'Tue, 10 March 2026 12:00:30 GMT',
  'Tue, 10 Mär 2026 12:00:30 GMT',
  'Tue, 10 Foo 2026 12:00:30 GMT',
  'Foo, 10 Mar 2026 12:00:30 GMT',
  'Tues, 10 Mar 2026 12:00:30 GMT',
  'Tue, 10 Mar-2026 12:00:30 GMT',
  'Tue, 10-Mar 2026 12:00:30 GMT',
  'Tue, 10 Mar 226 12:00:30 GMT',
  'Tue, 10 Mar 12026 12:00:30 GMT',
  'Tue, 00 Mar 2026 12:00:30 GMT',
  'Tue, 32 Mar 2026 12:00:30 GMT',
  'Tue, 31 Feb 2026 12:00:30 GMT',
  'Sun, 29 Feb 2026 12:00:30 GMT',
  'Tuesday, 31-Feb-26 12:00:30 GMT',
  'Tue Mar 10 12:00:30 26',
  'Tue Mar 32 12:00:30 2026',
  'Tue Mar 10 24:00:30 2026',
  'Foo Mar 10 12:00:30 2026',
  'Tue Foo 10 12:00:30 2026',
  'Tue Mar 10 12:00:30 2026 GMT',
  'Tuesday Mar 10 12:00:30 2026',
  '2026-03-10',
  '2026-03-10T12:00:30',
  '2026-03-10T12Z',
  '2026-13-10T12:00:30Z',
  '2026-00-10T12:00:30Z',
  '2026-02-29T12:00:30Z',
  '2026-03-10T24:00:00Z',
  '2026-03-10T12:00:30.Z',
  '2026-03-10T12:00:30+24:00',
  'x2026-03-10T12:00:30Z',
  '2026-03-10T12:00:30Zx',
  'Tue Mar 10 2026 13:00:30',
  'Tue Mar 10 2026 13:00:30 GMT+0100 (unclosed',
  'Tue Mar 10 2026 13:00:30 GMT+0100 x',
  'Tue Mar 10 2026 13:00:30 GMT+2400',
  'Tue Mar 32 2026 13:00:30 GMT+0100',
  'Foo Mar 10 2026 13:00:30 GMT+0100',
  'xTue Mar 10 2026 13:00:30 GMT+0100',
  '10.03.2026 12:00:30 GMT',
  '٢٠٢٦-03-10T12:00:30Z',
  '1773144030',
];

test.each(refused)('%j is not a date', (text) => {
  expect(parseDate(text, noon)).toBeUndefined();
});

test('a text of 128 characters is read, a longer one is not', () => {
  const padded = (length: number): string => {
    const start = 'Tue Mar 10 2026 12:00:30 GMT+0000 (';
    return `${start}${'x'.repeat(length - start.length - 1)})`;
  };
  expect(parseDate(padded(99), noon)).toMatchObject({ at: march10 });
  expect(parseDate(padded(100), noon)).toMatchObject({ at: march10 });
  expect(parseDate(padded(101), noon)).toBeUndefined();
  expect(parseDate(padded(200_000), noon)).toBeUndefined();
});

describe('RFC 850: a two-digit year is at most 50 years ahead', () => {
  const rfc850 = (text: string, now: number): number | undefined => parseDate(text, now)?.at;
  test.each([
    ['Tuesday, 10-Mar-76 12:00:00 GMT', noon, at(2076, 2, 10, 12)],
    ['Tuesday, 10-Mar-76 12:00:01 GMT', noon, at(1976, 2, 10, 12, 0, 1)],
    ['Tuesday, 10-Mar-76 11:59:59 GMT', noon, at(2076, 2, 10, 11, 59, 59)],
    ['Monday, 01-Jan-77 00:00:00 GMT', noon, at(1977, 0, 1)],
    ['Friday, 31-Dec-75 00:00:00 GMT', noon, at(2075, 11, 31)],
    ['Friday, 01-Jan-00 00:00:00 GMT', at(2099, 11, 31), at(2100, 0, 1)],
    ['Friday, 01-Jan-49 00:00:00 GMT', at(2099, 11, 31), at(2149, 0, 1)],
    ['Friday, 01-Jan-50 00:00:00 GMT', at(2099, 11, 31), at(2050, 0, 1)],
    ['Sunday, 31-Dec-99 00:00:00 GMT', at(2000, 0, 1), at(1999, 11, 31)],
    // 2100 has no 29 February, so the year must be 2000.
    ['Tuesday, 29-Feb-00 00:00:00 GMT', at(2099, 11, 31), at(2000, 1, 29)],
  ])('%s', (text, now, expected) => {
    expect(rfc850(text, now)).toBe(expected);
  });
});

test.each([
  ['tue', true],
  ['Tuesday', true],
  ['SUN', true],
  ['tues', false],
  ['day', false],
  ['', false],
])('%j is a weekday: %s', (name, expected) => {
  expect(isWeekday(name)).toBe(expected);
});

describe('every second from 1970 to 2099 comes back', () => {
  const names = ['Sun', 'Mon', 'Tues', 'Wednes', 'Thurs', 'Fri', 'Satur'];
  const second = fc.integer({ min: 0, max: at(2099, 11, 31, 23, 59, 59) / 1000 }).map((s) => s * 1000);
  const check = (form: ParsedDate['form'], format: (imf: string, date: Date) => string): void => {
    fc.assert(
      fc.property(second, (time) => {
        const date = new Date(time);
        // Within 50 years of the date itself, so that two digits are enough.
        const found = parseDate(format(date.toUTCString(), date), time);
        expect(found).toEqual({ at: time, form, weekdayFits: true });
      }),
    );
  };

  test('as IMF-fixdate', () => check('http-date', (imf) => imf));

  test('as RFC 850', () =>
    check('http-date-rfc850', (imf, date) => {
      const [, day, month, year, time] = imf.split(' ');
      return `${names[date.getUTCDay()]}day, ${day}-${month}-${year?.slice(2)} ${time} GMT`;
    }));

  test('as asctime', () =>
    check('http-date-asctime', (imf, date) => {
      const [weekday, , month, year, time] = imf.split(' ');
      return `${weekday?.slice(0, 3)} ${month} ${String(date.getUTCDate()).padStart(2)} ${time} ${year}`;
    }));

  test('as ISO 8601', () => check('iso-8601-lenient', (_, date) => date.toISOString()));
});
