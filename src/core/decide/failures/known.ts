/**
 * The failures of all owners together. Everything else is final: certificates, bad bytes, local misuse, limits that the
 * caller set, and every failure that is not known yet.
 */

import { axiosFailures } from './axios.js';
import { fetchFailures } from './fetch.js';
import type { FailureRow, Failures, FailureText } from './row.js';
import { routing, unclear, unheardOf, unsent } from './row.js';
import { undiciFailures } from './undici.js';

/** Node's own, which every client may meet. */
const nodeFailures: Failures = {
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
  wrappers: ['ERR_HTTP2_STREAM_CANCEL'],
};

const ourFailures: Failures = {
  byCode: [
    ['ERR_UNDAUNTED_ATTEMPT_TIMEOUT', unclear],
    // No time is left for another attempt, but the gate has to know that the server did not answer.
    ['ERR_UNDAUNTED_DEADLINE', unclear],
  ],
};

const owners: readonly Failures[] = [nodeFailures, undiciFailures, axiosFailures, fetchFailures, ourFailures];

// These are maps and sets, not objects: names and codes come from outside, and `constructor` must not be found.

export const failuresByCode: ReadonlyMap<string, FailureRow> = /* @__PURE__ */ (() =>
  new Map(owners.flatMap(({ byCode = [] }) => byCode)))();

const failuresByPrefix = /* @__PURE__ */ owners.flatMap(({ byPrefix = [] }) => byPrefix);

const failuresByName: ReadonlyMap<string, FailureRow> = /* @__PURE__ */ (() =>
  new Map(owners.flatMap(({ byName = [] }) => byName)))();

const textsByCode: ReadonlyMap<string | undefined, readonly FailureText[]> = /* @__PURE__ */ (() => {
  const texts = owners.flatMap(({ byText = [] }) => byText);
  return new Map(texts.map(({ code }) => [code, texts.filter((entry) => entry.code === code)]));
})();

export const wrapperCodes: ReadonlySet<string> = /* @__PURE__ */ (() =>
  new Set(owners.flatMap(({ wrappers = [] }) => wrappers)))();

/** The row of a failure; undefined if no owner knows it. */
export function rowFor(name: string, code: string | undefined, message: string): FailureRow | undefined {
  const byText = textsByCode.get(code)?.find(({ text }) => message.includes(text));
  if (byText !== undefined) return byText.row;
  if (code === undefined) return failuresByName.get(name);
  return failuresByCode.get(code) ?? failuresByPrefix.find(([prefix]) => code.startsWith(prefix))?.[1];
}
