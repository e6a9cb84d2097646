/** Bodies that only undici accepts, such as iterables, arrive as undici alone would send them, in each attempt. */

import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { answer, type Lab, rst } from '../../faults/lab.js';
import { bytes, chunked, type Framed, fill, framed, pieces, text, view, whole } from '../framed.js';
import { openLab, settled } from '../kit.js';
import { undici } from './client.js';
import { openAgent, retryingAgent } from './kit.js';

function put(dispatcher: Dispatcher, { origin }: Lab, body: unknown): Promise<Dispatcher.ResponseData> {
  return dispatcher.request({ origin, path: '/', method: 'PUT', body: body as Readable });
}

/** The body as it arrives without us, or undici's error if it accepts no such body. */
async function sentBare(body: unknown): Promise<Framed | string> {
  const lab = await openLab(answer(200));
  const { error } = await settled(put(openAgent(), lab, body));
  const [request] = lab.requests;
  return error instanceof Error || request === undefined ? String(error) : framed(request);
}

function endedAndBuffered(): Readable {
  const stream = new Readable({ read: () => undefined });
  for (const piece of pieces) stream.push(piece);
  stream.push(null);
  return stream;
}

async function* later<T>(items: Iterable<T>): AsyncGenerator<T> {
  for (const item of items) {
    await Promise.resolve();
    yield item;
  }
}

function* now<T>(items: Iterable<T>): Generator<T> {
  yield* items;
}

const bodies: [name: string, make: () => unknown, expected: Partial<Framed>][] = [
  ['a Uint8Array with an offset', () => view, whole],
  [
    'a Blob with a type',
    () => new Blob([view], { type: 'text/x-greeting' }),
    { ...whole, type: 'text/x-greeting' },
  ],
  ['a DataView with an offset', () => new DataView(bytes.buffer, 2, view.length), whole],
  [
    "undici's FormData",
    () => fill(new undici.FormData()),
    { type: 'multipart/form-data; boundary=BOUNDARY' },
  ],
  ['an array of chunks', () => [...pieces], chunked],
  ['an array of strings', () => [...text], chunked],
  ['a Set of chunks', () => new Set(pieces), chunked],
  ['a generator', () => now(pieces), chunked],
  ['an async generator', () => later(pieces), chunked],
  ['an async generator of strings', () => later(text), chunked],
  ['an iterator of a Map', () => new Map(pieces.entries()).values(), chunked],
  ['a Readable of strings', () => Readable.from([...text]), chunked],
  ['a Readable that is slow', () => Readable.from(later(pieces), { objectMode: false }), chunked],
  ['a Readable that has all it will ever have', endedAndBuffered, whole],
  ['a function that returns a generator', () => () => now(pieces), chunked],
  ['a function that returns a form', () => () => fill(new undici.FormData()), {}],
];

test.each(bodies)('%s is sent as undici alone sends it, again and again', async (_name, make, expected) => {
  const given = make();
  const reference = await sentBare(typeof given === 'function' ? await given() : make());
  expect(reference).toMatchObject(expected);
  const lab = await openLab([answer(503), rst(), answer(200, 'taken')]);

  const response = await put(retryingAgent(), lab, given);

  expect(await response.body.text()).toBe('taken');
  expect(lab.requests.map(({ complete }) => complete)).toEqual([true, true, true]);
  expect(lab.requests.map(framed)).toEqual([reference, reference, reference]);
});

test('a form has the boundary that undici draws for each attempt; as a Blob it is the same to the byte', async () => {
  const plays = [answer(503), rst(), answer(200)];
  const lab = await openLab(answer(200));
  const form = fill(new undici.FormData());
  for (const agent of [openAgent(), openAgent()]) await (await put(agent, lab, form)).body.dump();
  const [first, second] = lab.requests.map(({ headers }) => headers['content-type']);
  // The newest undici 8 draws the same boundary each time.
  const isNew = first !== second;

  lab.play(plays);
  await (await put(retryingAgent(), lab, form)).body.dump();
  expect(new Set(lab.requests.map(({ headers }) => headers['content-type'])).size).toBe(isNew ? 3 : 1);
  expect(new Set(lab.requests.map(({ headers }) => headers['content-length'])).size).toBe(1);

  // In most versions, a Response turns a foreign FormData into text.
  for (const whole of [
    new Response(fill(new FormData())),
    new undici.Response(fill(new undici.FormData())),
  ]) {
    lab.play(plays);
    await (await put(retryingAgent(), lab, await whole.blob())).body.dump();
    const sent = lab.requests.map(
      ({ headers, body }) => `${headers['content-type']}\n${body.toString('latin1')}`,
    );
    expect(sent).toHaveLength(3);
    expect(new Set(sent).size).toBe(1);
    expect(sent[0]).toMatch(/^multipart\/form-data; ?boundary=(.+)\n--\1\r\n/);
  }
});

describe('bodies that undici by itself rejects, or accepts in some versions only', () => {
  const query = new URLSearchParams({ a: 'ä b', c: '&' });

  test.each<[string, unknown]>([
    ['URLSearchParams', query],
    ['a function that returns URLSearchParams', () => query],
    ['a function that promises URLSearchParams', async () => query],
  ])('%s: sent as text', async (_name, body) => {
    const lab = await openLab([answer(503), answer(200)]);
    await put(retryingAgent(), lab, body);
    const sent = { length: '16', body: 'a=%C3%A4+b&c=%26' };
    expect(lab.requests.map(framed)).toMatchObject([sent, sent]);
  });

  test("the built-in FormData is sent like undici's own, or refused in undici's words", async () => {
    const reference = await sentBare(fill(new FormData()));
    const lab = await openLab([answer(503), answer(200)]);
    const { error } = await settled(put(retryingAgent(), lab, fill(new FormData())));
    if (typeof reference === 'string') expect([String(error), lab.requests.length]).toEqual([reference, 0]);
    else expect(lab.requests.map(framed)).toEqual([reference, reference]);
  });

  test.each<[string, unknown]>([
    ['a number', 42],
    ['an object', { a: 1 }],
    ['true', true],
    ['a function that returns a number', () => 42],
  ])("%s is refused once, in undici's words", async (_name, body) => {
    const reference = await sentBare(typeof body === 'function' ? body() : body);
    const lab = await openLab(answer(200));
    const { error } = await settled(put(retryingAgent(), lab, body));
    expect(String(error)).toBe(reference);
    expect(lab.requests).toHaveLength(0);
  });
});

describe('an unusual source', () => {
  test('hands out the same iterator each time: it is read once, and kept', async () => {
    const iterator = now(pieces);
    const lab = await openLab([answer(503), answer(200)]);
    await put(retryingAgent(), lab, { [Symbol.iterator]: () => iterator });
    expect(lab.requests.map(framed)).toMatchObject([chunked, chunked]);
  });

  test('hands out iterators of one queue: it is read once, and kept', async () => {
    const queue = [...pieces];
    const next = () => ({ done: queue.length === 0, value: queue.shift() });
    const lab = await openLab([answer(503), answer(200)]);
    await put(retryingAgent(), lab, { [Symbol.iterator]: () => ({ next }) });
    expect(lab.requests.map(framed)).toMatchObject([chunked, chunked]);
  });

  test.each<[string, () => ArrayBufferView]>([
    ['a DataView', () => new DataView(bytes.buffer, 2, 4)],
    ['a Uint16Array', () => Uint16Array.of(0x4241, 0x4443)],
    ['a Uint8Array with an offset', () => bytes.subarray(2, 6)],
  ])('has a chunk that is %s: what is kept is what was sent', async (_name, chunk) => {
    async function* source(): AsyncGenerator<ArrayBufferView> {
      yield Buffer.from('<');
      yield chunk();
      yield Buffer.from('>');
    }
    const reference = await sentBare(source());
    const lab = await openLab([answer(503), rst(), answer(200)]);
    const { error } = await settled(put(retryingAgent(), lab, source()));
    // Older versions of Node write bytes only.
    if (typeof reference === 'string') expect(String(error)).toBe(reference);
    else expect(lab.requests.map(framed)).toEqual([reference, reference, reference]);
  });

  test('reuses one buffer for each chunk: the bytes that are kept are the ones that were sent', async () => {
    async function* reusing(): AsyncGenerator<Buffer> {
      const buffer = Buffer.alloc(3);
      for (const letter of ['a', 'b', 'c']) yield buffer.fill(letter);
    }
    expect(await sentBare(reusing())).toMatchObject({ body: 'aaabbbccc' });
    const lab = await openLab([answer(503), answer(200)]);
    await put(retryingAgent(), lab, reusing());
    expect(lab.requests.map(({ body }) => body.toString())).toEqual(['aaabbbccc', 'aaabbbccc']);
  });
});
