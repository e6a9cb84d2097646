/** A kept body as a Node stream, for clients that send one. The source outlives the stream. */

import type { KeptBody } from './kept-body.js';
import type { StreamLike } from './stream-like.js';

/** The part of Node's streams that is used here. */
interface NodeStream {
  push(chunk: unknown): boolean;
  read(bytes: number): unknown;
  destroy(error?: Error): unknown;
  on(event: 'error', listener: () => void): unknown;
}

interface NodeStreamOptions {
  readonly objectMode: boolean;
  readonly highWaterMark: number;
  read(): void;
  destroy(error: Error | null, done: (error: Error | null) => void): void;
}

/** Of the module `node:stream`. */
export interface NodeStreams {
  readonly Readable: (new (
    options: NodeStreamOptions,
  ) => NodeStream) & {
    from(pieces: Iterable<unknown>, options: { readonly objectMode: boolean }): object;
  };
  readonly PassThrough: new () => AsyncIterable<Uint8Array> & Required<StreamLike>;
}

/**
 * `Stream` is Node's class, passed in by callers that can import it. Like its source, the stream ends in its first read
 * if the whole body is there, so that a client which probes it knows the length.
 */
export function streamFrom<Stream extends NodeStream>(
  body: KeptBody,
  Stream: new (options: NodeStreamOptions) => Stream,
  objectMode: boolean,
): Stream {
  const stream = new Stream({
    objectMode,
    // The source has a buffer of its own.
    highWaterMark: 0,
    read: () => reader.more(),
    destroy: (error, done) => {
      reader.stop();
      done(error);
    },
  });
  const reader = body.open({
    push: (chunk) => {
      if (chunk !== null && chunk !== undefined) return stream.push(chunk);
      // Node would take null for the end of the stream.
      const error = new TypeError(`The body gave ${chunk} instead of bytes or text`);
      stream.destroy(Object.assign(error, { code: 'ERR_INVALID_ARG_TYPE' }));
      return false;
    },
    end: () => stream.push(null),
    fail: (error) => stream.destroy(error as Error),
  });
  // The client may not listen any more; without a listener, an error would be thrown.
  stream.on('error', () => undefined);
  probe();
  // The caller may end its source in the same tick.
  queueMicrotask(probe);
  return stream;

  /** Starts the reading of an empty body, so that the stream ends at once: a client can pipeline such a request. */
  function probe(): void {
    if (body.isEmpty) stream.read(0);
  }
}
