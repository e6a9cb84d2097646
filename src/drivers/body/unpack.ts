/**
 * The content of a body that axios has read, to look for a hint in it. Decompresses a body as it came over the wire, and no more bytes of it than the hint may
 * take.
 */

import { Answer } from '../../core/hints/answer.js';
import { unreadable } from '../../core/hints/content.js';
import { isObject } from '../../core/is-object.js';
import type { HeadersLike } from '../../core/types.js';
import { builtinModule } from '../../kernel/builtin-module.js';
import { bytesOf } from './kept-bytes.js';
import { isStream, isWebStream } from './stream-like.js';

type Unpack = (bytes: Uint8Array, limits: Limits) => Uint8Array;

interface Limits {
  readonly maxOutputLength: number;
  /** For data that goes on. */
  readonly finishFlush: number | undefined;
}

/** The part of zlib that is used here. */
interface Zlib {
  readonly brotliDecompressSync: Unpack;
  readonly gunzipSync: Unpack;
  readonly inflateRawSync: Unpack;
  readonly inflateSync: Unpack;
  /** Since Node 22.15 and 23.8. */
  readonly zstdDecompressSync?: Unpack;
  readonly constants: Readonly<Record<string, number>>;
}

/** Reads bodies with one content coding, as servers send them. A body with several codings is not read. */
export function unpackedText(
  bytes: Uint8Array,
  coding: string | readonly string[] | undefined,
  mostBytes: number,
): string | typeof unreadable {
  const unpacked = unpackedBytes(bytes, coding, mostBytes);
  return unpacked === undefined ? unreadable : new TextDecoder().decode(unpacked);
}

/**
 * Undefined if the data is broken, longer than `mostBytes`, or cut off; it may be, if the end of it has not come yet
 * (`isGoingOn`).
 */
export function unpackedBytes(
  bytes: Uint8Array,
  coding: string | readonly string[] | undefined,
  mostBytes: number,
  isGoingOn = false,
): Uint8Array | undefined {
  const name = String(coding ?? '').toLowerCase();
  if (name === '' || name === 'identity' || bytes.length === 0) return bytes;
  const finishFlush = isGoingOn ? flushOf(name) : undefined;
  try {
    return unpackerOf(name, bytes)?.(bytes, { maxOutputLength: mostBytes, finishFlush });
  } catch {
    return undefined;
  }
}

function flushOf(coding: string): number | undefined {
  const { constants = {} } = builtinModule<Zlib>('node:zlib') ?? {};
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = constants;
  return { br: BROTLI_OPERATION_FLUSH, zstd: ZSTD_e_flush }[coding] ?? Z_SYNC_FLUSH;
}

function unpackerOf(coding: string, bytes: Uint8Array): Unpack | undefined {
  const zlib = builtinModule<Zlib>('node:zlib');
  if (coding === 'gzip' || coding === 'x-gzip') return zlib?.gunzipSync;
  if (coding === 'br') return zlib?.brotliDecompressSync;
  if (coding === 'zstd') return zlib?.zstdDecompressSync;
  if (coding !== 'deflate') return undefined;
  // Some servers leave the zlib header out (RFC 9110 8.4.1.2).
  return ((bytes[0] ?? 0) & 0x0f) === 8 ? zlib?.inflateSync : zlib?.inflateRawSync;
}

// ---------------------------------------------------------------- what axios has made of it

/** Undefined if there is no body, or if it is too long. A stream is left for the caller to read. */
export function contentOf(data: unknown, headers: HeadersLike | undefined, mostBytes: number): unknown {
  if (mostBytes === 0 || data === undefined || data === null) return undefined;
  const coding = codingOf(headers);
  if (typeof data === 'string') {
    if (data.length > mostBytes) return undefined;
    // With `decompress: false`, axios decodes compressed bytes as text; the `fetch` adapter leaves the content-encoding
    // on a body that it has unpacked.
    return coding === undefined || looksLikeText(data) ? data : unreadable;
  }
  const bytes = bytesOf(data);
  if (bytes !== undefined) return bytes.byteLength > mostBytes ? undefined : textOf(bytes, coding, mostBytes);
  return isOpaque(data) ? unreadable : data;
}

function textOf(bytes: Uint8Array, coding: string | undefined, mostBytes: number): unknown {
  const unpacked = unpackedText(bytes, coding, mostBytes);
  if (unpacked !== unreadable) return unpacked;
  const text = unpackedText(bytes, undefined, mostBytes);
  return looksLikeText(text as string) ? text : unreadable;
}

function codingOf(headers: HeadersLike | undefined): string | undefined {
  const field = new Answer(0, headers).field('content-encoding');
  return field === undefined ? undefined : String(field);
}

/** True for JSON and XML. */
function looksLikeText(text: string): boolean {
  return /^\s*[[{<]/.test(text);
}

/** Parsed data is read as it is; streams and Blobs cannot be read here. */
function isOpaque(data: unknown): boolean {
  if (!isObject(data)) return true;
  return isStream(data) || isWebStream(data) || (typeof Blob === 'function' && data instanceof Blob);
}
