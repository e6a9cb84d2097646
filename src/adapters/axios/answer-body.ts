/** The body of an answer, in whatever form axios was asked for: for hints, and for `retryIf`. */

import { Answer } from '../../core/hints/answer.js';
import { unreadable } from '../../core/hints/content.js';
import type { HeadersLike } from '../../core/types.js';
import { isStream, isWebStream } from '../../drivers/body/stream-like.js';
import { unpackedText } from '../../drivers/body/unpack.js';
import type { HeadersShape, RequestConfig, ResponseShape } from './shapes.js';

/** Undefined if there is no body, or if it is too long. A stream is left for the caller to read. */
export function hintContent({ data, headers }: ResponseShape, mostBytes: number): unknown {
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

function codingOf(headers: ResponseShape['headers']): string | undefined {
  const field = new Answer(0, headers as HeadersLike, undefined, 0).field('content-encoding');
  return field === undefined ? undefined : String(field);
}

/** True for JSON and XML. */
function looksLikeText(text: string): boolean {
  return /^\s*[[{<]/.test(text);
}

function bytesOf(data: unknown): Uint8Array | undefined {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (!ArrayBuffer.isView(data)) return undefined;
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

/** Parsed data is read as it is; streams and Blobs cannot be read here. */
function isOpaque(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return true;
  return isStream(data) || isWebStream(data) || (typeof Blob === 'function' && data instanceof Blob);
}

/**
 * The value that the caller would get as `response.data`, for `retryIf`. Parsed anew at each call, since axios's
 * transforms may change what they are given. A stream is left for the caller to read.
 */
export async function parsedBody(response: ResponseShape, config: RequestConfig): Promise<unknown> {
  const { data, status } = response;
  if (typeof data === 'object' && data !== null && (isStream(data) || isWebStream(data))) return undefined;
  const Headers = config.headers.constructor as new (from: unknown) => HeadersShape;
  const headers = new Headers(response.headers);
  const transforms = [config.transformResponse ?? []].flat();
  return transforms.reduce(
    (value: unknown, transform) => transform.call(config, value, headers, status),
    data,
  );
}
