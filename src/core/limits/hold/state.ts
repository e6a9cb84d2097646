/** The hold of a scope as a value: until when nothing is sent, and how fast requests follow after that. */

import type { ResponseFinding } from '../../types.js';

export interface HoldState {
  /** Nothing is sent before this monotonic time. */
  readonly until: number;
  /** From `pacedSince` on, requests queue. `places` had come up by then, and the next ones come `spacingMs` apart. */
  readonly pacedSince: number;
  readonly places: number;
  readonly spacingMs: number;
  /** How the pace grows; undefined if no request has been held yet. */
  readonly pace: Pace | undefined;
  /** The first free place. */
  readonly nextPlace: number;
  /** Places that were given back and have not come up yet, in order. */
  readonly gaps: readonly number[];
  /**
   * The refused share for which the pace was last lowered, and whether it was lowered again because the share had not
   * fallen.
   */
  readonly slowedFor: number;
  readonly slowedTwice: boolean;
  /** The refused share that does not fall when the pace is lowered. */
  readonly apart: number;
  /** The answer that started the hold. */
  readonly asked: { readonly finding: ResponseFinding; readonly at: number } | undefined;
  /** Only in a fleet, where a store gives out the places: those that this process has got and no request has taken. */
  readonly leased?: readonly number[];
}

/**
 * How fast requests come. `easing` is where the rate begins, as a part of the measured rate. It grows gently at first,
 * to stay near what was measured, and faster later, to find out what has changed.
 */
export interface Pace {
  readonly easing: number;
  readonly gentlePerMs: number;
  readonly gentleForMs: number;
  readonly boldPerMs: number;
}

export const noHold: HoldState = {
  until: Number.NEGATIVE_INFINITY,
  pacedSince: Number.NEGATIVE_INFINITY,
  places: 0,
  nextPlace: 0,
  gaps: Object.freeze([]),
  spacingMs: 0,
  pace: undefined,
  slowedFor: 0,
  slowedTwice: false,
  apart: 0,
  asked: undefined,
};

/** `gentle` and `bold` are factors per second. */
function paceOf(easing: number, gentle: number, gentleForMs: number, bold: number): Pace {
  return { easing, gentlePerMs: Math.log(gentle) / 1_000, gentleForMs, boldPerMs: Math.log(bold) / 1_000 };
}

/** For a limit that is shared with other clients: what this one leaves, they take. */
export const keen: Pace = paceOf(0.95, 1.02, 4_000, 1.12);

/** For a known limit that should be respected at the first refusal: as few refusals as possible. */
export const courteous: Pace = paceOf(0.8, 1.1, Number.POSITIVE_INFINITY, 1.1);
