/** What a client of Node's sends of a body that is kept: a stream, which the source outlives. */

import type { KeptBody } from './kept-body.js';

/** As much of Node's streams as is asked here. */
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

/**
 * `Stream` is Node's, from where it can be imported. As its source does, it ends in its first read if everything is
 * there, so that a client which probes knows the length.
 */
export function streamFrom<Stream extends NodeStream>(
  body: KeptBody,
  Stream: new (options: NodeStreamOptions) => Stream,
  objectMode: boolean,
): Stream {
  const stream = new Stream({
    objectMode,
    // The source has buffered already.
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
      // Node would take it for the end.
      const error = new TypeError(`The body gave ${chunk} in place of bytes or text`);
      stream.destroy(Object.assign(error, { code: 'ERR_INVALID_ARG_TYPE' }));
      return false;
    },
    end: () => stream.push(null),
    fail: (error) => stream.destroy(error as Error),
  });
  // The client may have left it before.
  stream.on('error', () => undefined);
  probe();
  // A caller may end it in the same tick.
  queueMicrotask(probe);
  return stream;

  /** What is known to be empty can be sent behind others. */
  function probe(): void {
    if (body.isEmpty) stream.read(0);
  }
}
