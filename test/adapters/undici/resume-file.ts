/** A server with one file, `contentOf('a')`. It supports ranges, and breaks off where it is told to. */

import type { HangUp, HeaderFields, LabScript, Play, Received } from '../../faults/lab.js';

export const etag = '"v1"';

export interface FileOptions {
  readonly bytes: number;
  /** The n-th answer breaks off before this byte of the file, if it gets there. */
  readonly cuts?: readonly number[];
  readonly how?: HangUp;
  readonly headers?: HeaderFields;
}

interface Range {
  readonly first: number;
  readonly last: number;
}

export function file({ bytes, cuts = [], how = 'fin', headers = {} }: FileOptions): LabScript {
  let answers = 0;
  return (request) => {
    const cut = cuts[answers] ?? bytes;
    answers += 1;
    const range = rangeOf(request, bytes);
    const part = range ?? { first: 0, last: bytes - 1 };
    const sent = Math.min(part.last + 1, Math.max(part.first, cut)) - part.first;
    const isCut = sent < part.last + 1 - part.first;
    const status = range === undefined ? 200 : 206;
    const head = { ...whole(part), ...(range !== undefined && partOf(range, bytes)), ...headers };
    return partly(status, head, { from: part.first, sent, ends: isCut ? how : 'end' });
  };
}

/** Headers for the whole file or a part of it: its length, and what makes it resumable. */
export function whole({ first, last }: Range): HeaderFields {
  return { 'content-length': String(last - first + 1), 'accept-ranges': 'bytes', etag };
}

function partOf({ first, last }: Range, bytes: number): HeaderFields {
  return { 'content-range': `bytes ${first}-${last}/${bytes}` };
}

/** A head, this many bytes of the file from that offset, and then the end of the body or of the connection. */
export function partly(
  status: number,
  headers: HeaderFields,
  body: {
    readonly from?: number;
    readonly sent: number;
    readonly ends: HangUp | 'end';
    readonly mark?: string;
  },
): Play {
  const { from = 0, sent, ends, mark = 'a' } = body;
  return {
    steps: [{ do: 'head', status, headers }, { do: 'fill', bytes: sent, from, mark }, { do: ends }],
  };
}

/** RFC 9110 sections 14.2 and 13.1.5. */
function rangeOf({ headers }: Received, bytes: number): Range | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers['range'] ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if ((headers['if-range'] ?? etag) !== etag) return undefined;
  if (first === '') return { first: bytes - Number(last), last: bytes - 1 };
  return { first: Number(first), last: last === '' ? bytes - 1 : Number(last) };
}
