/** Throws the dice for a script. All of it is JSON, so that one that fails can be printed and played again. */

import type { PolicyOptions } from '../../../src/index.js';
import { answer, contentOf, type HangUp, type Play } from '../../faults/lab.js';

export interface FuzzScript {
  readonly adapter: 'http' | 'fetch';
  /** Named, or the function itself. */
  readonly isNamed: boolean;
  readonly maxSockets: number;
  readonly responseType: 'arraybuffer' | 'stream';
  readonly policy: PolicyOptions;
  readonly retryIf?: 'undecided, later' | 'again after 500, later' | 'rejects';
  readonly beforeRetry?: 'adds a header, later' | 'goes elsewhere' | 'rejects';
  /** All at once, or one after the other. */
  readonly together: boolean;
  readonly calls: readonly FuzzCall[];
}

export interface FuzzCall {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  /** The caller's own idempotency key. */
  readonly isKeyed: boolean;
  readonly body: { readonly form: BodyForm; readonly bytes: number };
  /** The n-th time that this call arrives, the n-th of these is played; the last one repeats. */
  readonly plays: readonly FuzzPlay[];
  readonly abort?: { readonly by: 'signal' | 'token'; readonly on: AbortMoment; readonly n: number };
}

export type BodyForm = 'none' | 'text' | 'bytes' | 'blob' | 'readable' | 'factory of readables';
export type AbortMoment = 'before' | 'time' | 'attempt' | 'decision' | 'wait';

/** When: with the request's head, or once its body is in. */
export type FuzzPlay = { readonly at: 'head' | 'body' } & (
  | {
      readonly does: 'serve';
      readonly bytes: number;
      readonly isChunked: boolean;
      readonly cut?: { readonly after: number; readonly how: HangUp | 'stall' };
    }
  | {
      readonly does: 'refuse';
      readonly status: number;
      readonly bytes: number | 'endless';
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly does: 'die'; readonly how: HangUp | 'stall'; readonly isBegun: boolean }
);

export const servedMark = 'served';
/** Which play an answer is of. */
export const playHeader = 'x-play';

export function playOf(play: FuzzPlay, index: number): Play {
  const { at } = play;
  if (play.does === 'die') {
    const halfHead = { do: 'write', text: 'HTTP/1.1 200 OK\r\ncontent-le' } as const;
    return { at, steps: [...(play.isBegun ? [halfHead] : []), lastStep(play.how)] };
  }
  const { bytes } = play;
  if (play.does === 'refuse') {
    if (bytes !== 'endless') return { ...answer(play.status, 'x'.repeat(bytes), play.headers), at };
    const headers = { ...play.headers, 'transfer-encoding': 'chunked' };
    const head = { do: 'head', status: play.status, headers } as const;
    return { at, steps: [head, { do: 'fill', bytes }] };
  }
  const { isChunked, cut } = play;
  const headers = {
    [playHeader]: String(index),
    ...(isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(bytes) }),
  };
  const fill = { do: 'fill', bytes: cut?.after ?? play.bytes, mark: servedMark } as const;
  const end = cut === undefined ? ({ do: 'end' } as const) : lastStep(cut.how);
  return { at, steps: [{ do: 'head', status: 200, headers }, fill, end] };
}

function lastStep(how: HangUp | 'stall') {
  return { do: how } as const;
}

/** What a server is to get: printable, so that it is the same as text and as bytes. */
export function sentBytes({ body }: FuzzCall): Buffer {
  return Buffer.from(contentOf('sent', 0, body.bytes).toString('hex').slice(0, body.bytes));
}

// ---------------------------------------------------------------- the dice

/** The same seed throws the same numbers on every machine (mulberry32). */
class Dice {
  #state: number;

  constructor(seed: number, n: number) {
    this.#state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(n + 1, 0xc2b2ae35)) | 0;
  }

  draw(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  whole(least: number, most: number): number {
    return least + Math.floor(this.draw() * (most - least + 1));
  }

  chance(share: number): boolean {
    return this.draw() < share;
  }

  oneOf<const T>(...list: readonly T[]): T {
    return list[this.whole(0, list.length - 1)] as T;
  }

  some<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: this.whole(least, most) }, make);
  }
}

export function scriptOf(seed: number, number: number): FuzzScript {
  const dice = new Dice(seed, number);
  const responseType = dice.oneOf('arraybuffer', 'arraybuffer', 'stream');
  const calls = dice.some(1, 3, () => callOf(dice, responseType === 'stream'));
  const mayHang = calls.some(({ plays }) => plays.some(hangs));
  return {
    adapter: dice.oneOf('http', 'fetch'),
    isNamed: dice.chance(0.5),
    maxSockets: dice.whole(1, 3),
    responseType,
    policy: policyOf(dice, mayHang),
    ...(dice.chance(0.2) && {
      retryIf: dice.oneOf('undecided, later', 'again after 500, later', 'again after 500, later', 'rejects'),
    }),
    ...(dice.chance(0.2) && {
      beforeRetry: dice.oneOf('adds a header, later', 'goes elsewhere', 'goes elsewhere', 'rejects'),
    }),
    together: dice.chance(0.5),
    calls,
  };
}

function hangs(play: FuzzPlay): boolean {
  return (
    (play.does === 'die' && play.how === 'stall') ||
    (play.does === 'serve' && play.cut?.how === 'stall') ||
    (play.does === 'refuse' && play.bytes === 'endless')
  );
}

/** Times are the policy's own, which run faster than the clock. */
function policyOf(dice: Dice, mayHang: boolean): PolicyOptions {
  const attemptTimeoutMs = dice.whole(1_000, 2_000);
  return {
    maxRetries: dice.oneOf(0, 1, 2, 3, 3, 3),
    schedule: { kind: 'fixed', waitMs: dice.oneOf(0, 10, 50), jitter: 'none' },
    throttledSchedule: { kind: 'fixed', waitMs: 20, jitter: 'full' },
    bufferBodyBytes: dice.oneOf(0, 1_000, 65_536, 200_000),
    unsafeMethods: dice.oneOf('never', 'unsent', 'refused', 'refused', 'refused'),
    idempotencyKey: dice.chance(0.15),
    attemptHeader: dice.chance(0.3),
    ...((mayHang || dice.chance(0.2)) && { attemptTimeoutMs }),
    ...(dice.chance(0.2) && { deadlineMs: dice.whole(attemptTimeoutMs, 4_000) }),
  };
}

function callOf(dice: Dice, isStream: boolean): FuzzCall {
  // A stream of nothing: over `fetch`, older axios reads it all the same, and nobody can catch what it throws.
  const head = isStream ? 'GET' : 'HEAD';
  const method = dice.oneOf('GET', 'GET', head, 'POST', 'POST', 'PUT');
  const hasBody = method === 'POST' || method === 'PUT';
  const form = hasBody
    ? dice.oneOf('text', 'bytes', 'blob', 'readable', 'readable', 'factory of readables')
    : 'none';
  const isTimed = { on: 'time', n: dice.whole(0, 15) } as const;
  const moment = { on: dice.oneOf('before', 'attempt', 'decision', 'wait'), n: dice.whole(1, 3) } as const;
  return {
    method,
    isKeyed: dice.chance(0.2),
    body: {
      form,
      bytes: form === 'none' ? 0 : dice.oneOf(1, dice.whole(2, 2_000), dice.whole(2, 200_000)),
    },
    plays: [
      ...dice.some(0, 3, () => playAtRandom(dice, isStream)),
      ...(dice.chance(0.7) ? [served(dice)] : [playAtRandom(dice, isStream)]),
    ],
    ...(dice.chance(0.25) && {
      abort: { by: dice.oneOf('signal', 'token'), ...(dice.chance(0.5) ? isTimed : moment) },
    }),
  };
}

function served(dice: Dice): FuzzPlay {
  return { at: 'body', does: 'serve', bytes: dice.whole(1, 150_000), isChunked: dice.chance(0.5) };
}

function playAtRandom(dice: Dice, isStream: boolean): FuzzPlay {
  const at = dice.oneOf('head', 'body', 'body');
  const bytes = dice.oneOf(1, dice.whole(2, 2_000), dice.whole(2, 150_000));
  // Whoever has a stream has no limits of time any more.
  const end = dice.oneOf('fin', 'rst');
  const how = isStream || dice.chance(0.8) ? end : 'stall';
  switch (dice.oneOf('serve', 'cut', 'refuse', 'refuse', 'refuse', 'die')) {
    case 'serve':
      return { at, does: 'serve', bytes, isChunked: dice.chance(0.5) };
    case 'cut':
      return {
        at,
        does: 'serve',
        bytes,
        isChunked: dice.chance(0.5),
        cut: { after: dice.whole(0, bytes - 1), how },
      };
    case 'refuse': {
      const hint = dice.chance(0.1) ? { 'retry-after': '3600' } : dice.oneOf({}, { 'retry-after-ms': '30' });
      const isEndless = isStream && dice.chance(0.2);
      const status = dice.oneOf(500, 503, 503, 429, 429, 408, 404);
      return { at, does: 'refuse', status, bytes: isEndless ? 'endless' : bytes, headers: hint };
    }
    case 'die':
      return { at, does: 'die', how: dice.chance(0.8) ? end : 'stall', isBegun: dice.chance(0.3) };
  }
}
