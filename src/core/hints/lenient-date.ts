/** Dates that are close to the grammar, and two forms that servers send in its place. */

import type { Encoding } from './hint-set.js';
import {
  assembled,
  capital,
  isWeekday,
  monthOf,
  ofYear,
  type ParsedDate,
  parseDate,
  timeOf,
} from './http-date.js';
import { waitUntil } from './retry-after.js';

/** No form is longer than this; JavaScript's includes the name of the zone. */
const longestDate = 128;

// Every quantifier is bounded, and no two neighbours can match the same character, so matching takes linear time.
const dayFirst =
  /^(?:([a-z]{3,9}),? )?(\d{1,2})([ -])([a-z]{3})\3(\d{4}|\d{2}) (\d\d:\d\d:\d\d) (GMT|UTC|UT|Z|[+-]\d\d:?\d\d)$/i;
const asctime = /^([a-z]{3}) ([a-z]{3}) ( \d|\d{1,2}) (\d\d:\d\d:\d\d) (\d{4})$/i;
const iso =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:(?<=:\d\d:\d\d)\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)$/i;
const jsDate = /^([a-z]{3}) ([a-z]{3}) (\d\d) (\d{4}) (\d\d:\d\d:\d\d) GMT([+-]\d{4})(?: \([^()]{1,64}\))?$/i;

/** Reads a date with an explicit zone (asctime is UTC by definition), of any form that is not exactly the grammar's. */
export function parseLenientDate(text: string, now: number): ParsedDate | undefined {
  if (text.length > longestDate) return undefined;
  return parseDayFirst(text, now) ?? parseAsctime(text) ?? parseIso(text) ?? parseJsDate(text);
}

/** A date in any form, as vendors send it. */
export const date: Encoding = (value, now, since) => {
  const at = (parseDate(value, now) ?? parseLenientDate(value, now))?.at;
  return at === undefined ? undefined : waitUntil(at, since);
};

/** What resembles IMF-fixdate and RFC 850: other case, hyphens, zones, single-digit days. */
function parseDayFirst(text: string, now: number): ParsedDate | undefined {
  const match = dayFirst.exec(text);
  if (match === null) return undefined;
  const [, weekday = '', day = '', , month = '', year = '', time = '', zone = ''] = match;
  return ofYear(year, now, (fullYear) =>
    leniently('http-date-lenient', weekday, [fullYear, month, day], timeOf(time), zone),
  );
}

function parseAsctime(text: string): ParsedDate | undefined {
  const match = asctime.exec(text);
  if (match === null) return undefined;
  const [, weekday = '', month = '', day = '', time = '', year = ''] = match;
  return leniently('http-date-lenient', weekday, [Number(year), month, day], timeOf(time), 'GMT');
}

/** A fraction rounds up. */
function parseIso(text: string): ParsedDate | undefined {
  const match = iso.exec(text);
  if (match === null) return undefined;
  const [, year = '', month = '', day = '', time = '', fraction = '', zone = ''] = match;
  const offset = offsetOf(zone);
  const timeOfDay = timeOf(time);
  if (offset === undefined || timeOfDay === undefined) return undefined;
  const ms = Math.ceil((Number(fraction) * 1000) / 10 ** fraction.length);
  return assembled(
    'iso-8601-lenient',
    '',
    [Number(year), Number(month) - 1, Number(day)],
    timeOfDay + ms,
    offset,
  );
}

/** Reads the form that JavaScript's `String(date)` writes. */
function parseJsDate(text: string): ParsedDate | undefined {
  const match = jsDate.exec(text);
  if (match === null) return undefined;
  const [, weekday = '', month = '', day = '', year = '', time = '', zone = ''] = match;
  return leniently('js-date-string-lenient', weekday, [Number(year), month, day], timeOf(time), zone);
}

/** If the name is not a weekday's, the text is not a date. */
function leniently(
  form: ParsedDate['form'],
  weekday: string,
  [year, month, day]: readonly [year: number, month: string, day: string],
  timeOfDay: number | undefined,
  zone: string,
): ParsedDate | undefined {
  const offset = offsetOf(zone);
  if (offset === undefined || (weekday !== '' && !isWeekday(weekday))) return undefined;
  const date = [year, monthOf(capital(month)), Number(day)] as const;
  return assembled(form, capital(weekday), date, timeOfDay, offset);
}

/** The zone's offset from UTC in ms. */
function offsetOf(zone: string): number | undefined {
  const sign = zone[0];
  if (sign !== '+' && sign !== '-') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
