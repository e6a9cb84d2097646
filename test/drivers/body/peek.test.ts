/** A look at the beginning of a Node stream leaves it as if nothing had looked. */

import { once } from 'node:events';
import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { isPeekable, Peek, type Peeked } from '../../../src/drivers/body/peek.js';

/** Looks at a stream until this has come, and leaves it. */
function look(stream: Readable, until: string): Promise<Peeked> {
  if (!isPeekable(stream)) throw new Error('It cannot be looked at');
  let text = '';
  const peek = new Peek(stream, (bytes) => {
    text += Buffer.from(bytes).toString();
    return text.includes(until);
  });
  return new Promise((resolve) => {
    peek.start((peeked) => {
      peek.release();
      resolve(peeked);
    });
  });
}

async function textOf(stream: Readable): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

test('every byte stays in it, and it is unread', async () => {
  const stream = new Readable({ read: () => undefined });
  stream.push('a');
  const looked = look(stream, 'c');
  stream.push('b');
  await new Promise(setImmediate);
  stream.push('cd');
  expect(await looked).toBe('enough');
  expect(Readable.isDisturbed(stream)).toBe(false);
  expect(stream.readableFlowing).toBe(null);
  stream.push('e');
  stream.push(null);
  expect(await textOf(stream)).toBe('abcde');
});

test('a stream that is full is read on, and gets its bytes back', async () => {
  const parts = Array.from({ length: 9 }, (_, n) => String(n).repeat(6));
  const left = [...parts, 'end'];
  const stream = new Readable({ highWaterMark: 10, read: () => stream.push(left.shift() ?? null) });
  expect(await look(stream, 'end')).toBe('enough');
  expect(await textOf(stream)).toBe(`${parts.join('')}end`);
});

test('one that ends has its end before it, and one that breaks off breaks off for its reader', async () => {
  const ending = Readable.from([Buffer.from('a')], { objectMode: false });
  expect(await look(ending, 'b')).toBe('ended');
  expect(await textOf(ending)).toBe('a');
  const error = new Error('broken');
  const breaking = new Readable({ read: () => undefined });
  breaking.push('a');
  const looked = look(breaking, 'b');
  await new Promise(setImmediate);
  breaking.destroy(error);
  expect(await looked).toEqual({ cut: error });
  await expect(textOf(breaking)).rejects.toBe(error);
  expect(Object.hasOwn(breaking, 'destroy')).toBe(false);
});

test('over HTTP/2, one that its server has closed by then is read to its end', async () => {
  const server = createServer();
  server.on('stream', (stream) => stream.end('a'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    session.destroy();
    server.close();
  });
  const stream = session.request({ ':path': '/' });
  stream.end();
  await once(stream, 'response');
  for (let turn = 0; turn < 1_000 && !stream.closed; turn += 1) await new Promise(setImmediate);
  expect(stream.closed).toBe(true);
  expect(await look(stream, 'a')).toBe('enough');
  expect(await textOf(stream)).toBe('a');
  expect(Object.hasOwn(stream, 'closed')).toBe(false);
});
