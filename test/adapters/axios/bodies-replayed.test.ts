/** Whatever axios takes as a body arrives as axios alone would send it, the first time and every time after. */

import { File } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { PassThrough, Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import type { AxiosInstance, AxiosRequestConfig } from 'axios';
import NodeForm from 'form-data';
import { expect, test } from 'vitest';
import { answer, type Lab, type Received, rst } from '../../faults/lab.js';
import { openLab, settled } from '../kit.js';
import { isFirst } from './client.js';
import { openInstance, retryingInstance } from './kit.js';

const text = 'Grüße aus dem Körper';
const bytes = new Uint8Array(Buffer.from(`<<${text}>>`));
/** The text, in the middle of other things. */
const view = bytes.subarray(2, -2);
const pieces = [Buffer.from(text).subarray(0, 2), Buffer.from(text).subarray(2)] as const;
const file = createRequire(import.meta.url).resolve('form-data');

type Adapter = 'http' | 'fetch';

/** What axios makes of it is the measure. */
interface Framed {
  readonly length: string | undefined;
  readonly type: string | undefined;
  readonly encoding: string | undefined;
  readonly body: string;
}

function framed({ headers, body }: Received): Framed {
  const type = headers['content-type'];
  // Each sending of a form may have a boundary of its own.
  const [, boundary] = /^--(\S+)\r\n/.exec(body.toString('latin1')) ?? [];
  const normal = (given: string): string => (boundary ? given.replaceAll(boundary, 'BOUNDARY') : given);
  return {
    length: headers['content-length'],
    type: type && normal(type),
    encoding: headers['transfer-encoding'],
    body: normal(body.toString('latin1')),
  };
}

type Given = Pick<AxiosRequestConfig, 'data' | 'headers'>;

function put(instance: AxiosInstance, { origin }: Lab, adapter: Adapter, given: Given): Promise<unknown> {
  return instance.request({ url: origin, method: 'PUT', adapter, ...given });
}

/** As it arrives without us, or axios's word that it takes no such body. */
async function sentBare(adapter: Adapter, given: Given): Promise<Framed | string> {
  const lab = await openLab(answer(200));
  const { error } = await settled(put(openInstance(), lab, adapter, given));
  const [request] = lab.requests;
  return error instanceof Error || request === undefined ? String(error) : framed(request);
}

function fill<Form extends FormData>(form: Form): Form {
  form.append('greeting', text);
  form.append('file', new Blob([view], { type: 'text/x-greeting' }), 'greeting.txt');
  return form;
}

function nodeForm(...streams: readonly unknown[]): NodeForm {
  const form = new NodeForm();
  form.append('greeting', text);
  form.append('bytes', Buffer.from(view), { filename: 'greeting.txt', contentType: 'text/x-greeting' });
  for (const stream of streams) form.append('stream', stream);
  return form;
}

const multipart = { 'content-type': 'multipart/form-data' };
const json = { 'content-type': 'application/json' };
const both: readonly Adapter[] = ['http', 'fetch'];
const http: readonly Adapter[] = ['http'];
const whole = {
  length: String(view.length),
  encoding: undefined,
  body: Buffer.from(text).toString('latin1'),
};
const chunked = { length: undefined, encoding: 'chunked', body: whole.body };
const form = { type: 'multipart/form-data; boundary=BOUNDARY' };

const bodies: [name: string, on: readonly Adapter[], make: () => Given, expected: Partial<Framed>][] = [
  ['a string', both, () => ({ data: text }), whole],
  ['an empty string', both, () => ({ data: '' }), { body: '' }],
  ['nothing', both, () => ({}), { body: '' }],
  ['null', both, () => ({ data: null }), {}],
  ['an object', both, () => ({ data: { text } }), { type: 'application/json' }],
  ['an array', both, () => ({ data: [text, 1] }), { type: 'application/json' }],
  ['a number as JSON', both, () => ({ data: 0, headers: json }), { body: '0', type: 'application/json' }],
  ['a Buffer', both, () => ({ data: Buffer.from(text) }), whole],
  ['an ArrayBuffer', both, () => ({ data: Uint8Array.from(view).buffer }), whole],
  ['a Uint8Array', both, () => ({ data: Uint8Array.from(view) }), whole],
  // The whole of the memory that it looks into is sent: that is axios's doing.
  ['a Uint8Array with an offset', both, () => ({ data: view }), {}],
  ['a DataView with an offset', both, () => ({ data: new DataView(bytes.buffer, 2, view.length) }), {}],
  [
    'URLSearchParams',
    both,
    () => ({ data: new URLSearchParams({ a: 'ä b', c: '&' }) }),
    { body: 'a=%C3%A4+b&c=%26' },
  ],
  ['a Blob', both, () => ({ data: new Blob([view], { type: 'text/x-greeting' }) }), whole],
  // The first ones take none over http.
  [
    'a File',
    isFirst ? ['fetch'] : both,
    () => ({ data: new File([view], 'a.txt', { type: 'text/x-greeting' }) }),
    whole,
  ],
  ['FormData', http, () => ({ data: fill(new FormData()) }), form],
  ['FormData', ['fetch'], () => ({ data: fill(new FormData()) }), {}],
  ['FormData that is said to be it', both, () => ({ data: fill(new FormData()), headers: multipart }), {}],
  [
    'FormData as JSON',
    both,
    () => ({ data: fill(new FormData()), headers: json }),
    { type: 'application/json' },
  ],
  [
    'an object as a form',
    both,
    () => ({ data: { a: 'ä b' }, headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    { body: 'a=%C3%A4+b' },
  ],
  [
    'an object as multipart',
    http,
    () => ({ data: { a: 1, b: { c: text }, d: Buffer.from(text) }, headers: multipart }),
    form,
  ],
  ['a form of form-data', http, () => ({ data: nodeForm() }), form],
  [
    'a form of form-data with headers',
    http,
    () => {
      const data = nodeForm();
      return { data, headers: { ...data.getHeaders(), 'content-length': data.getLengthSync() } };
    },
    form,
  ],
  [
    'a form with a stream of a file',
    http,
    () => ({ data: nodeForm(createReadStream(file)) }),
    { ...form, encoding: undefined },
  ],
  [
    'a form with a stream of unknown length',
    http,
    () => ({ data: nodeForm(Readable.from(pieces, { objectMode: false })) }),
    { ...form, encoding: 'chunked' },
  ],
  [
    'a form with a stream of known length',
    http,
    () => {
      const data = nodeForm();
      data.append('s', Readable.from(pieces), { knownLength: view.length });
      return { data };
    },
    form,
  ],
  ['a Readable of objects', both, () => ({ data: Readable.from(pieces) }), chunked],
  ['a Readable of strings', http, () => ({ data: Readable.from([...text]) }), chunked],
  ['a Readable with nothing in it', both, () => ({ data: Readable.from([]) }), { body: '' }],
  [
    'a PassThrough',
    both,
    () => ({ data: Readable.from(pieces).pipe(new PassThrough({ highWaterMark: 1 })) }),
    chunked,
  ],
  ['a file', both, () => ({ data: createReadStream(file) }), { encoding: 'chunked' }],
  [
    'a Readable whose length is given',
    both,
    () => ({ data: Readable.from(pieces), headers: { 'Content-Length': view.length } }),
    whole,
  ],
  ['a web stream', ['fetch'], () => ({ data: ReadableStream.from(pieces) }), chunked],
  ['a web stream of bytes', ['fetch'], () => ({ data: new Blob([view]).stream() }), chunked],
];

const cases = bodies.flatMap(([name, on, make, expected]) =>
  on.map((adapter) => [name, adapter, make, expected] as const),
);

test.each(cases)(
  '%s over %s is sent as axios alone sends it, again and again',
  async (_name, adapter, make, expected) => {
    const reference = await sentBare(adapter, make());
    expect(reference).toMatchObject(expected);
    const lab = await openLab([answer(503), rst(), answer(200, 'taken')]);
    await put(retryingInstance(), lab, adapter, make());
    expect(lab.requests.map(framed)).toEqual([reference, reference, reference]);
  },
);
