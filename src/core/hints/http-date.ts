/**
 * Reads the dates that a server sent (RFC 9110 5.6.7), in the three forms of the grammar. `Date.parse` is not used: it reads
 * asctime as local time, takes `yy` from 50 on as 19yy, drops leap seconds and lets 31 February roll over.
 */

import { digits } from './decimal.js';

export interface ParsedDate {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The form of the date, as hints name it. `lenient` is close to one of the first three. */
  readonly form:
    | 'http-date'
    | 'http-date-rfc850'
    | 'http-date-asctime'
    | 'http-date-lenient'
    | 'iso-8601-lenient'
    | 'js-date-string-lenient';
  /** Whether the weekday is right, or none was named. */
  readonly weekdayFits: boolean;
}

/** `now` decides the century of two-digit years. */
export type DateParser = (text: string, now: number) => ParsedDate | undefined;

const months = /* @__PURE__ */ 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
export const weekdays: readonly string[] =
  /* @__PURE__ */ 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

// Every quantifier is bounded, and no two neighbours can match the same character, so matching takes linear time.
const forms: readonly (readonly [ParsedDate['form'], RegExp])[] = [
  ['http-date', /^(?<w>[A-Z][a-z]{2}), (?<d>\d\d) (?<m>[A-Z][a-z]{2}) (?<y>\d{4}) (?<t>\d\d:\d\d:\d\d) GMT$/],
  [
    'http-date-rfc850',
    /^(?<w>[A-Z][a-z]{2,5}day), (?<d>\d\d)-(?<m>[A-Z][a-z]{2})-(?<y>\d\d) (?<t>\d\d:\d\d:\d\d) GMT$/,
  ],
  [
    'http-date-asctime',
    /^(?<w>[A-Z][a-z]{2}) (?<m>[A-Z][a-z]{2}) (?<d>[ \d]\d) (?<t>\d\d:\d\d:\d\d) (?<y>\d{4})$/,
  ],
];

/** Exactly as the grammar defines them. */
export function parseDate(text: string, now: number): ParsedDate | undefined {
  for (const [form, pattern] of forms) {
    const { w = '', d = '', m = '', y = '', t = '' } = pattern.exec(text)?.groups ?? {};
    // A longer name is that of RFC 850.
    if (w !== '' && weekdays.some((name) => w === (w.length > 3 ? name : name.slice(0, 3))))
      return ofYear(y, now, (year) =>
        assembled(form, w, midnightOf(year, monthOf(m), digits(d.trim())), timeOf(t)),
      );
  }
  return undefined;
}

/**
 * RFC 9110 5.6.7: a two-digit year that appears to be more than 50 years ahead is the most recent
 * one in the past with the same digits; so it is the last one that is not more than 50 years ahead.
 */
export function ofYear(
  text: string,
  now: number,
  dateIn: (fullYear: number) => ParsedDate | undefined,
): ParsedDate | undefined {
  const year = digits(text);
  if (text.length > 2) return dateIn(year);
  const today = new Date(now);
  const [thisYear, month] = [today.getUTCFullYear(), today.getUTCMonth()];
  const limit = now + Date.UTC(thisYear + 50, month) - Date.UTC(thisYear, month);
  const thisCentury = thisYear - (thisYear % 100);
  for (const century of [thisCentury + 100, thisCentury, thisCentury - 100]) {
    const date = dateIn(century + year);
    if (date !== undefined && date.at <= limit) return date;
  }
  return undefined;
}

/** A wrong weekday is only noted. */
export function assembled(
  form: ParsedDate['form'],
  weekday: string,
  midnight: number | undefined,
  timeOfDay: number | undefined,
  offset: number | undefined = 0,
): ParsedDate | undefined {
  if (midnight === undefined || timeOfDay === undefined) return undefined;
  // The weekday of the day as written, in its own zone, and not of the next day after a leap second.
  const own = weekdays[new Date(midnight).getUTCDay()] ?? '';
  return { at: midnight + timeOfDay - offset, form, weekdayFits: own.startsWith(weekday) };
}

/** `Tue` or `Tuesday`, in any case. */
export function isWeekday(name: string): boolean {
  return weekdays.some((weekday) => weekday === capital(name) || weekday.slice(0, 3) === capital(name));
}

/** `TUE` is `Tue`. */
export function capital(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1).toLowerCase();
}

/** The month from 0, or -1 if there is no such month. */
export function monthOf(name: string): number {
  return months.indexOf(name);
}

/**
 * Dates are computed 400 years later, which is a whole number of weeks, since `Date.UTC` takes years below 100 for
 * 19yy.
 */
const fourCenturiesMs: number = 146_097 * 86_400_000;

export function midnightOf(year: number, month: number, day: number): number | undefined {
  const at = Date.UTC(year + 400, month, day);
  const date = new Date(at);
  // A date that rolled over was not a day of that month.
  if (date.getUTCMonth() !== month || date.getUTCDate() !== day) return undefined;
  return at - fourCenturiesMs;
}

/** Of `hh:mm:ss`. 24:00 is refused. A second of 60 is a leap second, which RFC 9110 5.6.7 allows. */
export function timeOf(time: string): number | undefined {
  const [h = 0, m = 0, s = 0] = time.split(':').map(digits);
  return h > 23 || m > 59 || s > 60 ? undefined : ((h * 60 + m) * 60 + s) * 1000;
}
