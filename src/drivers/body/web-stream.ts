/** Web streams, which every platform has: reads, makes and discards them. */

import {
  sleep as atNextTurn,
  type Cancel,
  judging,
  type Sleep,
  type SleepOptions,
} from '../../kernel/sleep.js';
import type { Chunk } from './body-source.js';
import { drainBytes } from './drain.js';
import type { BodyReader, KeptBody } from './kept-body.js';
import { bytesOf } from './kept-bytes.js';

/**
 * Reads through a reader: not every browser can iterate over a stream, and a generator could not be ended while it
 * waits for a chunk.
 */
export function webSource(stream: ReadableStream): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const reader = stream.getReader();
      return {
        next: () => reader.read() as Promise<IteratorResult<Uint8Array>>,
        return: async (reason?: unknown) => {
          await reader.cancel(reason);
          return { done: true, value: undefined };
        },
      };
    },
  };
}

export function asWebStream(kept: KeptBody): ReadableStream<unknown> {
  let reader: BodyReader;
  return new ReadableStream({
    start(controller) {
      reader = kept.open({
        push: (chunk) => {
          controller.enqueue(ownCopy(chunk));
          return (controller.desiredSize ?? 0) > 0;
        },
        end: () => controller.close(),
        fail: (error = closedEarly()) => controller.error(error),
      });
    },
    pull: () => reader.more(),
    cancel: () => reader.stop(),
  });
}

/**
 * A stream reads ahead, and an async iterable may fill the same buffer again. ArrayBuffers become bytes, since fetch
 * takes them from an iterable, but not from a stream.
 */
function ownCopy(chunk: Chunk): unknown {
  const bytes = typeof chunk === 'string' ? undefined : bytesOf(chunk);
  return bytes === undefined ? chunk : new Uint8Array(bytes);
}

/** What Node says of a stream that is destroyed without an error. */
function closedEarly(): Error {
  return Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
}

/** Reads the rest of a body if it is small, and cancels it otherwise, or when the time is over; 0: at once. */
export function drained(data: ReadableStream<Uint8Array>, ms: number, sleep: Sleep): Drain | undefined {
  try {
    if (ms > 0) return new Drain(data, ms, sleep);
    data.cancel().catch(() => undefined);
  } catch {
    // Something else reads it.
  }
  return undefined;
}

class Drain {
  /** Undefined once it is over. */
  private reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  private leftBytes: number = drainBytes;
  private cancel: Cancel;

  constructor(data: ReadableStream<Uint8Array>, ms: number, sleep: Sleep) {
    this.reader = data.getReader();
    // Most bodies have arrived with their head, and are over before a timer for them is made.
    this.cancel = atNextTurn(0, () => this.endIn(ms, sleep), unrefed);
    this.read(this.reader);
  }

  get isOver(): boolean {
    return this.reader === undefined;
  }

  private endIn(ms: number, sleep: Sleep): void {
    this.cancel = sleep(ms, () => this.cutOff(), judging('awake', true));
  }

  private cutOff(): void {
    this.reader?.cancel().catch(() => undefined);
  }

  private read(reader: ReadableStreamDefaultReader<Uint8Array>): void {
    reader.read().then(this.next, this.end);
  }

  private readonly next = ({ done, value }: ReadableStreamReadResult<Uint8Array>): void => {
    const { reader } = this;
    if (done || reader === undefined) {
      this.end();
      return;
    }
    this.leftBytes -= value.byteLength;
    if (this.leftBytes < 0) this.cutOff();
    this.read(reader);
  };

  private readonly end = (): void => {
    this.reader = undefined;
    this.cancel();
  };
}

const unrefed: SleepOptions = { unref: true };

/** Not every platform can refer to an object without keeping it. */
export function weak<T extends object>(object: T): { deref(): T | undefined } {
  return typeof WeakRef === 'undefined' ? { deref: () => object } : new WeakRef(object);
}
