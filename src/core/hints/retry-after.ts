/** Reads Retry-After (RFC 9110 10.2.3): seconds from now, or a date. */

import type { Hint } from '../types.js';
import type { Answer } from './answer.js';
import { longestDelayMs, parseDelay } from './decimal.js';
import { empty, longestOf, malformed, type Wait } from './reading.js';

/** The field should have one value. If there are several valid ones, the longest wait is the safe choice. */
export function readRetryAfter(answer: Answer): Hint | undefined {
  const values = answer.values('retry-after');
  if (values === undefined) return undefined;
  const first = values[0];
  if (first === undefined) return empty;
  if (values.length === 1) return readValue(first, answer);
  return (
    longestOf(
      values.map((value) => readValue(value, answer)),
      joinedReason,
    ) ?? malformed
  );
}

function joinedReason(waits: readonly Wait[]): string {
  if (!waits.every(({ reason }) => reason.startsWith('delay-seconds'))) return 'multiple-max';
  const same = waits.every(({ delayMs }) => delayMs === waits[0]?.delayMs);
  return same ? 'delay-seconds-duplicate' : 'delay-seconds-multiple-max';
}

function readValue(text: string, answer: Answer): Hint {
  const ms = parseDelay(text, 1000);
  return ms === undefined ? readDate(text, answer) : { delayMs: ms, reason: secondsReason(text, ms) };
}

function secondsReason(text: string, ms: number): string {
  if (ms === 0) return 'delay-seconds-zero';
  if (ms >= longestDelayMs) return 'delay-seconds-clamped';
  return text.includes('.') ? 'delay-seconds-decimal' : 'delay-seconds';
}

function readDate(text: string, answer: Answer): Hint {
  const date = answer.dateIn(text);
  if (date === undefined) return malformed;
  const { at, form, weekdayFits } = date;
  const sentAt = answer.sentAt();
  return {
    delayMs: waitUntil(at, sentAt),
    reason: reasonOf(form, at - sentAt, weekdayFits, sentAt !== answer.date),
  };
}

function reasonOf(form: string, aheadMs: number, weekdayFits: boolean, isCorrected: boolean): string {
  // The reason stays `http-date-rfc850`: the century was a guess, which would explain any surprising wait.
  if (form === 'http-date-rfc850') return form;
  if (aheadMs < 0) return 'http-date-past';
  if (aheadMs === 0) return 'http-date-now';
  if (!weekdayFits) return 'http-date-wrong-weekday';
  return isCorrected ? 'http-date-skew-corrected' : form;
}

/** The wait in whole ms; 0 for a time in the past. */
export function waitUntil(at: number, now: number): number {
  return Math.max(0, Math.ceil(at - now));
}
