/** A body that was not read needs no room; and memory never holds more than the limit. */

import { Readable, Stream } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import { answer, type Lab, refusedOrigin } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { undici } from './client.js';
import { retryingAgent } from './kit.js';

const bytes = Buffer.from('0123456789');

async function* asynchronous(): AsyncGenerator<Buffer> {
  for (const byte of bytes) yield Buffer.of(byte);
}

function* synchronous(): Generator<Buffer> {
  for (const byte of bytes) yield Buffer.of(byte);
}

const sources: [name: string, make: () => unknown][] = [
  ['an async generator', asynchronous],
  ['a generator', synchronous],
  ['a Readable', () => Readable.from(synchronous())],
  ['a web stream', () => ReadableStream.from(synchronous())],
  ['a web stream of bytes', () => new Blob([bytes]).stream()],
];

/** Sends ten bytes to a lab, under a policy. */
async function put(policy: PolicyOptions, { origin }: Pick<Lab, 'origin'>, body: unknown) {
  const reasons: string[] = [];
  const observe: PolicyOptions['observe'] = (event) => {
    if (event.type === 'decision') reasons.push(event.decision.reason);
  };
  const agent = retryingAgent({ ...soon, ...policy, observe });
  const asked = agent.request({ origin, path: '/', method: 'PUT', body: body as Readable });
  return { ...(await settled<Dispatcher.ResponseData>(asked)), reasons };
}

test.each(sources)('%s is sent again with nothing kept, if not a byte was read', async (_name, make) => {
  const lab = await openLab(answer(200));
  const refused = Number(new URL(await refusedOrigin()).port);
  const ports = [refused, refused, lab.port];
  const connect = undici.buildConnector({});
  const agent = retryingAgent(
    { ...soon, bufferBodyBytes: 0 },
    { connect: (options, callback) => connect({ ...options, port: String(ports.shift()) }, callback) },
  );
  const request = agent.request({ origin: lab.origin, path: '/', method: 'PUT', body: make() as Readable });
  expect((await request).statusCode).toBe(200);
  expect(lab.requests.map(({ body }) => body)).toEqual([bytes]);
  expect(ports).toEqual([]);
});

test('characters are counted as the bytes that are sent', async () => {
  const lab = await openLab([answer(503), answer(200)]);
  const { value } = await put({ bufferBodyBytes: 19 }, lab, Readable.from(['ä'.repeat(10)]));
  expect([value?.statusCode, lab.requests.length]).toEqual([503, 1]);
});

test('the limit is for kept bodies only: arrays of text and text from a function may be of any length', async () => {
  const long = 'x'.repeat(1_000_000);
  for (const body of [() => Readable.from([long]), [long]]) {
    const lab = await openLab([answer(503), answer(200)]);
    const { value } = await put({ bufferBodyBytes: 0 }, lab, body);
    expect(value?.statusCode).toBe(200);
    expect(lab.requests.map((request) => request.body.length)).toEqual([1_000_000, 1_000_000]);
  }
});

test('a stream that may have been read before us, and that cannot be iterated, is not sent again', async () => {
  const stream = new Stream();
  const resume = (): void => {
    stream.emit('data', bytes);
    stream.emit('end');
  };
  const lab = await openLab([answer(503), answer(200)]);
  const { value, reasons } = await put({}, lab, Object.assign(stream, { resume, destroy: () => stream }));
  expect([value?.statusCode, reasons]).toEqual([503, ['body-spent']]);
  expect(lab.requests.map(({ body }) => body)).toEqual([bytes]);
});

describe('64 MiB', () => {
  const chunkBytes = 65_536;
  const chunks = 1024;
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');

  test.each([0, 65_536, 1_000_000])('pass through, and are not kept (bufferBodyBytes: %d)', async (limit) => {
    const made: WeakRef<Buffer>[] = [];
    async function* source(): AsyncGenerator<Buffer> {
      for (let count = 0; count < chunks; count += 1) {
        const chunk = Buffer.alloc(chunkBytes);
        made.push(new WeakRef(chunk));
        yield chunk;
      }
    }
    const lab = await openLab({ steps: [{ do: 'cue', name: 'answer' }, ...answer(503).steps] });
    const asked = put({ bufferBodyBytes: limit }, lab, source());
    await lab.until(({ requests }) => requests[0]?.complete === true);
    // Objects created in this turn are not collected in it.
    await setImmediate();
    collectGarbage();
    const alive = made.filter((reference) => reference.deref() !== undefined).length;
    lab.cue('answer');

    expect((await asked).reasons).toEqual(['body-spent']);
    expect(made).toHaveLength(chunks);
    // undici itself holds on to a few.
    expect(alive).toBeLessThan(64);
  });
});
