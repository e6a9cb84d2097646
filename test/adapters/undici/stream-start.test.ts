/** What undici's callers hear of a stream that was waited for: the same callbacks, in the same order, and at their pace. */

import { Writable } from 'node:stream';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { type AnswerStep, cutChunked } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, soon } from '../kit.js';
import { begun, bye, ended, errorOf, eventStream, hello, ping, stream, streamOf } from '../suites/streams.js';
import { undici } from './client.js';
import { littleBytes, openAgent, retryingAgent, toldAfterAbortAtHead, whileAnotherReads } from './kit.js';
import { record } from './recorder.js';

const start: PolicyOptions = { ...soon, hints: 'anthropic', streamStart: {} };
const good = ended(begun, ping, hello, bye);
const all = begun + ping + hello + bye;
const failed = ended(begun, errorOf('overloaded_error'));

test('one head, the bytes in order, and the trailers', async () => {
  const lab = await openLab([failed, stream(begun, hello, { do: 'end', trailers: { 'x-sum': '3' } })]);
  const recorder = await record(retryingAgent(start), { origin: lab.origin }).end();
  expect(recorder).toMatchObject({ starts: 1, ends: 1, errors: [] });
  expect(recorder.heads).toHaveLength(1);
  expect(recorder.bytes.toString()).toBe(begun + hello);
  expect(recorder.trailers).toMatchObject([{ 'x-sum': '3' }]);
  expect(lab.requests).toHaveLength(2);
});

test('after a POST without a key, the caller gets the stream, which then breaks off', async () => {
  const lab = await openLab([cutChunked('fin', begun, eventStream)]);
  const options = { origin: lab.origin, method: 'POST', body: 'x' } as const;
  const recorder = await record(retryingAgent(start), options).end();
  expect(recorder.bytes.toString()).toBe(`${begun}half`);
  expect(recorder.errors).toMatchObject([{ code: 'UND_ERR_SOCKET' }]);
  expect(lab.requests).toHaveLength(1);
});

// ---------------------------------------------------------------- without a connection: what is told in which turn

interface Given {
  onConnect(abort: () => void): void;
  onHeaders(status: number, headers: readonly Buffer[], resume: () => void): boolean;
  onData(chunk: Buffer): boolean;
  onComplete(trailers: readonly Buffer[]): void;
}

const rawType = ['content-type', 'text/event-stream'].map((text) => Buffer.from(text));

/** Sends through a dispatcher that answers when the test says so, and lists what the caller's handler is told. */
function played(onHead: (controller: { pause(): void; resume(): void }) => void = () => undefined) {
  const told: string[] = [];
  let given: Given | undefined;
  let resumed = 0;
  const time = new HandTime();
  const dispatch = retry(createRetrier(start, time.ports))(((_options: unknown, handler: Given) => {
    given = handler;
    return true;
  }) as never);
  const handler = {
    onRequestStart: () => undefined,
    onResponseStart: (controller: { pause(): void; resume(): void }, status: number) => {
      told.push(`head ${status}`);
      onHead(controller);
    },
    onResponseData: (_controller: unknown, chunk: Buffer) => void told.push(String(chunk)),
    onResponseEnd: () => void told.push('end'),
    onResponseError: (_controller: unknown, error: unknown) => void told.push(String(error)),
  };
  dispatch({ origin: 'http://127.0.0.1', path: '/', method: 'GET' }, handler as never);
  const server = given as unknown as Given;
  server.onConnect(() => undefined);
  server.onHeaders(200, rawType, () => {
    resumed += 1;
  });
  return { told, time, server, resumed: () => resumed };
}

test('the content is handed over in the turn in which it comes, with all that came before', () => {
  const { told, time, server } = played();
  server.onData(Buffer.from(begun));
  server.onData(Buffer.from(hello.slice(0, 20)));
  expect(told).toEqual([]);
  server.onData(Buffer.from(hello.slice(20)));
  expect(told).toEqual(['head 200', begun, hello.slice(0, 20), hello.slice(20)]);
  expect(time.pending).toEqual([]);
  server.onData(Buffer.from(bye));
  server.onComplete([]);
  expect(told.slice(4)).toEqual([bye, 'end']);
});

test('a caller that pauses at the head gets the rest once it resumes, and the connection is paused', () => {
  let pausedController: { resume(): void } | undefined;
  const { told, server } = played((controller) => {
    controller.pause();
    pausedController = controller;
  });
  expect(server.onData(Buffer.from(begun))).toBe(true);
  expect(server.onData(Buffer.from(hello))).toBe(false);
  expect(told).toEqual(['head 200']);
  pausedController?.resume();
  expect(told).toEqual(['head 200', begun, hello]);
});

test.each<[string, (bytes: Buffer) => Buffer]>([
  ['gzip', (bytes) => gzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH })],
  ['deflate', (bytes) => deflateSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH })],
  ['br', (bytes) => brotliCompressSync(bytes)],
])(
  'a stream that is packed with %s is unpacked to be looked at, and handed over as it came',
  async (coding, pack) => {
    const packed = (text: string): string => pack(Buffer.from(text)).toString('latin1');
    const headers = { ...eventStream, 'content-encoding': coding };
    const end: AnswerStep = { do: 'end' };
    const lab = await openLab([
      streamOf(headers, packed(begun + errorOf('overloaded_error')), end),
      streamOf(headers, packed(begun + hello), end),
    ]);
    const recorder = await record(retryingAgent(start), { origin: lab.origin }).end();
    expect(recorder.bytes.toString('latin1')).toBe(packed(begun + hello));
    expect(lab.requests).toHaveLength(2);
  },
);

test('one that is packed in an unknown way is handed over as it came', async () => {
  const headers = { ...eventStream, 'content-encoding': 'rot13' };
  const lab = await openLab([streamOf(headers, errorOf('overloaded_error'), { do: 'end' })]);
  const recorder = await record(retryingAgent(start), { origin: lab.origin }).end();
  expect(recorder.bytes.toString()).toBe(errorOf('overloaded_error'));
  expect(lab.requests).toHaveLength(1);
});

describe('through every method', () => {
  async function collected(body: AsyncIterable<Uint8Array>): Promise<string> {
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }

  test.each<[string, (dispatcher: ReturnType<typeof retryingAgent>, origin: string) => Promise<string>]>([
    ['request', async (dispatcher, origin) => collected((await undici.request(origin, { dispatcher })).body)],
    [
      'stream',
      async (dispatcher, origin) => {
        const pieces: Buffer[] = [];
        const into = new Writable({ write: (piece, _encoding, done) => done(void pieces.push(piece)) });
        await dispatcher.stream({ origin, path: '/', method: 'GET' }, () => into);
        return Buffer.concat(pieces).toString();
      },
    ],
    [
      'pipeline',
      (dispatcher, origin) => {
        const sent = dispatcher.pipeline({ origin, path: '/', method: 'GET' }, ({ body }) => body);
        sent.end();
        return collected(sent);
      },
    ],
    [
      'fetch',
      async (dispatcher, origin) => (await undici.fetch(origin, { dispatcher: dispatcher as never })).text(),
    ],
  ])('%s', async (_name, read) => {
    const lab = await openLab([failed, cutChunked('fin', begun, eventStream), ended(), good]);
    expect(await read(retryingAgent(start), lab.origin)).toBe(all);
    expect(lab.requests).toHaveLength(4);
  });
});

test('after its start, a stream is read as slowly as its reader wants, and ends with it', async () => {
  const lab = await openLab(stream(begun, hello, { do: 'fill', bytes: 'endless' }));
  const { body } = await undici.request(lab.origin, { dispatcher: retryingAgent(start) });
  await whileAnotherReads();
  expect(lab.bytesSent).toBeLessThan(littleBytes);
  let read = 0;
  for await (const piece of body) {
    read += (piece as Buffer).length;
    if (read > 2_000_000) break;
  }
  await lab.until(({ openSockets }) => openSockets === 0);
});

test('a stream that was handed over is resumed where it breaks off', async () => {
  const etag = '"v1"';
  const text = begun + hello + 'x'.repeat(1_000);
  const head = { ...eventStream, 'accept-ranges': 'bytes', etag };
  const lab = await openLab([
    {
      steps: [
        { do: 'head', status: 200, headers: { ...head, 'content-length': String(text.length) } },
        { do: 'body', text: text.slice(0, 300) },
        { do: 'fin' },
      ],
    },
    {
      steps: [
        {
          do: 'head',
          status: 206,
          headers: {
            ...head,
            'content-length': String(text.length - 300),
            'content-range': `bytes 300-${text.length - 1}/${text.length}`,
          },
        },
        { do: 'body', text: text.slice(300) },
        { do: 'end' },
      ],
    },
  ]);
  const recorder = await record(retryingAgent(start), { origin: lab.origin }).end();
  expect(recorder.errors).toEqual([]);
  expect(recorder.bytes.toString()).toBe(text);
});

test('a caller that aborts at the head hears of nothing else than its abort', async () => {
  const lab = await openLab([good]);
  const told = await toldAfterAbortAtHead(openAgent().compose(retry(start)), lab.origin);
  expect(told).toEqual(['head', 'Error: enough']);
});
