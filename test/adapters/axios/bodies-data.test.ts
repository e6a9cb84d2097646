/**
 * Bodies that only axios accepts, such as an object or a form, arrive as axios alone would send them, in each attempt.
 */

import { File } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import type { AxiosInstance, AxiosRequestConfig } from 'axios';
import NodeForm from 'form-data';
import { expect, test } from 'vitest';
import { answer, type Lab, rst } from '../../faults/lab.js';
import { bytes, chunked, type Framed, fill, framed, pieces, text, view, whole } from '../framed.js';
import { openLab, settled } from '../kit.js';
import { isFirst } from './client.js';
import { openInstance, retryingInstance } from './kit.js';

const file = createRequire(import.meta.url).resolve('form-data');

type Adapter = 'http' | 'fetch';

type Given = Pick<AxiosRequestConfig, 'data' | 'headers'>;

function put(instance: AxiosInstance, { origin }: Lab, adapter: Adapter, given: Given): Promise<unknown> {
  return instance.request({ url: origin, method: 'PUT', adapter, ...given });
}

/** The body as it arrives without us, or axios's error if it accepts no such body. */
async function sentBare(adapter: Adapter, given: Given): Promise<Framed | string> {
  const lab = await openLab(answer(200));
  const { error } = await settled(put(openInstance(), lab, adapter, given));
  const [request] = lab.requests;
  return error instanceof Error || request === undefined ? String(error) : framed(request);
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
const form = { type: 'multipart/form-data; boundary=BOUNDARY' };

const bodies: [name: string, on: readonly Adapter[], make: () => Given, expected: Partial<Framed>][] = [
  ['null', both, () => ({ data: null }), {}],
  ['an object', both, () => ({ data: { text } }), { type: 'application/json' }],
  ['an array', both, () => ({ data: [text, 1] }), { type: 'application/json' }],
  ['a number as JSON', both, () => ({ data: 0, headers: json }), { body: '0', type: 'application/json' }],
  // axios sends the whole buffer underneath the view.
  ['a Uint8Array with an offset', both, () => ({ data: view }), {}],
  ['a DataView with an offset', both, () => ({ data: new DataView(bytes.buffer, 2, view.length) }), {}],
  [
    'URLSearchParams',
    both,
    () => ({ data: new URLSearchParams({ a: 'ä b', c: '&' }) }),
    { body: 'a=%C3%A4+b&c=%26' },
  ],
  // The first versions accept none over http.
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
  ['a Readable of strings', http, () => ({ data: Readable.from([...text]) }), chunked],
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
