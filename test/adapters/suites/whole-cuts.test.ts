/** Every second connection is cut at a random byte of the body: none of these cuts reaches the caller. */

import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import type { Answer } from '../../faults/lab.js';
import { soon } from '../kit.js';
import { theSubject, type Way } from './subject.js';

const subject = await theSubject();

const policy: PolicyOptions = { ...soon, wholeBodyBytes: 65_536, budget: false };
const text = JSON.stringify({ items: Array.from({ length: 150 }, (_, id) => ({ id, name: `item ${id}` })) });
const packed = gzipSync(text);

/** Numbers from 0 up to 1, always the same. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const type = 'content-type: application/json\r\n';

function chunked(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += 700) {
    const part = body.subarray(at, at + 700);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

interface Framed {
  readonly head: string;
  readonly body: Buffer;
}

function framings(body: Buffer, more = ''): readonly Framed[] {
  const head = `HTTP/1.1 200 OK\r\n${type}${more}`;
  return [
    { head: `${head}content-length: ${body.length}\r\n\r\n`, body },
    { head: `${head}transfer-encoding: chunked\r\n\r\n`, body: chunked(body) },
  ];
}

/** Sends every second answer up to a random byte, and closes or resets the connection there. */
async function openCutting({ head, body }: Framed, seed: number): Promise<string> {
  const random = dice(seed);
  const sockets = new Set<Socket>();
  let answers = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => {
      answers += 1;
      if (answers % 2 === 0) {
        socket.write(Buffer.concat([Buffer.from(head), body]));
        return;
      }
      const sent = body.subarray(0, Math.floor(random() * (body.length - 1)));
      const isReset = random() < 0.3;
      socket.write(Buffer.concat([Buffer.from(head), sent]), () => {
        if (isReset) setTimeout(() => socket.resetAndDestroy(), 2);
        else socket.end();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
}

/** As the caller may get it: unpacked by its client, or as it was sent. */
const expected = [text, packed.toString('latin1')];

const all: readonly (readonly [string, Framed])[] = [
  ...framings(Buffer.from(text)).map(
    (framed, n) => [['with a length', 'in chunks'][n] as string, framed] as const,
  ),
  ...framings(packed, 'content-encoding: gzip\r\n').map(
    (framed, n) => [['packed, with a length', 'packed, in chunks'][n] as string, framed] as const,
  ),
];

/** The plain way is asked a thousand times, so that a cut falls on every part of the framing. */
const requestsOver = ({ name }: Way): number => (name === subject.ways[0].name ? 1_000 / all.length : 60);

describe.each(subject.ways)('over $name', (way) => {
  test.each(all.filter(([name]) => way.packedBodies !== 'broken' || !name.startsWith('packed')))(
    '%s: nothing is lost, and every byte is there',
    async (_framing, framed) => {
      const origin = await openCutting(framed, framed.body.length);
      const send = way.client(policy);
      const texts: string[] = [];
      for (let request = 0; request < requestsOver(way); request += 1) texts.push((await send(origin)).text);
      expect(texts.filter((one) => !expected.includes(one))).toEqual([]);
    },
  );
});

describe.each(subject.overH2)('over $name', (way) => {
  const kinds = [
    ['plain', Buffer.from(text), {}],
    ['packed', packed, { 'content-encoding': 'gzip' }],
  ] as const;
  const framed = kinds.flatMap(([name, body, coding]) => [
    [`${name}, with a length`, body, { ...coding, 'content-length': String(body.length) }] as const,
    [`${name}, without one`, body, coding] as const,
  ]);

  test.each(framed)('a stream that is reset: %s', async (_framing, body, headers) => {
    const random = dice(7);
    let answers = 0;
    const lab = await way.open(() => {
      answers += 1;
      const head = { do: 'head', status: 200, headers: { 'content-type': 'application/json', ...headers } };
      const isWhole = answers % 2 === 0;
      const sent = isWhole ? body : body.subarray(0, Math.floor(random() * (body.length - 1)));
      const end = isWhole ? { do: 'end' } : { do: 'rst-stream', code: 2 };
      return { steps: [head, { do: 'body', text: sent.toString('latin1') }, end] } as unknown as Answer;
    });
    const send = way.client(policy);
    const texts: string[] = [];
    for (let request = 0; request < 100; request += 1) texts.push((await send(lab.origin)).text);
    expect(texts.filter((one) => !expected.includes(one))).toEqual([]);
    expect(answers).toBe(200);
  });
});
