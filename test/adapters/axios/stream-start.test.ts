/** An event stream that fails before its content is a failed attempt, in every form in which axios hands it over. */

import { PassThrough, Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { AxiosAdapter, AxiosResponse } from 'axios';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import { cutChunked, type Play } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { begun, bye, ended, errorOf, eventStream, hello, ping, stream, streamOf } from '../suites/streams.js';
import { axios } from './client.js';
import { retryingInstance } from './kit.js';

const start: PolicyOptions = { ...soon, hints: 'anthropic', streamStart: {} };
const good = ended(begun, ping, hello, bye);
const all = begun + ping + hello + bye;

const failures: readonly (readonly [string, Play])[] = [
  ['an error event', ended(begun, errorOf('overloaded_error'))],
  ['a cut', cutChunked('fin', begun, eventStream)],
  ['a reset', cutChunked('rst', begun, eventStream)],
  ['nothing at all', ended()],
  ['an end without content', ended(begun, ping)],
];

/** What was read, and the error that ended it. */
async function read({ data }: AxiosResponse): Promise<{ text: string; error: unknown }> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const piece of data as AsyncIterable<Uint8Array>) text += decoder.decode(piece);
    return { text, error: undefined };
  } catch (error) {
    return { text, error };
  }
}

describe.each(['http', 'fetch'])('over %s, as a stream', (adapter) => {
  const asked = { adapter, responseType: 'stream' } as const;

  test.each(failures)('%s is retried', async (_what, play) => {
    const lab = await openLab([play, good]);
    const answer = await retryingInstance(start).get(lab.origin, asked);
    expect(await read(answer)).toEqual({ text: all, error: undefined });
    expect(lab.requests).toHaveLength(2);
  });

  test.each(failures)('%s reaches the caller once retries are spent', async (what, play) => {
    const lab = await openLab([play]);
    const answer = await retryingInstance({ ...start, maxRetries: 1 }).get(lab.origin, asked);
    const { text, error } = await read(answer);
    expect(lab.requests).toHaveLength(2);
    const sent = play.steps.flatMap((step) => (step.do === 'body' ? [step.text] : [])).join('');
    if (what === 'a cut' || what === 'a reset') expect(error).toBeInstanceOf(Error);
    else expect({ text, error }).toEqual({ text: sent, error: undefined });
  });
});

describe.each(['http', 'fetch'])('over %s, as text', (adapter) => {
  test.each(failures)('%s is retried', async (_what, play) => {
    const lab = await openLab([play, good]);
    const { data } = await retryingInstance(start).get(lab.origin, { adapter: adapter as 'http' });
    expect(data).toBe(all);
    expect(lab.requests).toHaveLength(2);
  });
});

describe('through a transform, as axios counts or limits what it reads', () => {
  const asked = { responseType: 'stream', onDownloadProgress: () => undefined } as const;

  test('a cut reaches an iterator as a cut once retries are spent', async () => {
    const lab = await openLab([cutChunked('fin', begun, eventStream)]);
    const answer = await retryingInstance({ ...start, maxRetries: 1 }).get(lab.origin, asked);
    expect((await read(answer)).error).toBeInstanceOf(Error);
    expect(lab.requests).toHaveLength(2);
  });

  test('a beginning that fills the transform is read to its end', async () => {
    const comments = Array.from({ length: 20 }, (_, n) => `: ${String(n % 10).repeat(5_000)}\n\n`);
    const lab = await openLab([ended(...comments, hello, bye)]);
    const answer = await retryingInstance(start).get(lab.origin, asked);
    expect(await read(answer)).toEqual({ text: comments.join('') + hello + bye, error: undefined });
  });
});

test('the stream is as axios made it: unread, not listened to, and its own', async () => {
  const lab = await openLab([cutChunked('fin', begun, eventStream), good]);
  const { data } = await retryingInstance(start).get<Readable>(lab.origin, { responseType: 'stream' });
  expect(Readable.isDisturbed(data)).toBe(false);
  expect(data.readableFlowing).toBe(null);
  expect(Object.hasOwn(data, 'destroy')).toBe(false);
  await new Promise(setImmediate);
  expect(data.listenerCount('readable')).toBe(0);
});

test('a stream that breaks off is heard by listeners as it breaks off', async () => {
  const lab = await openLab([cutChunked('fin', begun, eventStream)]);
  const { data } = await retryingInstance({ ...start, maxRetries: 1 }).get<Readable>(lab.origin, {
    responseType: 'stream',
  });
  const told: string[] = [];
  await new Promise<void>((resolve) => {
    data.on('data', (piece: Buffer) => told.push(String(piece)));
    data.on('end', () => told.push('end'));
    data.on('error', () => told.push('error'));
    data.on('close', () => resolve());
  });
  expect(told.join('')).toBe(`${begun}halferror`);
});

test('an abort while the beginning is waited for', async () => {
  const lab = await openLab([stream(begun, { do: 'stall' })]);
  const abort = new AbortController();
  const asked = retryingInstance(start).get(lab.origin, { responseType: 'stream', signal: abort.signal });
  const ended = settled(asked);
  await lab.until(({ requests }) => requests.length === 1);
  setTimeout(() => abort.abort(), 20);
  expect((await ended).error).toMatchObject({ code: 'ERR_CANCELED' });
  await lab.until(({ openSockets }) => openSockets === 0);
});

test.each(['http', 'fetch'] as const)(
  'a beginning that is longer than a stream buffers, over %s',
  async (adapter) => {
    const comments = Array.from({ length: 12 }, (_, n) => `: ${String(n % 10).repeat(5_000)}\n\n`);
    const lab = await openLab([
      ended(...comments, errorOf('overloaded_error')),
      cutChunked('fin', comments.join(''), eventStream),
      ended(...comments, hello, bye),
    ]);
    const answer = await retryingInstance(start).get(lab.origin, { adapter, responseType: 'stream' });
    expect(await read(answer)).toEqual({ text: comments.join('') + hello + bye, error: undefined });
    expect(lab.requests).toHaveLength(3);
  },
);

test('a stream that is packed, and stays so, is unpacked to be looked at', async () => {
  const packed = (text: string): string => gzipSync(text).toString('latin1');
  const headers = { ...eventStream, 'content-encoding': 'gzip' };
  const lab = await openLab([
    streamOf(headers, packed(errorOf('overloaded_error')), { do: 'end' }),
    streamOf(headers, packed(hello), { do: 'end' }),
  ]);
  const asked = { responseType: 'stream', decompress: false } as const;
  const { data } = await retryingInstance(start).get<Readable>(lab.origin, asked);
  const pieces = await data.toArray();
  expect(gunzipSync(Buffer.concat(pieces)).toString()).toBe(hello);
  expect(lab.requests).toHaveLength(2);
});

test.each(['http', 'fetch'] as const)(
  'after its start, a stream is read as slowly as its reader wants, and ends with it, over %s',
  async (adapter) => {
    const lab = await openLab(stream(begun, hello, { do: 'fill', bytes: 'endless' }));
    const asked = { adapter, responseType: 'stream' } as const;
    const ours = await retryingInstance(start).get<Stream>(lab.origin, asked);
    expect(await stalledAt(lab)).toBeLessThan(littleBytes);
    await ending(ours.data);
    await lab.until(({ openSockets }) => openSockets === 0);
  },
);

/** More than the kernel and a client together buffer for a reader that does not read. */
const littleBytes = 24 * 1_048_576;

type Stream = Readable | ReadableStream<Uint8Array>;

/** How much the server has sent when it can send no more. */
async function stalledAt(lab: { readonly bytesSent: number }): Promise<number> {
  for (let last = -1; last !== lab.bytesSent; ) {
    last = lab.bytesSent;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return lab.bytesSent;
}

async function ending(data: Stream): Promise<void> {
  if (data instanceof ReadableStream) await data.cancel();
  else await new Promise<void>((resolve) => data.on('close', resolve).destroy());
}

test('a Response that the caller reads itself', async () => {
  const lab = await openLab([ended(errorOf('overloaded_error')), good]);
  const asked = { adapter: 'fetch', responseType: 'response' } as never;
  const { data } = await retryingInstance(start).get<Response | string>(lab.origin, asked);
  // axios knows this type since 1.7.3.
  expect(typeof data === 'string' ? data : await data.text()).toBe(all);
  expect(lab.requests).toHaveLength(2);
});

test('a token that is cancelled while the beginning is waited for', async () => {
  const lab = await openLab([stream(begun, { do: 'stall' })]);
  const { token, cancel } = axios.CancelToken.source();
  const ended = settled(
    retryingInstance(start).get(lab.origin, { responseType: 'stream', cancelToken: token }),
  );
  await lab.until(({ bytesSent }) => bytesSent > 0);
  setTimeout(() => cancel('enough'), 20);
  expect((await ended).error).toMatchObject({ code: 'ERR_CANCELED' });
  await lab.until(({ openSockets }) => openSockets === 0);
});

test("axios's own timeout ends an attempt whose stream has not begun", async () => {
  const lab = await openLab([stream(begun, { do: 'stall' }), good]);
  const answer = await retryingInstance(start).get(lab.origin, { responseType: 'stream', timeout: 200 });
  expect(await read(answer)).toEqual({ text: all, error: undefined });
});

describe('what is no stream of bytes, as in a mock, goes to the caller as it is', () => {
  const encoded = (): PassThrough => {
    const stream = new PassThrough().setEncoding('utf8');
    stream.end(begun + hello);
    return stream;
  };
  const web = (): ReadableStream<string> =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(begun);
        controller.enqueue(hello);
        controller.close();
      },
    });

  test.each<[string, () => AsyncIterable<unknown>]>([
    ['texts', () => Readable.from([begun, hello])],
    ['chunks in object mode', () => Readable.from([Buffer.from(begun), Buffer.from(hello)])],
    ['text', encoded],
    ['a web stream of texts', web],
  ])('%s', async (_what, made) => {
    let calls = 0;
    const adapter: AxiosAdapter = async (config) => {
      calls += 1;
      const headers = new axios.AxiosHeaders({ 'content-type': 'text/event-stream' });
      return { status: 200, statusText: 'OK', headers, config, data: made() };
    };
    const asked = { adapter, responseType: 'stream' as const, transformResponse: [] };
    const { data } = await retryingInstance(start).get<AsyncIterable<unknown>>('http://127.0.0.1/', asked);
    let text = '';
    for await (const piece of data) text += String(piece);
    expect(text).toBe(begun + hello);
    expect(calls).toBe(1);
  });
});
