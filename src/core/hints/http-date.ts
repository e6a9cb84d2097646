/**
 * Reads the dates that a server sent (RFC 9110 5.6.7), in the three forms of the grammar. `Date.parse` is not used: it reads
 * asctime as local time, takes `yy` from 50 on as 19yy, drops leap seconds and lets 31 February roll over.
 */

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

/** Its pattern names the parts of a date by their first letters. */
export type DateForm = readonly [ParsedDate['form'], RegExp];

/** `now` decides the century of two-digit years. */
export type DateParser = (text: string, now: number) => ParsedDate | undefined;

const months = /* @__PURE__ */ 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const weekdays: readonly string[] =
  /* @__PURE__ */ 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

// Every quantifier is bounded, and no two neighbours can match the same character, so matching takes linear time.
const forms: readonly DateForm[] = [
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
    const parts = pattern.exec(text)?.groups;
    if (parts !== undefined) return dateOf(form, parts, now);
  }
  return undefined;
}

/** The date of what a form's pattern has found: weekday, day, month, year and time. The weekday may be missing. */
export function dateOf(
  form: ParsedDate['form'],
  { w = '', d, m = '', y = '', t = '' }: Readonly<Record<string, string | undefined>>,
  now: number,
  offset?: number,
): ParsedDate | undefined {
  // If the name is not a weekday's, the text is not a date.
  if (w !== '' && !isWeekday(w)) return undefined;
  const month = months.indexOf(capital(m));
  return ofYear(y, now, (year) => assembled(form, capital(w), [year, month, Number(d)], timeOf(t), offset));
}

/**
 * RFC 9110 5.6.7: a two-digit year that appears to be more than 50 years ahead is the most recent
 * one in the past with the same digits; so it is the last one that is not more than 50 years ahead.
 */
function ofYear(
  text: string,
  now: number,
  dateIn: (fullYear: number) => ParsedDate | undefined,
): ParsedDate | undefined {
  const year = Number(text);
  if (text.length > 2) return dateIn(year);
  const thisYear = new Date(now).getUTCFullYear();
  const limit = new Date(now).setUTCFullYear(thisYear + 50);
  const thisCentury = thisYear - (thisYear % 100);
  return [thisCentury + 100, thisCentury, thisCentury - 100]
    .map((century) => dateIn(century + year))
    .find((date) => date !== undefined && date.at <= limit);
}

/** `Date.UTC` takes years below 100 for 19yy, so dates are computed later, by a whole number of weeks. */
const fourCenturiesMs: number = 146_097 * 86_400_000;

/** A wrong weekday is only noted. The month counts from 0. */
export function assembled(
  form: ParsedDate['form'],
  weekday: string,
  [year, month, day]: readonly [year: number, month: number, day: number],
  timeOfDay: number | undefined,
  offset: number | undefined = 0,
): ParsedDate | undefined {
  const midnight = new Date(Date.UTC(year + 400, month, day) - fourCenturiesMs);
  // A date that rolled over was not a day of that month.
  if (timeOfDay === undefined || midnight.getUTCMonth() !== month) return undefined;
  // The weekday of the day as written, in its own zone, and not of the next day after a leap second.
  const weekdayFits = weekdays[midnight.getUTCDay()]?.startsWith(weekday) === true;
  return { at: midnight.getTime() + timeOfDay - offset, form, weekdayFits };
}

/** `Tue` or `Tuesday`, in any case. */
export function isWeekday(name: string): boolean {
  const named = capital(name);
  return weekdays.some((weekday) => weekday === named || weekday.slice(0, 3) === named);
}

/** `TUE` is `Tue`. */
function capital(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1).toLowerCase();
}

/** Of `hh:mm:ss`. 24:00 is refused. A second of 60 is a leap second, which RFC 9110 5.6.7 allows. */
export function timeOf(time: string): number | undefined {
  const [h = 0, m = 0, s = 0] = time.split(':').map(Number);
  return h > 23 || m > 59 || s > 60 ? undefined : ((h * 60 + m) * 60 + s) * 1000;
}
