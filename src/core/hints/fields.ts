/** Reads the regular rows of a hint set: headers, encodings, quotas, body paths. */

import type { Hint } from '../types.js';
import type { Answer } from './answer.js';
import { property } from './content.js';
import { decimalText, longestDelayMs, parseDecimal } from './decimal.js';
import { parseGoDuration } from './duration.js';
import type { BodyField, Encoding, Quota, ResetField, WaitField } from './hint-set.js';
import { parseDate } from './http-date.js';
import { empty, isWait, longest, malformed, notExhausted } from './reading.js';
import { readRetryAfter, waitUntil } from './retry-after.js';
import { type Field, valuesOf } from './values.js';

export function readWait(
  { header, as, reason = header, isOwn }: WaitField,
  answer: Answer,
): Hint | undefined {
  if (as === 'retry-after') return readRetryAfter(answer);
  const field = answer.field(header);
  if (field === undefined) return undefined;
  return readEncoded(field, as, answer, isOwn ? answer.sentAt() : answer.date, () => reason);
}

/** Reads a number of seconds in a body. */
export function readBodyField({ path, zeroIsUnset }: BodyField, answer: Answer): Hint | undefined {
  const found = property(answer.content(), ...path);
  if (found === undefined || found === null) return undefined;
  const ms = parseDecimal(decimalText(found) ?? '', 1000);
  if (ms === undefined) return malformed;
  if (ms === 0 && zeroIsUnset) return undefined;
  return { delayMs: Math.min(ms, longestDelayMs), reason: 'body-retry-after' };
}

/** The longest wait among the quotas that are exhausted. */
export function readReset(row: ResetField, answer: Answer): Hint | undefined {
  if (row.only !== undefined && !row.only.includes(answer.status)) return undefined;
  let hint: Hint | undefined;
  for (const quota of row.quotas) {
    const next = readQuota(quota, row, answer);
    if (next !== undefined) hint = hint === notExhausted ? next : longest(hint, next);
  }
  return hint;
}

function readQuota({ reset, remaining }: Quota, row: ResetField, answer: Answer): Hint | undefined {
  const field = answer.field(reset);
  if (field === undefined) return undefined;
  if (remaining !== undefined && hasLeft(answer, remaining)) return notExhausted;
  const values = valuesOf(field);
  if (row.single && values.length > 1) return malformed;
  const since = row.fromServerDate || row.as === 'date' ? answer.sentAt() : answer.date;
  const { reason, plusMs = 0 } = row;
  const nameOf = (told: Told): string => (typeof reason === 'string' ? reason : reason[told]);
  const hint = readEncoded(field, row.as, answer, since, nameOf);
  return plusMs > 0 && isWait(hint) ? { ...hint, delayMs: hint.delayMs + plusMs } : hint;
}

/** Whether the quota has something left. A count that cannot be read says nothing. */
function hasLeft(answer: Answer, remaining: string): boolean {
  const counts = countsOf(answer, remaining);
  return counts.length > 0 && counts.every((count) => count >= 1000);
}

/** Whether the answer says that the quota is exhausted. Some servers count in fractions: less than one is exhausted. */
export function isExhausted(answer: Answer, remaining: string): boolean {
  return countsOf(answer, remaining).some((count) => count < 1000);
}

/** The counts, in thousandths. */
function countsOf(answer: Answer, remaining: string): readonly number[] {
  const field = answer.field(remaining);
  if (field === undefined) return [];
  return valuesOf(field).flatMap((value) => parseDecimal(value, 1000) ?? []);
}

/** What the magnitude of a number says about its encoding. */
type Told = 'delta-s' | 'epoch-s' | 'epoch-ms';

export function readEncoded(
  field: Field,
  as: Encoding,
  answer: Answer,
  since: number,
  reasonOf: (told: Told) => string,
): Hint {
  let hint: Hint | undefined;
  for (const value of valuesOf(field))
    hint = longest(hint, readValue(value, as, answer.date, since, reasonOf));
  return hint ?? empty;
}

function readValue(
  value: string,
  as: Encoding,
  now: number,
  since: number,
  reasonOf: (told: Told) => string,
): Hint {
  const told = as === 'by-magnitude' ? magnitudeOf(value) : undefined;
  const delayMs = delayOf(value, told ?? as, now, since);
  return delayMs === undefined ? malformed : { delayMs, reason: reasonOf(told ?? 'delta-s') };
}

function magnitudeOf(value: string): Told | undefined {
  const ms = parseDecimal(value, 1000);
  if (ms === undefined) return undefined;
  return ms < 1e12 ? 'delta-s' : ms < 1e15 ? 'epoch-s' : 'epoch-ms';
}

function delayOf(value: string, as: Encoding, now: number, since: number): number | undefined {
  if (as === 'go-duration') return parseGoDuration(value);
  if (as === 'date') return until(parseDate(value, now)?.at, since);
  const inMs = parseDecimal(value, as.endsWith('ms') ? 1 : 1000);
  if (inMs === undefined) return undefined;
  if (as.startsWith('delta')) return Math.min(inMs, longestDelayMs);
  // A larger number is not a date in ms, but in microseconds or nanoseconds.
  return inMs < 1e15 ? until(inMs, since) : undefined;
}

function until(at: number | undefined, since: number): number | undefined {
  return at === undefined ? undefined : waitUntil(at, since);
}
