/** Dates that are close to the grammar, and two forms that servers send in its place. */

import type { Encoding } from './hint-set.js';
import { assembled, type DateForm, dateOf, type ParsedDate, parseDate, timeOf } from './http-date.js';
import { waitUntil } from './retry-after.js';

/** No form is longer than this; JavaScript's includes the name of the zone. */
const longestDate = 128;

// Every quantifier is bounded, and no two neighbours can match the same character, so matching takes linear time.
const forms: readonly DateForm[] = [
  // What resembles IMF-fixdate and RFC 850: other case, hyphens, zones, single-digit days.
  [
    'http-date-lenient',
    /^(?:(?<w>[a-z]{3,9}),? )?(?<d>\d{1,2})(?<s>[ -])(?<m>[a-z]{3})\k<s>(?<y>\d{4}|\d{2}) (?<t>\d\d:\d\d:\d\d) (?<z>GMT|UTC|UT|Z|[+-]\d\d:?\d\d)$/i,
  ],
  [
    'http-date-lenient',
    /^(?<w>[a-z]{3}) (?<m>[a-z]{3}) (?<d> \d|\d{1,2}) (?<t>\d\d:\d\d:\d\d) (?<y>\d{4})$/i,
  ],
  // What JavaScript's `String(date)` writes.
  [
    'js-date-string-lenient',
    /^(?<w>[a-z]{3}) (?<m>[a-z]{3}) (?<d>\d\d) (?<y>\d{4}) (?<t>\d\d:\d\d:\d\d) GMT(?<z>[+-]\d{4})(?: \([^()]{1,64}\))?$/i,
  ],
];
const iso =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:(?<=:\d\d:\d\d)\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)$/i;

/** Reads a date with an explicit zone (asctime is UTC by definition), of any form that is not exactly the grammar's. */
export function parseLenientDate(text: string, now: number): ParsedDate | undefined {
  if (text.length > longestDate) return undefined;
  for (const [form, pattern] of forms) {
    const parts = pattern.exec(text)?.groups;
    if (parts === undefined) continue;
    const offset = offsetOf(parts['z']);
    return offset === undefined ? undefined : dateOf(form, parts, now, offset);
  }
  return parseIso(text);
}

/** A date in any form, as vendors send it. */
export const date: Encoding = (value, now, since) => {
  const at = (parseDate(value, now) ?? parseLenientDate(value, now))?.at;
  return at === undefined ? undefined : waitUntil(at, since);
};

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

/** The zone's offset from UTC in ms. */
function offsetOf(zone = ''): number | undefined {
  const sign = zone[0];
  if (sign !== '+' && sign !== '-') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
