/** Bodies of the kinds that every client accepts, and what happens to the streams among them. */

import { PassThrough, Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { fillLater, oneRead } from '../uploads.js';

export const text = 'abc';

/** The target that a caller writes the body to. */
export interface Sink {
  write(text: string): unknown;
  end(text?: string): unknown;
}

export const makers = {
  none: () => undefined,
  string: () => text,
  Buffer: () => Buffer.from(text),
  'typed array': () => new Uint8Array(Buffer.from(text)),
  ArrayBuffer: () => new Uint8Array(Buffer.from(text)).buffer,
  Blob: () => new Blob([text], { type: 'text/plain' }),
  URLSearchParams: () => new URLSearchParams({ a: text }),
  'stream of one read': () => oneRead(text),
  'stream that has ended': () => new PassThrough().end(text),
  'stream without a byte': () => new PassThrough().end(),
  'stream with autoDestroy off': () => oneRead(text, { autoDestroy: false }),
  'stream of text': () => oneRead(text).setEncoding('utf8'),
  'PassThrough filled in the same tick': () => new PassThrough(),
  'PassThrough filled later': () => new PassThrough(),
  'web stream': () =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(text));
        controller.close();
      },
    }),
  'half a stream': () => {
    const stream = new Readable({ read: () => undefined });
    stream.push(text);
    return stream;
  },
};

/** For streams that their caller fills: in the tick in which the request was made, or later. */
export const fillers: { readonly [kind: string]: ((into: Sink) => void) | undefined } = {
  'PassThrough filled in the same tick': (into) => into.end(text),
  'PassThrough filled later': (into) => void fillLater(into),
};
