/**
 * Reads the dates that a server sent (RFC 9110 5.6.7). `Date.parse` is not used: it reads asctime as local time, takes
 * `yy` from 50 on as 19yy, drops leap seconds and lets 31 February roll over.
 */

import { digits } from './decimal.js';

/** The form of a date. `lenient` is close to one of the first three. */
export type DateForm = 'imf' | 'rfc850' | 'asctime' | 'lenient' | 'iso-8601' | 'js-date-string';

interface ParsedDate {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly form: DateForm;
  /** Whether the weekday is right, or none was named. */
  readonly weekdayFits: boolean;
}

/** No form is longer than this; JavaScript's includes the name of the zone. */
const longestDate = 128;

const months = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
const days = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun';
const clock = '\\d\\d:\\d\\d:\\d\\d';

const monthNames = /* @__PURE__ */ months.toLowerCase().split('|');
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

// Every quantifier is bounded, and no two neighbours can match the same character, so matching takes linear time.
const dayFirst =
  /^(?:([a-z]{3,9}),? )?(\d{1,2})([ -])([a-z]{3})\3(\d{4}|\d{2}) (\d\d):(\d\d):(\d\d) (GMT|UTC|UT|Z|[+-]\d\d:?\d\d)$/i;
const asctime = /^([a-z]{3}) ([a-z]{3}) ( \d|\d{1,2}) (\d\d):(\d\d):(\d\d) (\d{4})$/i;
const iso = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)$/i;
const jsDate =
  /^([a-z]{3}) ([a-z]{3}) (\d\d) (\d{4}) (\d\d):(\d\d):(\d\d) GMT([+-]\d{4})(?: \([^()]{1,64}\))?$/i;

/** The three forms exactly as the grammar defines them. */
const imfGrammar = /* @__PURE__ */ (() =>
  new RegExp(`^(?:${days}), \\d\\d (?:${months}) \\d{4} ${clock} GMT$`))();
const rfc850Grammar = /* @__PURE__ */ (() =>
  new RegExp(`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \\d\\d-(?:${months})-\\d\\d ${clock} GMT$`))();
const asctimeGrammar = /* @__PURE__ */ (() =>
  new RegExp(`^(?:${days}) (?:${months}) (?: \\d|\\d\\d) ${clock} \\d{4}$`))();

/** Reads a date with an explicit zone (asctime is UTC by definition). `now` decides the century of two-digit years. */
export function parseDate(text: string, now: number): ParsedDate | undefined {
  if (text.length > longestDate) return undefined;
  return parseDayFirst(text, now) ?? parseAsctime(text) ?? parseIso(text) ?? parseJsDate(text);
}

/** IMF-fixdate, RFC 850 and what resembles them: other case, hyphens, zones, single-digit days. */
function parseDayFirst(text: string, now: number): ParsedDate | undefined {
  const match = dayFirst.exec(text);
  if (match === null) return undefined;
  const [, weekday = '', day = '', , month = '', year = '', hour = '', minute = '', second = '', zone = ''] =
    match;
  const form = imfGrammar.test(text) ? 'imf' : rfc850Grammar.test(text) ? 'rfc850' : 'lenient';
  const timeOfDay = timeOf(hour, minute, second);
  const inYear = (fullYear: number): ParsedDate | undefined =>
    assembled(form, weekday, midnightOf(fullYear, monthOf(month), digits(day)), timeOfDay, zone);
  return year.length === 4 ? inYear(digits(year)) : nearestCentury(digits(year), now, inYear);
}

/**
 * RFC 9110 5.6.7: a two-digit year that appears to be more than 50 years ahead is the most recent
 * one in the past with the same digits; so it is the last one that is not more than 50 years ahead.
 */
function nearestCentury(
  year: number,
  now: number,
  inYear: (fullYear: number) => ParsedDate | undefined,
): ParsedDate | undefined {
  const today = new Date(now);
  const [thisYear, month] = [today.getUTCFullYear(), today.getUTCMonth()];
  const limit = now + Date.UTC(thisYear + 50, month) - Date.UTC(thisYear, month);
  const thisCentury = thisYear - (thisYear % 100);
  for (const century of [thisCentury + 100, thisCentury, thisCentury - 100]) {
    const date = inYear(century + year);
    if (date !== undefined && date.at <= limit) return date;
  }
  return undefined;
}

function parseAsctime(text: string): ParsedDate | undefined {
  const match = asctime.exec(text);
  if (match === null) return undefined;
  const [, weekday = '', month = '', day = '', hour = '', minute = '', second = '', year = ''] = match;
  const form = asctimeGrammar.test(text) ? 'asctime' : 'lenient';
  const midnight = midnightOf(digits(year), monthOf(month), digits(day.trimStart()));
  return assembled(form, weekday, midnight, timeOf(hour, minute, second), 'GMT');
}

function parseIso(text: string): ParsedDate | undefined {
  const match = iso.exec(text);
  if (match === null) return undefined;
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '00', fraction = '', zone = ''] =
    match;
  const midnight = midnightOf(digits(year), digits(month) - 1, digits(day));
  return assembled('iso-8601', '', midnight, timeOf(hour, minute, second, fraction), zone);
}

/** Reads the form that JavaScript's `String(date)` writes. */
function parseJsDate(text: string): ParsedDate | undefined {
  const match = jsDate.exec(text);
  if (match === null) return undefined;
  const [, weekday = '', month = '', day = '', year = '', hour = '', minute = '', second = '', zone = ''] =
    match;
  const midnight = midnightOf(digits(year), monthOf(month), digits(day));
  return assembled('js-date-string', weekday, midnight, timeOf(hour, minute, second), zone);
}

/** If the name is not a weekday's, the text is not a date. A wrong weekday is only noted. */
function assembled(
  form: DateForm,
  weekday: string,
  midnight: number | undefined,
  timeOfDay: number | undefined,
  zone: string,
): ParsedDate | undefined {
  const offset = offsetOf(zone);
  if (midnight === undefined || timeOfDay === undefined || offset === undefined) return undefined;
  if (weekday !== '' && !isWeekday(weekday)) return undefined;
  // The weekday of the day as written, in its own zone, and not of the next day after a leap second.
  const own = weekdays[new Date(midnight).getUTCDay()] ?? '';
  return { at: midnight + timeOfDay - offset, form, weekdayFits: own.startsWith(weekday.toLowerCase()) };
}

/** `Tue` or `Tuesday`, in any case. */
export function isWeekday(name: string): boolean {
  const lower = name.toLowerCase();
  return weekdays.some((weekday) => weekday === lower || weekday.slice(0, 3) === lower);
}

/** The month from 0, or -1 if there is no such month. */
function monthOf(name: string): number {
  return monthNames.indexOf(name.toLowerCase());
}

/**
 * Dates are computed 400 years later, which is a whole number of weeks, since `Date.UTC` takes years below 100 for
 * 19yy.
 */
const fourCenturiesMs: number = 146_097 * 86_400_000;

function midnightOf(year: number, month: number, day: number): number | undefined {
  const at = Date.UTC(year + 400, month, day);
  const date = new Date(at);
  // A date that rolled over was not a day of that month.
  if (date.getUTCMonth() !== month || date.getUTCDate() !== day) return undefined;
  return at - fourCenturiesMs;
}

/** 24:00 is refused. A second of 60 is a leap second, which RFC 9110 5.6.7 allows. A fraction rounds up. */
function timeOf(hour: string, minute: string, second: string, fraction = ''): number | undefined {
  const [h, m, s] = [digits(hour), digits(minute), digits(second)];
  if (h > 23 || m > 59 || s > 60) return undefined;
  return ((h * 60 + m) * 60 + s) * 1000 + Math.ceil((digits(fraction) * 1000) / 10 ** fraction.length);
}

/** The zone's offset from UTC in ms. */
function offsetOf(zone: string): number | undefined {
  const sign = zone[0];
  if (sign !== '+' && sign !== '-') return 0;
  const hours = digits(zone.slice(1, 3));
  const minutes = digits(zone.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
