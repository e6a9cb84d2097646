import { readHint } from '../../../src/core/hints/all-sets.js';
import type { HintSetName } from '../../../src/core/hints/sets.js';
import type { HeadersLike, Hint } from '../../../src/core/types.js';

/** The client's clock, unless a case says otherwise: Tue, 10 Mar 2026 12:00:00 GMT. */
export const noon: number = Date.UTC(2026, 2, 10, 12);

/** Epoch seconds, this long after noon. */
export function epoch(seconds: number): string {
  return String(noon / 1000 + seconds);
}

export function hintOf(
  hints: HintSetName | readonly HintSetName[],
  status: number,
  headers: object | undefined,
  body?: unknown,
): Hint | undefined {
  // Any value, since some cases pass what no type would allow.
  return readHint({ status, headers: headers as HeadersLike, body }, { hints, date: noon });
}

export function wait(delayMs: number, reason: string): Hint {
  return { delayMs, reason };
}

export function again(delayMs: number | null, reason: string): Hint {
  return { delayMs, retry: true, reason };
}

export function never(reason: string): Hint {
  return { delayMs: null, retry: false, reason };
}

export function unusable(reason: string): Hint {
  return { delayMs: null, reason };
}

/** A row of a table: its title, status, headers, body and hint. */
export type Row = readonly [
  name: string,
  hints: HintSetName | readonly HintSetName[],
  status: number,
  headers: object | undefined,
  body: unknown,
  hint: Hint | undefined,
];
