/** Request bodies of every kind that axios takes, and what becomes of those that have a life of their own. */

import { PassThrough, Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import PackageFormData from 'form-data';
import { fillLater, oneRead, watch } from '../uploads.js';

export type SourceKind = keyof typeof makers;

export interface Source {
  readonly body: unknown;
  /** What it was seen to do. */
  readonly events: readonly string[];
  /** When it is a stream of Node's. */
  readonly stream?: Readable;
  /** In the same tick in which the request was made, and later. */
  readonly fill?: () => void;
}

const text = 'abc';

const makers = {
  none: () => undefined,
  null: () => null,
  string: () => text,
  'text of JSON': () => '{"a":1}',
  object: () => ({ a: 1, list: [1, 2], nested: { b: 'ä' } }),
  number: () => 7,
  Buffer: () => Buffer.from(text),
  'typed array': () => new Uint8Array(Buffer.from(text)),
  ArrayBuffer: () => new Uint8Array(Buffer.from(text)).buffer,
  Blob: () => new Blob([text], { type: 'text/plain' }),
  URLSearchParams: () => new URLSearchParams({ a: text }),
  FormData: () => {
    const form = new FormData();
    form.append('a', text);
    form.append('file', new Blob(['content'], { type: 'text/plain' }), 'a.txt');
    return form;
  },
  'form of the package': () => formOf(Buffer.from('content')),
  'form of the package, with a stream in it': () => formOf(oneRead(text)),
  'stream of one read': () => oneRead(text),
  'stream of text': () => oneRead(text).setEncoding('utf8'),
  'stream of pieces': () => Readable.from([Buffer.from('a'), Buffer.from('bc')], { objectMode: false }),
  'stream that has ended': () => new PassThrough().end(text),
  'stream without a byte': () => new PassThrough().end(),
  'stream with autoDestroy off': () => oneRead(text, { autoDestroy: false }),
  'PassThrough filled in the same tick': () => new PassThrough(),
  'PassThrough filled later': () => new PassThrough(),
  'half a stream': () => {
    const stream = new Readable({ read: () => undefined });
    stream.push(text);
    return stream;
  },
  'long stream': () =>
    Readable.from(
      Array.from({ length: 40 }, () => Buffer.alloc(8_192, 'x')),
      { objectMode: false },
    ),
  'async iterable': () => ({
    async *[Symbol.asyncIterator]() {
      yield Buffer.from('a');
      yield Buffer.from('bc');
    },
  }),
  'async generator': () =>
    (async function* () {
      yield Buffer.from('a');
      yield Buffer.from('bc');
    })(),
  'web stream': () =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(text));
        controller.close();
      },
    }),
};

const fillers: { readonly [Kind in SourceKind]?: (stream: PassThrough) => void } = {
  'PassThrough filled in the same tick': (stream) => stream.end(text),
  'PassThrough filled later': (stream) => void fillLater(stream),
};

export function sourceOf(kind: SourceKind): Source {
  const body: unknown = makers[kind]();
  const fill = fillers[kind];
  const filled = fill === undefined ? {} : { fill: () => fill(body as PassThrough) };
  return { body, ...(body instanceof Readable ? watch(body) : { events: [] }), ...filled };
}

function formOf(part: unknown): PackageFormData {
  const form = new PackageFormData();
  form.append('a', text);
  form.append('file', part, { filename: 'a.txt' });
  return form;
}
