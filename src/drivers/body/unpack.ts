/**
 * Decompresses a body as it came over the wire, to look for a hint in its text. It unpacks no more bytes than the hint
 * may take.
 */

import { unreadable } from '../../core/hints/content.js';
import { builtinModule } from '../../kernel/builtin-module.js';

type Unpack = (bytes: Uint8Array, limits: Limits) => Uint8Array;

interface Limits {
  readonly maxOutputLength: number;
  /** For data that goes on. */
  readonly finishFlush?: number;
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
  const name = String(coding ?? '').toLowerCase();
  if (name === '' || name === 'identity' || bytes.length === 0) return new TextDecoder().decode(bytes);
  const unpack = unpackerOf(name, bytes);
  if (unpack === undefined) return unreadable;
  try {
    return new TextDecoder().decode(unpack(bytes, { maxOutputLength: mostBytes }));
  } catch {
    // The data is broken, cut off, or longer than `mostBytes`.
    return unreadable;
  }
}

/** What a body says whose end has not come yet; undefined if it cannot be read, or is longer than `mostBytes`. */
export function unpackedSoFar(
  bytes: Uint8Array,
  coding: string | readonly string[] | undefined,
  mostBytes: number,
): Uint8Array | undefined {
  const name = String(coding ?? '').toLowerCase();
  if (name === '' || name === 'identity' || bytes.length === 0) return bytes;
  const unpack = unpackerOf(name, bytes);
  const { constants = {} } = builtinModule<Zlib>('node:zlib') ?? {};
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = constants;
  const finishFlush = { br: BROTLI_OPERATION_FLUSH, zstd: ZSTD_e_flush }[name] ?? Z_SYNC_FLUSH;
  try {
    return unpack?.(bytes, { maxOutputLength: mostBytes, ...(finishFlush !== undefined && { finishFlush }) });
  } catch {
    return undefined;
  }
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
