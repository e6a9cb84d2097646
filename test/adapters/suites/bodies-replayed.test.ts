/** Every kind of body that a client accepts arrives as the client alone would send it, in each attempt. */

import { createReadStream } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { describe, expect, test } from 'vitest';
import { answer, rst } from '../../faults/lab.js';
import { chunked, type Framed, framed, pieces, text, view, whole } from '../framed.js';
import { openLab } from '../kit.js';
import { type Asked, theSubject, type Way } from './subject.js';

const subject = await theSubject();

type Row = readonly [name: string, make: () => Asked, expected: Partial<Framed>];

const rows: readonly Row[] = [
  ['a string', () => ({ body: text }), whole],
  ['an empty string', () => ({ body: '' }), { length: '0', body: '' }],
  ['nothing', () => ({ body: undefined }), { length: '0', body: '' }],
  ['a Buffer', () => ({ body: Buffer.from(text) }), whole],
  ['an ArrayBuffer', () => ({ body: Uint8Array.from(view).buffer }), whole],
  ['a Uint8Array', () => ({ body: Uint8Array.from(view) }), whole],
  ['a Blob', () => ({ body: new Blob([view], { type: 'text/x-greeting' }) }), whole],
  ['a Readable of objects', () => ({ body: Readable.from(pieces) }), chunked],
  ['a Readable with nothing in it', () => ({ body: Readable.from([]) }), { body: '' }],
  [
    'a PassThrough',
    () => ({ body: Readable.from(pieces).pipe(new PassThrough({ highWaterMark: 1 })) }),
    chunked,
  ],
  ['a file', () => ({ body: createReadStream(import.meta.filename) }), { encoding: 'chunked' }],
  [
    'a Readable whose length and type are given',
    () => ({
      body: Readable.from(pieces),
      headers: { 'Content-Length': String(view.length), 'Content-Type': 'text/x-own' },
    }),
    { ...whole, type: 'text/x-own' },
  ],
];

const webStreams: readonly Row[] = [
  ['a web stream', () => ({ body: ReadableStream.from(pieces) }), chunked],
  ['a web stream of bytes', () => ({ body: new Blob([view]).stream() }), chunked],
];

/** The body as it arrives without us. */
async function sentBare(way: Way, asked: Asked): Promise<Framed | undefined> {
  if (way.bare === undefined) return undefined;
  const lab = await openLab(answer(200));
  await way.bare()(lab.origin, { method: 'PUT', ...asked });
  return lab.requests.map(framed)[0];
}

/** Each kind as it is, and made anew by a function for each attempt. */
const handings: readonly (readonly [how: string, hand: (make: Row[1]) => Asked])[] = [
  ['', (make) => make()],
  ['a function that returns ', (make) => ({ ...make(), body: () => make().body })],
  ['a function that promises ', (make) => ({ ...make(), body: async () => make().body })],
];

describe.each(subject.uploading)('over $name', (way) => {
  const cases = [...rows, ...(way.takesWebStreams ? webStreams : [])].flatMap(([name, make, expected]) =>
    handings.map(([how, hand]) => [`${how}${name}`, make, hand, expected] as const),
  );

  test.each(cases)(
    '%s is sent as the client alone sends it, again and again',
    async (_name, make, hand, expected) => {
      const lab = await openLab([answer(503), rst(), answer(200, 'taken')]);
      const { text: told } = await way.client()(lab.origin, { method: 'PUT', ...hand(make) });
      expect(told).toBe('taken');
      const reference = (await sentBare(way, make())) ?? lab.requests.map(framed)[0];
      expect(reference).toMatchObject(expected);
      expect(lab.requests.map(framed)).toEqual([reference, reference, reference]);
      expect(lab.requests.map(({ complete }) => complete)).toEqual([true, true, true]);
    },
  );
});
