/** What the server does in the scripts for promise clients: how to play it, and how to generate it. */

import type { PolicyOptions } from '../../../src/index.js';
import { answer, contentOf, type HangUp, type Play } from '../../faults/lab.js';
import type { Dice } from './dice.js';

/** When the server answers: at the request's head, or after its body. */
export type FuzzPlay = { readonly at: 'head' | 'body'; readonly lateMs?: number } & (
  | {
      readonly does: 'serve';
      readonly bytes: number;
      readonly isChunked: boolean;
      /** Of events, hardly one of which ever comes, or of lines, each of which is content. */
      readonly stream?: StreamKind;
      readonly cut?: { readonly after: number; readonly how: HangUp | 'stall' };
    }
  | {
      readonly does: 'refuse';
      readonly status: number;
      readonly bytes: number | 'endless';
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly does: 'die'; readonly how: HangUp | 'stall'; readonly isBegun: boolean }
  /** A redirect, or with 401 a request for a token; to this server or to where nothing listens. */
  | { readonly does: 'send away'; readonly status: number; readonly to: 'here' | 'nowhere' }
);

type StreamKind = keyof typeof streamTypes;
const streamTypes = { events: 'text/event-stream', lines: 'application/x-ndjson' } as const;

/** Marks the targets of `send away`, so that requests that arrive there are recognised. */
export const ledThere = '?led';

/** Where the request went that a play answers, and where nothing listens. */
export interface Place {
  readonly path: string;
  readonly deadOrigin: string;
}

export const servedMark = 'served';
/** Marks an answer that never ends. */
export const endlessHeader = 'x-endless';
/** Names the play that an answer is from. */
export const playHeader = 'x-play';

export function playOf({ lateMs, ...play }: FuzzPlay, index: number, place: Place): Play {
  const inTime = playInTime(play, index, place);
  return lateMs === undefined ? inTime : { ...inTime, steps: [{ do: 'wait', ms: lateMs }, ...inTime.steps] };
}

function playInTime(
  play: FuzzPlay,
  index: number,
  { path, deadOrigin }: Place,
): Exclude<Play, ReadonlyArray<unknown>> {
  const { at } = play;
  if (play.does === 'send away') {
    const location = `${play.to === 'here' ? '' : deadOrigin}${path.split('?')[0]}${ledThere}`;
    return { ...answer(play.status, '', { location }), at };
  }
  if (play.does === 'die') {
    const halfHead = { do: 'write', text: 'HTTP/1.1 200 OK\r\ncontent-le' } as const;
    return { at, steps: [...(play.isBegun ? [halfHead] : []), lastStep(play.how)] };
  }
  const { bytes } = play;
  if (play.does === 'refuse') {
    if (bytes !== 'endless') return { ...answer(play.status, 'x'.repeat(bytes), play.headers), at };
    const headers = { ...play.headers, 'transfer-encoding': 'chunked', [endlessHeader]: '1' };
    const head = { do: 'head', status: play.status, headers } as const;
    return { at, steps: [head, { do: 'fill', bytes }] };
  }
  const { isChunked, cut, stream } = play;
  const headers = {
    [playHeader]: String(index),
    ...(stream !== undefined && { 'content-type': streamTypes[stream] }),
    ...(isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(bytes) }),
  };
  const fill = { do: 'fill', bytes: cut?.after ?? play.bytes, mark: servedMark } as const;
  const end = cut === undefined ? ({ do: 'end' } as const) : lastStep(cut.how);
  return { at, steps: [{ do: 'head', status: 200, headers }, fill, end] };
}

function lastStep(how: HangUp | 'stall') {
  return { do: how } as const;
}

/** The bytes that a server must get: printable, so that they are the same as text and as bytes. */
export function sentBytes(bytes: number): Buffer {
  return Buffer.from(contentOf('sent', 0, bytes).toString('hex').slice(0, bytes));
}

export function hangs(play: FuzzPlay): boolean {
  return (
    (play.does === 'die' && play.how === 'stall') ||
    (play.does === 'serve' && play.cut?.how === 'stall') ||
    (play.does === 'refuse' && play.bytes === 'endless')
  );
}

export function served(dice: Dice): FuzzPlay {
  const bytes = dice.whole(1, 150_000);
  return { at: 'body', does: 'serve', bytes, isChunked: dice.chance(0.5), ...streaming(dice) };
}

function streaming(dice: Dice): { readonly stream?: StreamKind } {
  return dice.chance(0.2) ? { stream: dice.oneOf(['events', 'lines']) } : {};
}

/** Whether the answer waits for its first event, which may never come. */
export function mayWait(play: FuzzPlay, { streamStart }: PolicyOptions): boolean {
  return streamStart !== undefined && play.does === 'serve' && play.stream !== undefined;
}

function sendAway(dice: Dice): FuzzPlay {
  const status = dice.oneOf([302, 303, 307, 308, 401, 401]);
  return { at: 'body', does: 'send away', status, to: dice.oneOf(['here', 'here', 'nowhere']) };
}

/** A server that gives one of these statuses did not take the request. */
export function isRefusal(play: FuzzPlay): boolean {
  return play.does === 'refuse' && [408, 425, 429].includes(play.status);
}

export function saysUnauthorized(play: FuzzPlay): boolean {
  return 'status' in play && play.status === 401;
}

/** `isStream`: the caller has the body as a stream by then, and no time limit of ours ends it. */
export function playAtRandom(dice: Dice, isStream: boolean): FuzzPlay {
  if (dice.chance(0.12)) return sendAway(dice);
  const at = dice.oneOf(['head', 'body', 'body']);
  const bytes = dice.oneOf([1, dice.whole(2, 2_000), dice.whole(2, 150_000)]);
  // A stream is not subject to time limits any more.
  const end = dice.oneOf(['fin', 'rst']);
  const how = isStream || dice.chance(0.8) ? end : 'stall';
  switch (dice.oneOf(['serve', 'cut', 'refuse', 'refuse', 'refuse', 'die'])) {
    case 'serve':
      return { at, does: 'serve', bytes, isChunked: dice.chance(0.5), ...streaming(dice) };
    case 'cut':
      return {
        at,
        does: 'serve',
        bytes,
        isChunked: dice.chance(0.5),
        ...streaming(dice),
        cut: { after: dice.whole(0, bytes - 1), how },
      };
    case 'refuse': {
      const hint = dice.chance(0.1)
        ? { 'retry-after': '3600' }
        : dice.oneOf([{}, { 'retry-after-ms': '30' }]);
      const isEndless = isStream && dice.chance(0.2);
      const status = dice.oneOf([500, 503, 503, 429, 429, 408, 425, 404]);
      return { at, does: 'refuse', status, bytes: isEndless ? 'endless' : bytes, headers: hint };
    }
    case 'die':
      return { at, does: 'die', how: dice.chance(0.8) ? end : 'stall', isBegun: dice.chance(0.3) };
  }
}
