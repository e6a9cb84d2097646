/** Node's own, whatever client meets them. */

import type { Failures } from './row.js';
import { routing, unclear, unheardOf, unsent } from './row.js';

export const nodeFailures: Failures = {
  byCode: [
    // The name could not be looked up, or nothing listens there.
    ['ENOTFOUND', unsent],
    ['EAI_AGAIN', unsent],
    ['ECONNREFUSED', unsent],
    // No way there, or none any more.
    ['EHOSTUNREACH', routing],
    ['ENETUNREACH', routing],
    ['EHOSTDOWN', routing],
    ['ENETDOWN', routing],
    ['EADDRNOTAVAIL', routing],
    ['ETIMEDOUT', routing],
    ['ECONNRESET', routing],
    ['EPIPE', unclear],
    // So Bun's http says that the handshake was cut off.
    ['ERR_SOCKET_CLOSED', unclear],
    // HTTP/2: the session went, or the stream could not even be opened on it.
    ['ERR_HTTP2_SESSION_ERROR', unclear],
    ['ERR_HTTP2_STREAM_CANCEL', unclear],
    ['ERR_HTTP2_GOAWAY_SESSION', unsent],
    ['ERR_HTTP2_INVALID_SESSION', unsent],
    // What came cannot be unpacked: a whole answer never came.
    ['Z_DATA_ERROR', unclear],
    ['Z_BUF_ERROR', unclear],
  ],
  byPrefix: [
    // Brotli and Zstandard that cannot be unpacked.
    ['ERR__ERROR_FORMAT_', unclear],
    ['ZSTD_error_', unclear],
  ],
  byName: [
    // Bytes that are no HTTP; from Node 26 on it has no code.
    ['HTTPParserError', unheardOf],
  ],
  byText: [
    { code: 'ECONNRESET', text: 'before secure TLS connection was established', row: unsent },
    // RFC 9113 8.7: REFUSED_STREAM was not processed; the error carries no number, only this text.
    { code: 'ERR_HTTP2_STREAM_ERROR', text: 'NGHTTP2_REFUSED_STREAM', row: unsent },
    { code: 'ERR_HTTP2_STREAM_ERROR', text: 'NGHTTP2_INTERNAL_ERROR', row: unclear },
    { code: 'ERR_HTTP2_STREAM_ERROR', text: 'NGHTTP2_ENHANCE_YOUR_CALM', row: unclear },
  ],
  // With a system call, TCP's; without one, axios's own.
  timeouts: ['ETIMEDOUT'],
  wrappers: ['ERR_HTTP2_STREAM_CANCEL'],
};
