/** What failures mean, as rows: each owner lists what it really reports, which is not always what one would expect. */

import type { Evidence } from '../../types.js';

export interface FailureRow {
  readonly class: 'transient' | 'final';
  /** `if-connecting`: unsent when the failing system call was `connect`, otherwise unknown. */
  readonly evidence: Evidence | 'if-connecting';
}

export const unsent: FailureRow = { class: 'transient', evidence: 'unsent' };
export const unclear: FailureRow = { class: 'transient', evidence: 'unknown' };
export const routing: FailureRow = { class: 'transient', evidence: 'if-connecting' };

/** Unknown, so there is no reason to expect that a retry helps. */
export const unheardOf: FailureRow = { class: 'final', evidence: 'unknown' };

/** The network failed, with no details. */
export const untold: FailureRow = unclear;

type Keyed = readonly (readonly [key: string, row: FailureRow])[];

/** The failures that one owner reports. Unknown ones are final. */
export interface Failures {
  readonly byCode?: Keyed;
  /** By the beginning of the code. */
  readonly byPrefix?: Keyed;
  /** By name, for errors without a code. */
  readonly byName?: Keyed;
  /** By the message, if the code says too little. The first match applies. */
  readonly byText?: readonly FailureText[];
  /** Codes of timeouts. */
  readonly timeouts?: readonly string[];
  /** Codes of wrappers: their cause says what happened, if they have one. */
  readonly wrappers?: readonly string[];
}

export interface FailureText {
  readonly code: string | undefined;
  readonly text: string;
  readonly row: FailureRow;
}
