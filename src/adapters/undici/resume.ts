/**
 * Resumes a body where it broke off (RFC 9110 sections 14.2 and 13.1.5). Only the same bytes of the same representation
 * will do, which takes a strong validator and a known end. If anything weaker is all there is, the caller gets the
 * error.
 */

import type { Head, ResponseHeaders } from './handlers.js';
import { single } from './headers.js';

/** The rest of a body: how to ask for it, and whether an answer is the right one. */
export interface Rest {
  readonly requestHeaders: Readonly<Record<string, string | undefined>>;
  readonly bytes: number;
  /** Why this answer does not continue the body; undefined if it does. */
  mismatch(answer: Head, path: string | undefined): string | undefined;
}

/** The rest of the body after this many bytes, if it can be requested. Redirects led to it on this path. */
export function restOf(method: string, head: Head, received: number, path: string): Rest | undefined {
  const { headers } = head;
  const etag = strongTag(headers);
  const whole = extentOf(head);
  if (method.toUpperCase() !== 'GET' || etag === undefined || whole === undefined) return undefined;
  const first = whole.first + received;
  if (first > whole.last) return undefined;
  const wanted: Extent = { ...whole, first };
  return {
    requestHeaders: {
      range: `bytes=${first}-${whole.last}`,
      'if-range': etag,
      // An unencoded body must stay unencoded: a decompressor underneath would hide a new encoding.
      ...(headers['content-encoding'] === undefined && { 'accept-encoding': 'identity' }),
      // These conditions refer to the caller's own cached copy; now they would turn the answer into a 304.
      'if-none-match': undefined,
      'if-modified-since': undefined,
    },
    bytes: whole.last - first + 1,
    // RFC 9110 section 8.8.3: an ETag tells the representations of one resource apart, not those of several.
    mismatch: (answer, taken) =>
      taken === path
        ? mismatchOf(answer, wanted, etag, headers['content-encoding'])
        : 'redirects led to another resource',
  };
}

function mismatchOf(
  answer: Head,
  wanted: Extent,
  etag: string,
  encoding: string | string[] | undefined,
): string | undefined {
  const { headers } = answer;
  if (answer.status !== 206) return `the server sends all of it again (${answer.status})`;
  const extent = rangeOf(headers);
  if (extent === undefined) return 'no usable Content-Range';
  const isWanted =
    extent.first === wanted.first && extent.last === wanted.last && extent.total === wanted.total;
  if (!isWanted) return `Content-Range ${single(headers, 'content-range')} is not what was asked for`;
  if (strongTag(headers) !== etag) return `the ETag has changed (${single(headers, 'etag')})`;
  if (String(headers['content-encoding']) !== String(encoding)) return 'the Content-Encoding has changed';
  const length = lengthOf(headers);
  // An answer with neither a length nor chunks has passed a decompressor, which removed the length.
  if (length === undefined && headers['transfer-encoding'] === undefined) return 'no Content-Length';
  const fits = length === undefined || length === extent.last - extent.first + 1;
  return fits ? undefined : `Content-Length ${length} does not fit its Content-Range`;
}

interface Extent {
  readonly first: number;
  readonly last: number;
  readonly total: number;
}

/**
 * Where a response's body begins and ends in the whole representation; undefined if that is unknown. It takes a length:
 * without one, as after a decompressor, the bytes counted here may not be those on the wire.
 */
function extentOf({ status, headers }: Head): Extent | undefined {
  const length = lengthOf(headers) ?? 0;
  if (length === 0) return undefined;
  if (status === 200 && takesRanges(headers)) return { first: 0, last: length - 1, total: length };
  const range = status === 206 ? rangeOf(headers) : undefined;
  return range !== undefined && range.last - range.first + 1 === length ? range : undefined;
}

function rangeOf(headers: ResponseHeaders): Extent | undefined {
  const range = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/i.exec(single(headers, 'content-range') ?? '');
  if (range === null) return undefined;
  const [first = 0, last = 0, total = 0] = range.slice(1).map(Number);
  return first <= last && last < total ? { first, last, total } : undefined;
}

function lengthOf(headers: ResponseHeaders): number | undefined {
  const length = /^\d{1,15}$/.exec(single(headers, 'content-length') ?? '');
  return length === null ? undefined : Number(length[0]);
}

function takesRanges(headers: ResponseHeaders): boolean {
  return [headers['accept-ranges'] ?? []].flat().some((value) => /(^|[\s,])bytes($|[\s,])/i.test(value));
}

/** RFC 9110 section 8.8.3: a weak ETag allows the bytes to differ. */
function strongTag(headers: ResponseHeaders): string | undefined {
  return /^"[\x21\x23-\x7e\x80-\xff]*"$/.exec(single(headers, 'etag') ?? '')?.[0];
}
