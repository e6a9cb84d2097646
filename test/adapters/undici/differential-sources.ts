/** Bodies of every kind, and what becomes of those that have a life of their own. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { fillLater, oneRead, watch } from '../uploads.js';
import { undici } from './client.js';

export type SourceKind =
  | 'none'
  | 'string'
  | 'Buffer'
  | 'typed array'
  | 'ArrayBuffer'
  | 'Blob'
  | 'FormData'
  | 'URLSearchParams'
  | 'stream of one read'
  | 'stream that has ended'
  | 'stream without a byte'
  | 'stream with autoDestroy off'
  | 'stream of objects'
  | 'stream of text'
  | 'PassThrough filled in the same tick'
  | 'PassThrough filled later'
  | 'incoming message'
  | 'async generator'
  | 'generator'
  | 'web stream'
  | 'half a stream'
  | 'half an incoming message'
  | 'half a generator';

export interface Source {
  readonly body: unknown;
  /** When it is one, and what it was seen to do. */
  readonly stream?: Readable;
  readonly events: readonly string[];
  /** In the same tick in which the request was made, and later. */
  readonly fill?: (into: { write(text: string): unknown; end(text?: string): unknown }) => void;
  /** Of an incoming message: answers it, and tells what its own client got. */
  readonly answered?: () => Promise<string>;
}

const text = 'abc';

export async function sourceOf(kind: SourceKind): Promise<Source> {
  if (kind === 'incoming message') return incoming(true);
  if (kind === 'half an incoming message') return incoming(false);
  const body = makers[kind]();
  const watched = body instanceof Readable ? watch(body) : { events: [] };
  const fill = fillers[kind];
  return { body, ...watched, ...(fill !== undefined && { fill }) };
}

const makers: Readonly<
  Record<Exclude<SourceKind, 'incoming message' | 'half an incoming message'>, () => unknown>
> = {
  none: () => undefined,
  string: () => text,
  Buffer: () => Buffer.from(text),
  'typed array': () => new Uint8Array(Buffer.from(text)),
  ArrayBuffer: () => new Uint8Array(Buffer.from(text)).buffer,
  Blob: () => new Blob([text], { type: 'text/plain' }),
  FormData: () => {
    const form = new undici.FormData();
    form.append('a', text);
    return form;
  },
  URLSearchParams: () => new URLSearchParams({ a: text }),
  'stream of one read': () => oneRead(text),
  'stream that has ended': () => new PassThrough().end(text),
  'stream without a byte': () => new PassThrough().end(),
  'stream with autoDestroy off': () => oneRead(text, { autoDestroy: false }),
  'stream of objects': () => Readable.from(['a', 'bc']),
  'stream of text': () => oneRead(text).setEncoding('utf8'),
  'PassThrough filled in the same tick': () => new PassThrough(),
  'PassThrough filled later': () => new PassThrough(),
  'async generator': async function* () {
    yield 'a';
    yield Buffer.from('bc');
  },
  generator: function* () {
    yield 'a';
    yield Buffer.from('bc');
  },
  'web stream': () =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(text));
        controller.close();
      },
    }),
  'half a stream': () => {
    const stream = new Readable({ read: () => undefined });
    stream.push(text);
    return stream;
  },
  'half a generator': async function* () {
    yield text;
    await new Promise(() => undefined);
  },
};

/** For streams that are filled by their caller, those of pipeline() too. */
const fillers: { readonly [Kind in SourceKind]?: NonNullable<Source['fill']> } = {
  'PassThrough filled in the same tick': (into) => into.end(text),
  'PassThrough filled later': (into) => void fillLater(into),
};

/** A gateway's: what came from a client of its own, who waits for an answer. */
async function incoming(isWhole: boolean): Promise<Source> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = request({ port, host: '127.0.0.1', method: 'PUT', headers: { connection: 'close' } });
  const got = new Promise<string>((resolve) => {
    client.on('error', (error) => resolve(String((error as NodeJS.ErrnoException).code)));
    client.on('response', (response) => {
      response.setEncoding('utf8');
      let content = '';
      response.on('data', (piece) => {
        content += piece;
      });
      response.on('error', () => undefined);
      response.on('close', () => resolve(`${response.statusCode} ${content}`));
    });
  });
  client.write(text);
  if (isWhole) client.end();
  const [req, res] = (await once(server, 'request')) as [
    IncomingMessage,
    { writeHead(status: number): { end(text: string): void } },
  ];
  const answered = async (): Promise<string> => {
    res.writeHead(502).end('told');
    const seen = await got;
    client.destroy();
    server.closeAllConnections();
    server.close();
    return seen;
  };
  return { body: req, ...watch(req), answered };
}
