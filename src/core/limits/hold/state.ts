/** The hold of a scope as a value: until when nothing is sent, and how fast requests come behind that. */

import type { ResponseFinding } from '../../types.js';

export interface HoldState {
  /** Nothing is sent before this monotonic time. */
  readonly until: number;
  /** From then on, requests queue; how many places had come up before, and the distance of the next ones. */
  readonly pacedSince: number;
  readonly places: number;
  readonly spacingMs: number;
  /** How they come faster and faster; undefined: no request has been held yet. */
  readonly pace: Pace | undefined;
  /** The first free one. */
  readonly nextPlace: number;
  /** Those that were given back and have not come up, in order. */
  readonly gaps: readonly number[];
  /** The refused share that the pace was last lowered for; once more, since it had not become less. */
  readonly slowedFor: number;
  readonly slowedTwice: boolean;
  /** The refused share that does not become less with the pace. */
  readonly apart: number;
  /** The answer that it is for. */
  readonly asked: { readonly finding: ResponseFinding; readonly at: number } | undefined;
  /** Only in a fleet, whose places are given out by a store: those that this process has got and nobody has taken. */
  readonly leased?: readonly number[];
}

/**
 * Where the rate begins, as a part of the one that was borne, and how it grows with time: at first a little, so that
 * it stays near to what was measured, and then faster, to find out what has changed.
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

/** By what the rate grows in a second. */
function paceOf(easing: number, gentle: number, gentleForMs: number, bold: number): Pace {
  return { easing, gentlePerMs: Math.log(gentle) / 1_000, gentleForMs, boldPerMs: Math.log(bold) / 1_000 };
}

/** A limit that others meet as well: what is not taken, they take. */
export const keen: Pace = paceOf(0.95, 1.02, 4_000, 1.12);

/** A limit that is known, and that asks to be kept to at the first word: as few refusals as possible. */
export const courteous: Pace = paceOf(0.8, 1.1, Number.POSITIVE_INFINITY, 1.1);
