/** What failures mean, as rows: each owner says what it reports, and not what one would expect. */

import type { Evidence } from '../../types.js';

export interface FailureRow {
  readonly class: 'transient' | 'final';
  /** `if-connecting`: unsent when the failing system call was `connect`, otherwise unknown. */
  readonly evidence: Evidence | 'if-connecting';
}

export const unsent: FailureRow = { class: 'transient', evidence: 'unsent' };
export const unclear: FailureRow = { class: 'transient', evidence: 'unknown' };
export const routing: FailureRow = { class: 'transient', evidence: 'if-connecting' };

/** Nothing says that trying again would help. */
export const unheardOf: FailureRow = { class: 'final', evidence: 'unknown' };

/** The network failed, and nothing is said of how. */
export const untold: FailureRow = unclear;

type Keyed = readonly (readonly [key: string, row: FailureRow])[];

/** What one owner reports. Whatever no owner knows is final. */
export interface Failures {
  readonly byCode?: Keyed;
  /** By how the code begins. */
  readonly byPrefix?: Keyed;
  /** Of errors without a code. */
  readonly byName?: Keyed;
  /** Where the text decides, because the code says too little. The first that fits applies. */
  readonly byText?: readonly FailureText[];
  /** Codes that say that the server did not answer in time. */
  readonly timeouts?: readonly string[];
  /** Codes of errors that only wrap: what happened is in their cause, if they have one that says anything. */
  readonly wrappers?: readonly string[];
}

export interface FailureText {
  readonly code: string | undefined;
  readonly text: string;
  readonly row: FailureRow;
}
