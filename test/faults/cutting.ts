/**
 * A server that sends every second answer only up to a random byte of its body, which may be in the size of a chunk or
 * between chunks, and closes or resets the connection there.
 */

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

const text = JSON.stringify({ items: Array.from({ length: 150 }, (_, id) => ({ id, name: `item ${id}` })) });
const packed = gzipSync(text);

/** The whole body, as a caller may get it: unpacked by its client, or as it was sent. */
export const wholeTexts: readonly string[] = [text, packed.toString('latin1')];

/** Pages of other origins may read it. */
const type = 'content-type: application/json\r\naccess-control-allow-origin: *\r\n';

export interface Framed {
  readonly name: string;
  readonly head: string;
  readonly body: Buffer;
}

/** The same text in every framing of HTTP/1.1 that says where it ends. */
export const framings: readonly Framed[] = [
  ...framedAs('', Buffer.from(text)),
  ...framedAs('packed, ', packed, 'content-encoding: gzip\r\n'),
];

function framedAs(kind: string, body: Buffer, more = ''): Framed[] {
  const head = `HTTP/1.1 200 OK\r\n${type}${more}`;
  return [
    { name: `${kind}with a length`, head: `${head}content-length: ${body.length}\r\n\r\n`, body },
    { name: `${kind}in chunks`, head: `${head}transfer-encoding: chunked\r\n\r\n`, body: chunked(body) },
  ];
}

function chunked(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += 700) {
    const part = body.subarray(at, at + 700);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

/** The bodies as streams of HTTP/2, whose frames say where they end. */
export const streamed: readonly { readonly name: string; readonly headers: object; readonly body: Buffer }[] =
  [
    { name: 'plain', headers: {}, body: Buffer.from(text) },
    { name: 'packed', headers: { 'content-encoding': 'gzip' }, body: packed },
  ].flatMap(({ name, headers, body }) => [
    { name: `${name}, with a length`, headers: { ...headers, 'content-length': String(body.length) }, body },
    { name: `${name}, without one`, headers, body },
  ]);

/** How much of a body is sent: never all of it. The same seed gives the same lengths. */
export function cutsOf(body: Buffer, seed: number): () => Buffer {
  const random = dice(seed);
  return () => body.subarray(0, Math.floor(random() * (body.length - 1)));
}

/** Numbers from 0 up to 1. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

export interface CuttingServer extends AsyncDisposable {
  readonly url: string;
  /** How many answers it has begun. */
  readonly answers: number;
}

export async function startCutting({ head, body }: Framed): Promise<CuttingServer> {
  const takeCut = cutsOf(body, body.length);
  const random = dice(body.length + 1);
  const sockets = new Set<Socket>();
  let answers = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.on('data', () => {
      answers += 1;
      if (answers % 2 === 0) {
        socket.write(Buffer.concat([Buffer.from(head), body]));
        return;
      }
      const isReset = random() < 0.3;
      socket.write(Buffer.concat([Buffer.from(head), takeCut()]), () => {
        if (isReset) setTimeout(() => socket.resetAndDestroy(), 2);
        else socket.end();
      });
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    get answers() {
      return answers;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    },
  };
}
