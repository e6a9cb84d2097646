/** Translates the fuzz's plays for the fault lab, and says what their answers promise. */

import {
  type AnswerStep,
  answer,
  contentOf,
  type HeaderFields,
  type Play,
  type Received,
  type Step,
} from '../../faults/lab.js';
import { ledThere } from '../fuzz/plays.js';
import { deadOrigin } from '../fuzz/stage.js';
import type { Afterwards, FuzzPlay, Refuse, Serve } from './fuzz-script.js';

/** Names the play that an answer is from; its content is marked with the same. */
export const playHeader = 'x-play';
export const markHeader = 'x-mark';
const refusalMark = 'refusal';

/** `abroad`: the origin of another server; by default, nothing listens there. */
export function playOf(play: FuzzPlay, index: number, request: Received, abroad = deadOrigin): Play {
  const { lateMs } = play;
  const { steps, ...rest } = promptPlayOf(play, index, request, abroad);
  return { ...rest, steps: lateMs === undefined ? steps : [{ do: 'wait', ms: lateMs }, ...steps] };
}

function promptPlayOf(play: FuzzPlay, index: number, request: Received, abroad: string): Play {
  const name = { [playHeader]: String(index) };
  switch (play.does) {
    case 'serve':
      return { at: play.at, steps: serving(play, name, request) };
    case 'refuse':
      return { at: play.at, steps: refusing(play, name) };
    case 'send away': {
      const { origin, path } = {
        origin: play.to === 'here' ? '' : abroad,
        path: request.path.split('?')[0],
      };
      return {
        ...answer(play.status, '', { ...name, location: `${origin}${path}${ledThere}` }),
        at: play.at,
      };
    }
    case 'die':
      return { at: play.at, steps: [...lastWords[play.after], { do: play.how }] };
    case 'hang':
      return { at: play.at, steps: [...lastWords[play.after], { do: 'stall' }] };
  }
}

const earlyHints: AnswerStep = { do: 'head', status: 103, headers: { link: '</style.css>' } };

const lastWords: Readonly<Record<'nothing' | 'early hints' | 'half a head' | 'garbage', readonly Step[]>> = {
  nothing: [],
  'early hints': [earlyHints],
  'half a head': [{ do: 'write', text: 'HTTP/1.1 200 OK\r\ncontent-le' }],
  garbage: [{ do: 'write', text: '\x15\x03\x01 no protocol that you know\r\n\r\n' }],
};

// ---------------------------------------------------------------- a representation, or a range of it

interface Extent {
  readonly from: number;
  readonly to: number;
}

function serving(play: Serve, name: HeaderFields, request: Received): Step[] {
  const steps: Step[] = play.hasEarlyHints ? [earlyHints] : [];
  const asked = play.takesRanges ? extentAsked(request, play) : undefined;
  // A wrong range would be the caller's to detect if the caller had asked for it.
  const isResumption = request.headers['if-range'] !== undefined;
  const way = asked === undefined ? 'all again' : isResumption ? play.toRange : 'honest';
  if (way === '416') {
    const headers = { ...name, 'content-length': '0', 'content-range': `bytes */${play.bytes}` };
    return [...steps, { do: 'head', status: 416, headers }, ...whatFollows(play.afterwards)];
  }
  const served = way === 'changed' ? { ...play, mark: `${play.mark}-changed` } : play;
  const isPart = asked !== undefined && way !== 'all again' && way !== 'changed';
  const extent = isPart ? asked : { from: 0, to: play.bytes };
  const lie = isPart ? way : 'honest';
  const framing = lie === 'longer' || lie === 'shorter' ? 'chunked' : play.framing;
  const headers = {
    ...name,
    [markHeader]: served.mark,
    ...lengthFor(framing, extent.to - extent.from),
    ...(isPart && { 'content-range': contentRange(extent, play.bytes, lie === 'elsewhere' ? 1 : 0) }),
    ...(play.takesRanges && { 'accept-ranges': 'bytes' }),
    ...(play.stream !== undefined && { 'content-type': streamTypes[play.stream] }),
    ...(lie !== 'untagged' && tagOf(served)),
    ...closing(play.afterwards),
  };
  const sent = extent.to - extent.from + (lie === 'longer' ? 7 : 0) - (lie === 'shorter' ? 1 : 0);
  const { cut, chunkBytes } = play;
  const isCut = cut !== undefined && cut.after < sent;
  const bytes = isCut ? cut.after : sent;
  return [
    ...steps,
    { do: 'head', status: isPart ? 206 : 200, headers },
    { do: 'fill', bytes, from: extent.from, mark: served.mark, chunkBytes },
    ...(isCut ? [{ do: cut.how } as const] : [{ do: 'end' } as const, ...whatFollows(play.afterwards)]),
  ];
}

const streamTypes = { events: 'text/event-stream', lines: 'application/x-ndjson' } as const;

/** A single range, and only while the validator still matches (RFC 9110 section 13.1.5). */
function extentAsked({ headers }: Received, play: Serve): Extent | undefined {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers['range'] ?? '') ?? [];
  const ifRange = headers['if-range'];
  if (first === undefined || (ifRange !== undefined && ifRange !== tagOf(play).etag)) return undefined;
  const extent = { from: Number(first), to: Math.min(Number(last) + 1, play.bytes) };
  return extent.from < extent.to ? extent : undefined;
}

function tagOf({ tag, mark, bytes }: Serve): { readonly etag?: string } {
  if (tag === 'none') return {};
  return { etag: `${tag === 'weak' ? 'W/' : ''}"${mark}-${bytes}"` };
}

function contentRange({ from, to }: Extent, total: number, shift: number): string {
  return `bytes ${from + shift}-${to - 1}/${total}`;
}

function lengthFor(framing: 'length' | 'chunked', bytes: number | 'endless'): HeaderFields {
  return framing === 'length' ? { 'content-length': String(bytes) } : { 'transfer-encoding': 'chunked' };
}

// ---------------------------------------------------------------- a refusal

function refusing(
  { status, headers, bytes, framing, isCut, afterwards }: Refuse,
  name: HeaderFields,
): Step[] {
  const head = {
    ...name,
    ...headers,
    [markHeader]: refusalMark,
    ...lengthFor(framing, bytes),
    ...closing(afterwards),
  };
  const sent = isCut && bytes !== 'endless' ? Math.floor(bytes / 2) : bytes;
  return [
    { do: 'head', status, headers: head },
    { do: 'fill', bytes: sent, mark: refusalMark, chunkBytes: 16_384 },
    ...(isCut ? [{ do: 'fin' } as const] : [{ do: 'end' } as const, ...whatFollows(afterwards)]),
  ];
}

function closing(afterwards: Afterwards): HeaderFields {
  return afterwards === 'close' ? { connection: 'close' } : {};
}

function whatFollows(afterwards: Afterwards): Step[] {
  switch (afterwards) {
    case 'nothing':
      return [];
    case 'close':
      return [{ do: 'fin' }];
    case 'fin later':
      return [{ do: 'wait', ms: 1 }, { do: 'fin' }];
    case 'rst later':
      return [{ do: 'wait', ms: 1 }, { do: 'rst' }];
    case '408 later':
      return [{ do: 'wait', ms: 1 }, ...answer(408).steps, { do: 'fin' }];
    case 'fin in a race':
      return [{ do: 'next' }, { do: 'fin' }];
    case 'rst in a race':
      return [{ do: 'next' }, { do: 'rst' }];
  }
}

// ---------------------------------------------------------------- what a caller may get of it

/** Bytes of a content: the caller may never get more than these, and fewer only with an error. */
export interface Promised extends Extent {
  readonly mark: string;
}

/** The body that the head of an answer promises. */
export function promisedBy(play: FuzzPlay, method: string, status: number, header: HeaderOf): Promised {
  const mark = header(markHeader) ?? '';
  if (method === 'HEAD' || status === 416) return { mark, from: 0, to: 0 };
  if (play.does === 'refuse') {
    return { mark, from: 0, to: play.bytes === 'endless' ? Infinity : play.bytes };
  }
  const [, first, last] = /^bytes (\d+)-(\d+)\//.exec(header('content-range') ?? '') ?? [];
  if (status === 206) return { mark, from: Number(first), to: Number(last) + 1 };
  return { mark, from: 0, to: play.does === 'serve' ? play.bytes : 0 };
}

export type HeaderOf = (name: string) => string | undefined;

/** True if these bytes are the whole content or, if allowed, its beginning. */
export function isAsPromised(bytes: Buffer, { mark, from, to }: Promised, isWhole: boolean): boolean {
  const isLength = isWhole ? bytes.length === to - from : bytes.length <= to - from;
  return isLength && bytes.equals(contentOf(mark, from, from + bytes.length));
}
