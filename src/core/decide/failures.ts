/**
 * What each failure means, as rows. Whatever is not here is final: certificates, bad bytes, local misuse,
 * limits that the caller set, and everything that nobody has met yet. Rows say what Node, undici, axios and browsers really report, not what one would expect.
 */

import type { Evidence } from '../types.js';

export interface FailureRow {
  readonly class: 'transient' | 'final';
  /** `if-connecting`: unsent when the failing system call was `connect`, otherwise unknown. */
  readonly evidence: Evidence | 'if-connecting';
}

const unsent: FailureRow = { class: 'transient', evidence: 'unsent' };
const unclear: FailureRow = { class: 'transient', evidence: 'unknown' };
const routing: FailureRow = { class: 'transient', evidence: 'if-connecting' };
/** Nobody has shown that trying again would help. */
export const unheardOf: FailureRow = { class: 'final', evidence: 'unknown' };

/** The network failed, and nothing is said of how. */
export const untold: FailureRow = unclear;

/** By code. A Map: codes come from outside, and `constructor` must not be one. */
export const failuresByCode: ReadonlyMap<string, FailureRow> = new Map([
  // The name could not be looked up, or nobody listens.
  ['ENOTFOUND', unsent],
  ['EAI_AGAIN', unsent],
  ['ECONNREFUSED', unsent],
  // No way there, or none any more.
  ['EHOSTUNREACH', routing],
  ['ENETUNREACH', routing],
  ['EHOSTDOWN', routing],
  ['ENETDOWN', routing],
  ['EADDRNOTAVAIL', routing],
  // Without a system call, ETIMEDOUT and ECONNABORTED are axios's own timeout.
  ['ETIMEDOUT', routing],
  ['ECONNABORTED', unclear],
  ['ECONNRESET', routing],
  ['EPIPE', unclear],
  // undici
  ['UND_ERR_CONNECT_TIMEOUT', unsent],
  ['UND_ERR_HEADERS_TIMEOUT', unclear],
  ['UND_ERR_BODY_TIMEOUT', unclear],
  ['UND_ERR_SOCKET', unclear],
  ['UND_ERR_INFO', unclear],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', unclear],
  ['UND_ERR_PRX_TLS', unsent],
  // HTTP/2: the session went, or the stream could not even be opened on it.
  ['ERR_HTTP2_SESSION_ERROR', unclear],
  ['ERR_HTTP2_STREAM_CANCEL', unclear],
  ['ERR_HTTP2_GOAWAY_SESSION', unsent],
  ['ERR_HTTP2_INVALID_SESSION', unsent],
  // axios's wrapper: without a cause, a browser that tells nothing.
  ['ERR_NETWORK', unclear],
  // What came cannot be unpacked: a whole answer never came.
  ['Z_DATA_ERROR', unclear],
  ['Z_BUF_ERROR', unclear],
  // Ours.
  ['ERR_UNDAUNTED_ATTEMPT_TIMEOUT', unclear],
  // No time is left for another attempt, but the gate has to know that nobody answered.
  ['ERR_UNDAUNTED_DEADLINE', unclear],
]);

/** By how the code begins. */
export const failuresByPrefix: readonly { readonly prefix: string; readonly row: FailureRow }[] = [
  // Every SOCKS error of undici is one of the handshake.
  { prefix: 'UND_ERR_SOCKS5', row: unsent },
  // What Node says of Brotli and of Zstandard that cannot be unpacked.
  { prefix: 'ERR__ERROR_FORMAT_', row: unclear },
  { prefix: 'ZSTD_error_', row: unclear },
];

/** By name: a TimeoutError that is not the caller's own (its code is the number 23). */
export const failuresByName: ReadonlyMap<string, FailureRow> = new Map([
  ['TimeoutError', unclear],
  // Bytes that are no HTTP; from Node 26 on it has no code.
  ['HTTPParserError', unheardOf],
]);

/** Where the text decides, because the code says too little. The first that fits applies. */
export const failuresByText: readonly {
  readonly code: string | undefined;
  readonly text: string;
  readonly row: FailureRow;
}[] = [
  { code: 'ECONNRESET', text: 'before secure TLS connection was established', row: unsent },
  // RFC 9113 8.7: REFUSED_STREAM was not processed; the error carries no number, only this text.
  { code: 'ERR_HTTP2_STREAM_ERROR', text: 'NGHTTP2_REFUSED_STREAM', row: unsent },
  { code: 'ERR_HTTP2_STREAM_ERROR', text: 'NGHTTP2_INTERNAL_ERROR', row: unclear },
  { code: 'ERR_HTTP2_STREAM_ERROR', text: 'NGHTTP2_ENHANCE_YOUR_CALM', row: unclear },
  // fetch: what Node's says of what can never work.
  { code: undefined, text: 'redirect count exceeded', row: unheardOf },
  { code: undefined, text: 'unknown scheme', row: unheardOf },
  { code: undefined, text: 'bad port', row: unheardOf },
  // axios 1.16 and later give a cut-off body a response and this message; before 1.7.8 they had this nonsense.
  { code: 'ERR_BAD_RESPONSE', text: 'maxContentLength size of -1 exceeded', row: unclear },
  { code: 'ERR_BAD_RESPONSE', text: 'stream has been aborted', row: unclear },
  // fetch: the body was cut off, or a browser that tells nothing else.
  { code: undefined, text: 'terminated', row: unclear },
  { code: undefined, text: 'Failed to fetch', row: unclear },
  { code: undefined, text: 'Load failed', row: unclear },
  { code: undefined, text: 'NetworkError when attempting to fetch resource.', row: unclear },
];

/** Nobody answered in time: undici's limits, ours, axios's (and, with a system call, TCP's). */
export const timeoutCodes: ReadonlySet<string> = new Set([
  'ERR_UNDAUNTED_ATTEMPT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
  'ECONNABORTED',
]);

/** Whatever code an adapter gives an answer whose status it refuses. Any other code says what failed beside it. */
export const statusCodes: ReadonlySet<string> = new Set(['ERR_BAD_REQUEST', 'ERR_BAD_RESPONSE']);

/** What happened is in their cause, if they have one that says anything. */
export const wrapperCodes: ReadonlySet<string> = new Set(['ERR_NETWORK', 'ERR_HTTP2_STREAM_CANCEL']);
