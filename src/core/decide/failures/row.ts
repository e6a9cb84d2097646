/** What failures mean, as rows: each owner lists what it really reports, which is not always what one would expect. */

import type { Evidence, HeadersLike } from '../../types.js';

export interface FailureRow {
  readonly class: 'transient' | 'final';
  /** `if-connecting`: unsent when the failing system call was `connect`, otherwise unknown. */
  readonly evidence: Evidence | 'if-connecting';
}

export const unsent: FailureRow = { class: 'transient', evidence: 'unsent' };
export const unclear: FailureRow & { readonly evidence: Evidence } = {
  class: 'transient',
  evidence: 'unknown',
};
export const routing: FailureRow = { class: 'transient', evidence: 'if-connecting' };

/** Unknown, so there is no reason to expect that a retry helps. */
export const unheardOf: FailureRow & { readonly evidence: Evidence } = {
  class: 'final',
  evidence: 'unknown',
};

/** The network failed, with no details. */
export const untold: FailureRow = unclear;

/**
 * The server did not answer in time: by Node's limits, axios's, Bun's, undici's and ours. ETIMEDOUT is TCP's with a system
 * call, and axios's own without one.
 */
export const timeoutCode: RegExp =
  /^(ETIMEDOUT|ECONNABORTED|Timeout|UND_ERR_(HEADERS|BODY)_TIMEOUT|ERR_UNDAUNTED_ATTEMPT_TIMEOUT)$/;

export interface AnswerInside {
  readonly status: number;
  readonly headers?: HeadersLike;
}

export interface Failure {
  readonly name: string;
  readonly code: string | undefined;
  readonly class: FailureRow['class'];
  readonly evidence: Evidence;
  /** The caller's own signal ended it. */
  readonly aborted: boolean;
  /** The error only wraps a complete answer (axios). */
  readonly response?: AnswerInside | undefined;
  /** A proxy refused the tunnel with this status: the origin never saw the request. */
  readonly tunnelStatus?: number | undefined;
}

/** `aborted` is what the client knows; without it, the error's name decides. */
export type FailureReader = (error: unknown, aborted: boolean | undefined) => Failure;

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
  /** Codes of wrappers: their cause says what happened, if they have one. */
  readonly wrappers?: readonly string[];
}

export interface FailureText {
  readonly code: string | undefined;
  readonly text: string;
  readonly row: FailureRow;
}
