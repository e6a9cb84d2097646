/** Web streams, which every platform has: reads, makes and discards them. */

import { isObject } from '../../core/is-object.js';
import { sleep as atNextTurn } from '../../kernel/sleep.js';
import { judging, type Sleep, type SleepOptions } from '../../kernel/timers.js';
import type { Rest } from '../loop/exchange.js';
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

const copies: WeakMap<object, unknown> = /* @__PURE__ */ new WeakMap();

/**
 * What `clone()` gives, which lives as long as the original: undici's fetch, and so Node's, cancels the body of the
 * original, up to undici 7.10, once the copy is collected.
 */
export function copyOf<T>(original: { clone(): T }): T {
  const copy = original.clone();
  copies.set(original, copy);
  return copy;
}

/**
 * Stops reading a copy. The platform keeps the handler until the original is over, too, so the handler must not lead to
 * the answer: it could never be collected, nor its connection be free again.
 */
export function stop(reader: ReadableStreamDefaultReader): void {
  void reader.cancel().catch(() => undefined);
}

/** Reads the rest of a body if it is small, and cancels it otherwise, or when the time is over; 0: at once. */
export function drained(data: ReadableStream<Uint8Array>, ms: number, sleep: Sleep): Rest | undefined {
  if (data.locked) return undefined;
  const rest = { isOver: false };
  const reader = data.getReader();
  let left = drainBytes;
  const cutOff = (): void => void reader.cancel().catch(() => undefined);
  // Most bodies have arrived with their head, and are over before a timer for them is made.
  let cancel = atNextTurn(0, () => (cancel = sleep(ms, cutOff, judging('awake', true))), unrefed);
  const end = (): void => {
    rest.isOver = true;
    cancel();
  };
  const next = ({ done, value }: ReadableStreamReadResult<Uint8Array>): void => {
    if (done) end();
    else {
      left -= value.byteLength;
      if (left < 0) cutOff();
      reader.read().then(next, end);
    }
  };
  if (ms === 0) cutOff();
  reader.read().then(next, end);
  return rest;
}

const unrefed: SleepOptions = { unref: true };

const kept: WeakMap<object, ReadableStreamDefaultReader> = /* @__PURE__ */ new WeakMap();

/**
 * Keeps an unread body as it is until `free` is called. undici's fetch, and so Node's, cancels the body of an answer that
 * the garbage collector takes, unless the body has a reader. The answer may be gone while its body is still to be read: a
 * fetch of the caller's has made another answer of it, or axios hands over the body alone.
 */
export function keep(body: object | undefined): void {
  if (isNodes(body) && !body.locked) kept.set(body, body.getReader());
}

/** Other platforms cancel no such body, and Bun takes one that had a reader for used. */
function isNodes(body: object | undefined): body is ReadableStream {
  if (typeof ReadableStream !== 'function' || typeof Response !== 'function') return false;
  return body instanceof ReadableStream && Symbol.for('nodejs.util.inspect.custom') in Response.prototype;
}

export function free(body: object | null | undefined): void {
  if (!isObject(body)) return;
  kept.get(body)?.releaseLock();
  kept.delete(body);
}

/** Not every platform can refer to an object without keeping it. */
export function weak<T extends object>(object: T): { deref(): T | undefined } {
  return typeof WeakRef === 'undefined' ? { deref: () => object } : new WeakRef(object);
}
