/**
 * Iterables that no transform touches: one that can be read only once is kept or not sent again, and never sent empty.
 */

import { setImmediate } from 'node:timers/promises';
import type { AxiosAdapter, AxiosInstance } from 'axios';
import { describe, expect, test } from 'vitest';
import { answer, type Lab, rst } from '../../faults/lab.js';
import { reasons } from '../decisions.js';
import { comesTrue, openLab, settled, soon } from '../kit.js';
import { openInstance, retryingInstance } from './kit.js';

const untouched = { transformRequest: [(data: unknown) => data] };
const overFetch = { adapter: 'fetch', ...untouched };

async function* generated(...chunks: readonly unknown[]): AsyncGenerator<unknown> {
  yield* chunks;
}

async function* filled(...texts: readonly string[]): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(6);
  for (const text of texts) {
    buffer.write(text);
    yield buffer;
  }
}

/** An iterable that can be read repeatedly, though nothing shows it. */
function iterable(...chunks: readonly unknown[]): AsyncIterable<unknown> {
  return { [Symbol.asyncIterator]: () => generated(...chunks) };
}

function put(instance: AxiosInstance, { origin }: Lab, data: unknown, more: object): Promise<unknown> {
  return instance.put(origin, data, more);
}

describe('over fetch, an async iterable', () => {
  const bodies: [name: string, make: () => unknown][] = [
    ['a generator of bytes', () => generated(Buffer.from('first,'), Buffer.from('second'))],
    ['a generator of text', () => generated('first,', 'second')],
    ['a generator of nothing', () => generated()],
    ['a generator that fills the same buffer again', () => filled('first,', 'second')],
    ['an object of its own', () => iterable(Buffer.from('first,'), Buffer.from('second'))],
  ];

  test.each(bodies)('is sent as axios alone sends it, again and again: %s', async (_name, make) => {
    const bareLab = await openLab(answer(200));
    await put(openInstance(), bareLab, make(), overFetch);
    const bare = bareLab.requests[0];
    const lab = await openLab([answer(503), rst(), answer(200)]);
    await put(retryingInstance(), lab, make(), overFetch);
    const expected = [
      bare?.headers['content-length'],
      bare?.headers['transfer-encoding'],
      String(bare?.body),
    ];
    expect(
      lab.requests.map(({ headers, body }) => [
        headers['content-length'],
        headers['transfer-encoding'],
        String(body),
      ]),
    ).toEqual(Array(3).fill(expected));
  });

  test('that does not fit is not sent again', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const instance = retryingInstance({ ...soon, bufferBodyBytes: 5 });
    const { error } = await settled(put(instance, lab, generated(Buffer.from('first,')), overFetch));
    expect(reasons(error)).toEqual(['1 body-spent']);
    expect(lab.requests.map(({ body }) => String(body))).toEqual(['first,']);
  });

  test('of ArrayBuffers is sent again', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    await put(retryingInstance(), lab, generated(new TextEncoder().encode('first,').buffer), overFetch);
    expect(lab.requests.map(({ body }) => String(body))).toEqual(['first,', 'first,']);
  });

  test('is the one that the caller gets back', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const data = generated(Buffer.from('first,'));
    const response = await retryingInstance().put(lab.origin, data, overFetch);
    expect(response.config.data).toBe(data);
  });

  test('is closed when the request fails before its end', async () => {
    let isClosed = false;
    async function* endless(): AsyncGenerator<Buffer> {
      try {
        for (;;) {
          yield Buffer.alloc(10_000);
          await setImmediate();
        }
      } finally {
        isClosed = true;
      }
    }
    const lab = await openLab(rst('head'));
    const instance = retryingInstance({ ...soon, maxRetries: 1 });
    await settled(put(instance, lab, endless(), overFetch));
    expect(await comesTrue(() => isClosed)).toBe(true);
  });
});

test('over fetch, a web stream that was read in part is rejected as without us: its rest is not the body', async () => {
  const lab = await openLab(answer(200));
  for (const instance of [openInstance(), retryingInstance()]) {
    const stream = new Blob(['first,']).stream();
    const reader = stream.getReader();
    await reader.read();
    reader.releaseLock();
    const { error } = await settled(put(instance, lab, stream, { adapter: 'fetch' }));
    expect(String(error)).toMatch(/disturbed or locked/);
  }
  expect(lab.requests).toEqual([]);
});

test('http rejects it, as without us', async () => {
  const lab = await openLab(answer(200));
  const bare = await settled(put(openInstance(), lab, generated('a'), { adapter: 'http', ...untouched }));
  const ours = await settled(put(retryingInstance(), lab, generated('a'), { adapter: 'http', ...untouched }));
  expect(String(ours.error)).toBe(String(bare.error));
  expect(lab.connections).toBe(0);
});

describe('what an adapter of the caller reads', () => {
  /** Reads all of it, and fails. */
  function reading(read: unknown[][]): AxiosAdapter {
    return async ({ data }) => {
      read.push([...(data as Iterable<unknown>)]);
      throw Object.assign(new Error('cut off'), { code: 'ECONNRESET' });
    };
  }

  async function readOf(data: unknown): Promise<{ read: unknown[][]; error: unknown }> {
    const read: unknown[][] = [];
    const instance = retryingInstance({ ...soon, maxRetries: 1 }, { adapter: reading(read), ...untouched });
    const { error } = await settled(instance.put('http://a.example/', data));
    return { read, error };
  }

  const once: [name: string, make: () => Iterable<unknown>][] = [
    ['a generator', () => ['a', 'b'].values()],
    ['an object of its own', () => ({ [Symbol.iterator]: () => ['a', 'b'].values() })],
  ];

  test.each(once)('%s is read once, and not sent again', async (_name, make) => {
    const { read, error } = await readOf(make());
    expect(read).toEqual([['a', 'b']]);
    expect(reasons(error)).toEqual(['1 body-spent']);
  });

  const form = new FormData();
  form.append('a', '1');
  const often: [name: string, data: Iterable<unknown>][] = [
    ['an array', ['a', 'b']],
    ['a Set', new Set(['a', 'b'])],
    ['a Map', new Map([['a', 'b']])],
    ['bytes', new Uint8Array([1, 2])],
    ['a Buffer', Buffer.from('ab')],
    ['URLSearchParams', new URLSearchParams({ a: '1' })],
    ['FormData', form],
    ['a String', Object('ab')],
  ];

  test.each(often)('%s can be sent again', async (_name, data) => {
    const { read, error } = await readOf(data);
    expect(read).toEqual(Array(2).fill([...data]));
    expect(reasons(error)?.at(-1)).toBe('2 retries-spent');
  });
});
