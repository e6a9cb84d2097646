/**
 * A body that can be read only once: every attempt that reads to the end gets all of it, wherever earlier ones stopped.
 */

import { PassThrough, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeptBody } from '../../../src/drivers/body/kept-body.js';
import { KeptBytes } from '../../../src/drivers/body/kept-bytes.js';
import { streamFrom } from '../../../src/drivers/body/kept-stream.js';

type Make = (chunks: readonly Buffer[]) => object;

async function* later(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) {
    await setImmediate();
    yield chunk;
  }
}

const sources: [name: string, make: Make][] = [
  ['an async generator', later],
  ['an array', (chunks) => chunks],
  ['a stream of bytes', (chunks) => Readable.from(later(chunks), { objectMode: false })],
  ['a stream of objects', (chunks) => Readable.from(chunks)],
  [
    'a stream that has ended',
    (chunks) => {
      const through = new PassThrough();
      for (const chunk of chunks) through.write(chunk);
      return through.end();
    },
  ],
];

/** Reads up to this many chunks. */
async function attempt(body: KeptBody, mostChunks = Infinity): Promise<Buffer> {
  const read: Buffer[] = [];
  if (mostChunks === 0) {
    streamFrom(body, Readable, false);
    return Buffer.alloc(0);
  }
  for await (const chunk of streamFrom(body, Readable, false)) {
    read.push(Buffer.from(chunk as Uint8Array));
    if (read.length >= mostChunks) break;
  }
  return Buffer.concat(read);
}

const chunksOf = fc.array(
  fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  { maxLength: 12 },
);

describe.each(sources)('%s', (_name, make) => {
  test('is whole in each attempt, after any others', async () => {
    const tries = fc.array(fc.nat(8), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(chunksOf, tries, async (chunks, leaves) => {
        const whole = Buffer.concat(chunks);
        const body = new KeptBody(make(chunks), 1_000);
        for (const most of leaves) {
          const part = await attempt(body, most);
          expect(part.equals(whole.subarray(0, part.length))).toBe(true);
        }
        expect(body.isReplayable).toBe(true);
        expect(await attempt(body)).toEqual(whole);
        expect(await attempt(body)).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });

  test('cannot be replayed beyond the limit, and never begins in the middle', async () => {
    const chunks = Array.from({ length: 8 }, (_, index) => Buffer.alloc(20, index));
    const body = new KeptBody(make(chunks), 100);
    const whole = await attempt(body);
    expect(whole).toEqual(Buffer.concat(chunks));
    if (body.isReplayable) expect(await attempt(body)).toEqual(whole);
    else await expect(attempt(body)).rejects.toMatchObject({ code: 'ERR_BODY_SPENT' });
  });

  test('is not read before an attempt asks for it', async () => {
    const body = new KeptBody(make([Buffer.from('abc')]), 100);
    streamFrom(body, Readable, false);
    await setImmediate();
    expect(body.isBegun).toBe(false);
  });
});

test('chunks are copied, since a source may fill the same buffer again', async () => {
  const same = Buffer.alloc(1);
  const body = new KeptBody(
    (async function* () {
      for (const letter of 'abc') {
        same.write(letter);
        yield same;
      }
    })(),
    100,
  );
  expect((await attempt(body)).toString()).toBe('abc');
  expect((await attempt(body)).toString()).toBe('abc');
});

test('many small chunks cost no more per chunk than a few: there is more room than they need', () => {
  const kept = new KeptBytes();
  const rooms = new Set<ArrayBufferLike>();
  for (let count = 0; count < 5_000; count += 1) {
    expect(kept.add(new Uint8Array(100), 1_000_000)).toBe(true);
    rooms.add(kept.bytes.buffer);
  }
  expect(kept.bytes).toHaveLength(500_000);
  // What was there is copied into each of them, and each is twice as large.
  expect(rooms.size).toBeLessThanOrEqual(10);
});

test.each([
  ['with an error', new Error('gone')],
  ['without one', undefined],
])('a stream that closes before its end fails the attempt, %s', async (_name, error) => {
  const source = new PassThrough();
  source.write('half');
  const body = new KeptBody(source, 100);
  const stream = streamFrom(body, Readable, false);
  const events: unknown[] = [];
  for (const event of ['end', 'error', 'close']) stream.on(event, (given) => events.push([event, given]));
  stream.resume();
  await setImmediate();
  source.destroy(error);
  await setImmediate();
  await setImmediate();
  expect(events).toEqual([...(error === undefined ? [] : [['error', error]]), ['close', undefined]]);
  expect(body.isReplayable).toBe(false);
});

test('a value that is not a chunk is an error, and not the end', async () => {
  const body = new KeptBody([Buffer.from('a'), null, Buffer.from('b')], 100);
  await expect(attempt(body)).rejects.toBeInstanceOf(TypeError);
});
