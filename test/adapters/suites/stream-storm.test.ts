/** Every fifth stream fails before its content: none of these failures reaches the caller, no byte twice, and none is lost. */

import { createServer, type Socket } from 'node:net';
import { constants, deflateSync, inflateSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import type { Answer, AnswerStep } from '../../faults/lab.js';
import { soon } from '../kit.js';
import { begun, bye, errorOf, hello, ping, said, stream } from './streams.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

const policy: PolicyOptions = { ...soon, maxRetries: 9, budget: false, hints: 'anthropic', streamStart: {} };
const requests = Number(process.env['STREAMS'] ?? 100);

/** Numbers from 0 up to 1, always the same. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

type End = 'end' | 'fin' | 'rst';

interface Sent {
  readonly text: string;
  readonly end: End;
}

/** The stream that belongs to a path. */
function wholeOf(path: string): string {
  const words = Array.from({ length: 1 + (Number(path.slice(1)) % 4) }, (_, n) =>
    said({ type: 'content_block_delta', delta: { type: 'text_delta', text: `Grüße ${path} ${n}` } }),
  );
  return [begun, ping, ...words, hello, bye].join('');
}

function sentFor(path: string, random: () => number): Sent {
  if (random() >= 0.2) return { text: wholeOf(path), end: 'end' };
  const failures: readonly Sent[] = [
    { text: begun + ping + errorOf('overloaded_error'), end: 'end' },
    { text: errorOf('api_error'), end: 'end' },
    { text: '', end: 'end' },
    { text: begun, end: 'end' },
    { text: begun, end: 'fin' },
    { text: begun, end: 'rst' },
    { text: begun.slice(0, Math.floor(random() * begun.length)), end: 'fin' },
  ];
  return failures[Math.floor(random() * failures.length)] as Sent;
}

/** Cuts the bytes anywhere, also within a character. */
function cutUp(bytes: Buffer, random: () => number): readonly Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + Math.floor(random() * 80);
    parts.push(bytes.subarray(at, at + length));
    at += length;
  }
  return parts;
}

async function openStorm(isPacked: boolean): Promise<string> {
  const random = dice(isPacked ? 11 : 3);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', async (request) => {
      const { text, end } = sentFor(/ (\/\d+) /.exec(String(request))?.[1] ?? '', random);
      const bytes = isPacked ? packed(text, end) : Buffer.from(text);
      const coding = isPacked ? 'content-encoding: deflate\r\n' : '';
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n${coding}transfer-encoding: chunked\r\n\r\n`,
      );
      for (const part of cutUp(bytes, random)) {
        socket.write(
          Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
        );
        if (random() < 0.1) await new Promise(setImmediate);
      }
      if (end === 'end') socket.write('0\r\n\r\n');
      else if (end === 'fin') socket.end();
      else setTimeout(() => socket.resetAndDestroy(), 2);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

function packed(text: string, end: End): Buffer {
  const finishFlush = end === 'end' ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
  return deflateSync(text, { finishFlush });
}

/** What the callers got that is not the stream of their path. */
async function lost(send: (path: string) => Promise<string>): Promise<readonly string[]> {
  const wrong: string[] = [];
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < requests) {
      const path = `/${next++}`;
      const text = await send(path).catch(String);
      if (text !== wholeOf(path) && utf8(text) !== wholeOf(path)) wrong.push(`${path}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: 5 }, run));
  return wrong;
}

const ways = (subject.startsStreams ? subject.ways : []).map((way) => ({
  ...way,
  client: way.streaming ?? way.client,
}));

test.skipIf(subject.startsStreams)('streams are handed over at once', () => undefined);

describe.each(ways)('over $name', ({ client, packedBodies }) => {
  test('nothing is lost', async () => {
    const [origin, send] = [await openStorm(false), client(policy)];
    expect(await lost(async (path) => (await send(origin + path)).text)).toEqual([]);
  });

  test.skipIf(packedBodies === 'broken')('nothing is lost of packed streams', async () => {
    const [origin, send] = [await openStorm(true), client(policy)];
    const read = async (path: string): Promise<string> => {
      const { text } = await send(origin + path);
      return packedBodies === 'kept' ? unpacked(text) : text;
    };
    expect(await lost(read)).toEqual([]);
  });
});

/** Most clients are asked for one letter for each byte. */
function utf8(text: string): string {
  return Buffer.from(text, 'latin1').toString();
}

function unpacked(text: string): string {
  return inflateSync(Buffer.from(text, 'latin1')).toString();
}

describe.each(subject.startsStreams ? subject.overH2 : [])('over $name', (way) => {
  test('nothing is lost', async () => {
    const random = dice(5);
    const lab = await way.open(({ path }) => playOf(sentFor(path, random)));
    const send = (way.streaming ?? way.client)(policy);
    expect(await lost(async (path) => (await send(lab.origin + path)).text)).toEqual([]);
  });
});

/** Over HTTP/2, a connection that ends is a stream that is reset. */
function playOf({ text, end }: Sent): Answer {
  const reset = { do: 'rst-stream', code: 2 } as unknown as AnswerStep;
  return stream(Buffer.from(text).toString('latin1'), end === 'end' ? { do: 'end' } : reset);
}
