/** Request bodies of every kind that axios accepts, and what happens to the streams among them. */

import { type PassThrough, Readable } from 'node:stream';
import PackageFormData from 'form-data';
import { fillers, makers as generalMakers, text } from '../differential/sources.js';
import { oneRead, watch } from '../uploads.js';

export type SourceKind = keyof typeof makers;

export interface Source {
  readonly body: unknown;
  /** The events that it emitted. */
  readonly events: readonly string[];
  /** The stream, if it is a Node stream. */
  readonly stream?: Readable;
  /** Writes to the stream, in the tick in which the request was made or later. */
  readonly fill?: () => void;
}

const makers = {
  ...generalMakers,
  null: () => null,
  'text of JSON': () => '{"a":1}',
  object: () => ({ a: 1, list: [1, 2], nested: { b: 'ä' } }),
  number: () => 7,
  FormData: () => {
    const form = new FormData();
    form.append('a', text);
    form.append('file', new Blob(['content'], { type: 'text/plain' }), 'a.txt');
    return form;
  },
  'form of the package': () => formOf(Buffer.from('content')),
  'form of the package, with a stream in it': () => formOf(oneRead(text)),
  'stream of pieces': () => Readable.from([Buffer.from('a'), Buffer.from('bc')], { objectMode: false }),
  'long stream': () =>
    Readable.from(
      Array.from({ length: 40 }, () => Buffer.alloc(8_192, 'x')),
      { objectMode: false },
    ),
  'async iterable': () => ({ [Symbol.asyncIterator]: generated }),
  'async generator': generated,
};

async function* generated(): AsyncGenerator<Buffer> {
  yield Buffer.from('a');
  yield Buffer.from('bc');
}

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
