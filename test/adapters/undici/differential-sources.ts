/** Bodies of every kind, and what happens to the streams among them. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { fillers, makers as generalMakers, type Sink, text } from '../differential/sources.js';
import { watch } from '../uploads.js';
import { undici } from './client.js';

export type SourceKind = keyof typeof makers | 'incoming message' | 'half an incoming message';

export interface Source {
  readonly body: unknown;
  /** The stream, if the body is one, and the events it emitted. */
  readonly stream?: Readable;
  readonly events: readonly string[];
  /** Writes to the body, in the tick in which the request was made or later; also for pipeline(). */
  readonly fill?: (into: Sink) => void;
  /** For an incoming message: answers it, and returns what its own client got. */
  readonly answered?: () => Promise<string>;
}

export async function sourceOf(kind: SourceKind): Promise<Source> {
  if (kind === 'incoming message') return incoming(true);
  if (kind === 'half an incoming message') return incoming(false);
  const body: unknown = makers[kind]();
  const watched = body instanceof Readable ? watch(body) : { events: [] };
  const fill = fillers[kind];
  return { body, ...watched, ...(fill !== undefined && { fill }) };
}

const makers = {
  ...generalMakers,
  FormData: () => {
    const form = new undici.FormData();
    form.append('a', text);
    return form;
  },
  'stream of objects': () => Readable.from(['a', 'bc']),
  'async generator': async function* () {
    yield 'a';
    yield Buffer.from('bc');
  },
  generator: function* () {
    yield 'a';
    yield Buffer.from('bc');
  },
  'half a generator': async function* () {
    yield text;
    await new Promise(() => undefined);
  },
};

/** A gateway's source: a message from a client that waits for an answer. */
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
