/** Node's own failures, which every client may meet. */

import type { Failures } from './row.js';
import { routing, unclear, unheardOf, unsent } from './row.js';

export const nodeFailures: Failures = {
  byCode: [
    // The name could not be resolved, or nothing listens on the port.
    ['ENOTFOUND', unsent],
    ['EAI_AGAIN', unsent],
    ['ECONNREFUSED', unsent],
    // There is no route to the server, or not any more.
    ['EHOSTUNREACH', routing],
    ['ENETUNREACH', routing],
    ['EHOSTDOWN', routing],
    ['ENETDOWN', routing],
    ['EADDRNOTAVAIL', routing],
    ['ETIMEDOUT', routing],
    ['ECONNRESET', routing],
    ['EPIPE', unclear],
    // Bun's http reports a handshake that was cut off with this code.
    ['ERR_SOCKET_CLOSED', unclear],
    // HTTP/2: the session ended, or the stream could not even be opened.
    ['ERR_HTTP2_SESSION_ERROR', unclear],
    ['ERR_HTTP2_STREAM_CANCEL', unclear],
    ['ERR_HTTP2_GOAWAY_SESSION', unsent],
    ['ERR_HTTP2_INVALID_SESSION', unsent],
    // The body cannot be decompressed, so no complete answer arrived.
    ['Z_DATA_ERROR', unclear],
    ['Z_BUF_ERROR', unclear],
  ],
  byPrefix: [
    // Brotli or Zstandard that cannot be decompressed.
    ['ERR__ERROR_FORMAT_', unclear],
    ['ZSTD_error_', unclear],
  ],
  byName: [
    // Bytes that are not HTTP. From Node 26 on, this error has no code.
    ['HTTPParserError', unheardOf],
  ],
  byText: [
    // nock's disableNetConnect(), which borrows a code of the network's.
    { code: 'ENETUNREACH', text: 'Nock: Disallowed net connect', row: unheardOf },
    { code: 'ECONNRESET', text: 'before secure TLS connection was established', row: unsent },
    // RFC 9113 8.7: REFUSED_STREAM was not processed; the error carries no number, only this text.
    { code: 'ERR_HTTP2_STREAM_ERROR', text: 'NGHTTP2_REFUSED_STREAM', row: unsent },
    { code: 'ERR_HTTP2_STREAM_ERROR', text: 'NGHTTP2_INTERNAL_ERROR', row: unclear },
    { code: 'ERR_HTTP2_STREAM_ERROR', text: 'NGHTTP2_ENHANCE_YOUR_CALM', row: unclear },
  ],
  // ETIMEDOUT is TCP's with a system call, and axios's own without one.
  timeouts: ['ETIMEDOUT'],
  wrappers: ['ERR_HTTP2_STREAM_CANCEL'],
};
