/** Reads numbers in fields: waits in several encodings, and what is left of a quota. */

import type { Hint } from '../types.js';
import type { Answer } from './answer.js';
import { parseDecimal, parseDelay } from './decimal.js';
import type { Encoding, Quota, Source, Told, WaitField, WaitReason } from './hint-set.js';
import { empty, longest, malformed, notExhausted } from './reading.js';
import { waitUntil } from './retry-after.js';

/** Reads the wait that a header says, the longest if there are several. By default, its reason is the name of the header. */
export function sourceIn({ header, rank, as, reason = header, isOwn }: WaitField): Source {
  return {
    headers: [header],
    rank,
    read: (answer) => readWait(answer, header, as, reason, isOwn && answer.sentAt()),
  };
}

function readWait(
  answer: Answer,
  header: string,
  as: Encoding,
  reason: WaitReason,
  since: number | undefined = answer.date,
): Hint | undefined {
  const values = answer.values(header);
  return values && readEncoded(values, as, answer, since, reason);
}

export function readEncoded(
  values: readonly string[],
  as: Encoding,
  { date }: Answer,
  since: number,
  reason: WaitReason,
): Hint {
  let hint: Hint | undefined;
  for (const value of values) {
    const delayMs = as(value, date, since);
    hint = longest(
      hint,
      delayMs === undefined
        ? malformed
        : { delayMs, reason: typeof reason === 'string' ? reason : reason(magnitudeOf(value)) },
    );
  }
  return hint ?? empty;
}

/** A quota means a wait only if it is exhausted. */
export function readQuota(
  answer: Answer,
  { reset, remaining }: Quota,
  as: Encoding,
  reason: WaitReason,
  since?: number,
): Hint | undefined {
  const hint = readWait(answer, reset, as, reason, since);
  return hint && remaining !== undefined && hasLeft(answer, remaining) ? notExhausted : hint;
}

/** Whether the quota has something left. A count that cannot be read says nothing. */
function hasLeft(answer: Answer, remaining: string): boolean {
  const counts = countsOf(answer, remaining);
  return counts.length > 0 && counts.every((count) => count >= 1000);
}

/** The counts, in thousandths: some servers count in fractions, and less than one is exhausted. */
export function countsOf(answer: Answer, remaining: string): readonly number[] {
  return (answer.values(remaining) ?? []).flatMap((value) => parseDecimal(value, 1000) ?? []);
}

// ---------------------------------------------------------------- encodings

export const deltaMs: Encoding = (value) => parseDelay(value, 1);

export const deltaS: Encoding = (value) => parseDelay(value, 1000);

export const epochMs: Encoding = (value, _now, since) => epoch(value, 1, since);

export const epochS: Encoding = (value, _now, since) => epoch(value, 1000, since);

/** A larger number is not a date in ms, but in microseconds or nanoseconds. */
function epoch(value: string, unitMs: 1 | 1000, since: number): number | undefined {
  const inMs = parseDecimal(value, unitMs);
  return inMs !== undefined && inMs < 1e15 ? waitUntil(inMs, since) : undefined;
}

const encodings: Readonly<Record<Told, Encoding>> = {
  'delta-s': deltaS,
  'epoch-s': epochS,
  'epoch-ms': epochMs,
};

/** A number below 1e9 is seconds from now, below 1e12 epoch seconds, otherwise epoch milliseconds. */
export const byMagnitude: Encoding = (value, now, since) => encodings[magnitudeOf(value)](value, now, since);

/** Whether it is a number at all is for its encoding to say. */
function magnitudeOf(value: string): Told {
  const number = Number(value);
  return number < 1e9 ? 'delta-s' : number < 1e12 ? 'epoch-s' : 'epoch-ms';
}
