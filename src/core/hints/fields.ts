/** Reads the regular rows of a hint set: headers, encodings, quotas. */

import type { Hint } from '../types.js';
import type { Answer } from './answer.js';
import { longestDelayMs, parseDecimal } from './decimal.js';
import type { Encoding, Quota, ResetField, Told, WaitField } from './hint-set.js';
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
  return readEncoded(field, as, answer, isOwn ? answer.sentAt() : answer.date, reason);
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
  const since = row.fromServerDate ? answer.sentAt() : answer.date;
  const { reason, plusMs = 0 } = row;
  const hint = readEncoded(field, row.as, answer, since, reason);
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

export function readEncoded(
  field: Field,
  as: Encoding | 'by-magnitude',
  answer: Answer,
  since: number,
  reason: ResetField['reason'],
): Hint {
  let hint: Hint | undefined;
  for (const value of valuesOf(field)) hint = longest(hint, readValue(value, as, answer.date, since, reason));
  return hint ?? empty;
}

function readValue(
  value: string,
  as: Encoding | 'by-magnitude',
  now: number,
  since: number,
  reason: ResetField['reason'],
): Hint {
  const told = as === 'by-magnitude' ? magnitudeOf(value) : 'delta-s';
  const delayMs = (as === 'by-magnitude' ? encodings[told] : as)(value, now, since);
  if (delayMs === undefined) return malformed;
  return { delayMs, reason: typeof reason === 'string' ? reason : reason[told] };
}

function magnitudeOf(value: string): Told {
  const ms = parseDecimal(value, 1000) ?? 0;
  return ms < 1e12 ? 'delta-s' : ms < 1e15 ? 'epoch-s' : 'epoch-ms';
}

export const deltaMs: Encoding = (value) => delta(value, 1);

export const deltaS: Encoding = (value) => delta(value, 1000);

function delta(value: string, unitMs: 1 | 1000): number | undefined {
  const inMs = parseDecimal(value, unitMs);
  return inMs && Math.min(inMs, longestDelayMs);
}

export const epochMs: Encoding = (value, _now, since) => epoch(value, 1, since);

export const epochS: Encoding = (value, _now, since) => epoch(value, 1000, since);

const encodings: Readonly<Record<Told, Encoding>> = {
  'delta-s': deltaS,
  'epoch-s': epochS,
  'epoch-ms': epochMs,
};

/** A larger number is not a date in ms, but in microseconds or nanoseconds. */
function epoch(value: string, unitMs: 1 | 1000, since: number): number | undefined {
  const inMs = parseDecimal(value, unitMs);
  return inMs !== undefined && inMs < 1e15 ? waitUntil(inMs, since) : undefined;
}
