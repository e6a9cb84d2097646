/** Forms with streams can be read only once; and axios handles the upload of each attempt in the same way. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import NodeForm from 'form-data';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { historyOf } from '../../../src/index.js';
import { answer, contentOf, type Play, refusedOrigin, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { openInstance, retryingInstance } from './kit.js';

const content = contentOf('a', 0, 100_000);

function* parts(bytes = 100_000): Generator<Buffer> {
  for (let at = 0; at < bytes; at += 10_000) yield contentOf('a', at, at + 10_000);
}

function nodeForm(part: unknown = Readable.from(parts(), { objectMode: false })): NodeForm {
  const form = new NodeForm();
  form.append('bytes', part, { filename: 'a.bin' });
  return form;
}

interface Kind {
  readonly make: () => unknown;
  readonly adapter: 'http' | 'fetch';
  readonly headers?: Readonly<Record<string, string>>;
}

const withStream: [name: string, kind: Kind] = [
  'a form of form-data with a stream in it',
  { make: () => nodeForm(), adapter: 'http' },
];

/** Forms that are completely in memory, of any length. */
const forms: [name: string, kind: Kind][] = [
  ['a form of form-data', { make: () => nodeForm(content), adapter: 'http' }],
  ['a form of form-data over fetch', { make: () => nodeForm(content), adapter: 'fetch' }],
  [
    'an object as multipart',
    { make: () => ({ bytes: content }), adapter: 'http', headers: { 'content-type': 'multipart/form-data' } },
  ],
];

const failures: [name: string, play: Play, seen: object][] = [
  ['an answer', answer(503), { response: { status: 503 } }],
  ['a reset', rst(), { isAxiosError: true }],
];

const refusals = failures.flatMap(([failure, play, seen]) =>
  [0, 99_999].map((bufferBodyBytes) => ({ failure, play, seen, bufferBodyBytes })),
);

test.each(refusals)(
  'a form of form-data with a stream in it is not sent again after $failure, with $bufferBodyBytes to keep it in',
  async ({ play, seen, bufferBodyBytes }) => {
    const lab = await openLab([play, answer(200)]);
    const { error } = await settled(
      retryingInstance({ ...soon, bufferBodyBytes }).put(lab.origin, nodeForm()),
    );
    expect(error).toMatchObject(seen);
    expect(historyOf(error)?.map(({ decision }) => decision.reason)).toEqual(['body-spent']);
    expect(lab.requests).toHaveLength(1);
    expect(lab.requests[0]?.body.includes(content)).toBe(true);
  },
);

test('characters are counted as the bytes that are sent', async () => {
  const lab = await openLab([answer(503), answer(200)]);
  const body = Readable.from(['ä'.repeat(10)]);
  const { error } = await settled(retryingInstance({ ...soon, bufferBodyBytes: 19 }).put(lab.origin, body));
  expect(historyOf(error)?.map(({ decision }) => decision.reason)).toEqual(['body-spent']);
  expect(lab.requests).toHaveLength(1);
});

describe.each(forms)('%s, longer than the limit,', (_name, { make, adapter, headers = {} }) => {
  test.each(failures)('is sent again after %s, the same', async (_what, play) => {
    const lab = await openLab([play, play, answer(200)]);
    const policy = { ...soon, bufferBodyBytes: 0, methods: ['PUT', 'POST'] };
    await retryingInstance(policy).post(lab.origin, make(), { adapter, headers });
    const [first, ...others] = lab.requests;
    expect(first?.body.includes(content)).toBe(true);
    expect(first?.headers['content-length']).toBe(String(first?.body.length));
    expect(others.map(({ body }) => body.equals(first?.body ?? Buffer.alloc(0)))).toEqual([true, true]);
    expect(new Set(lab.requests.map((request) => request.headers['content-type'])).size).toBe(1);
  });

  test('is sent again when it was refused', async () => {
    const origin = await refusedOrigin();
    const asked = retryingInstance(soon).post(origin, make(), { adapter, headers });
    const reasons = historyOf((await settled(asked)).error)?.map(({ decision }) => decision.reason);
    expect(reasons).toEqual([...Array(3).fill('transport-error'), 'retries-spent']);
  });

  test('is what it would be without retries', async () => {
    const [plain, ours] = await Promise.all([openLab(answer(200)), openLab(answer(200))]);
    await openInstance().put(plain.origin, make(), { adapter: 'http', headers });
    await retryingInstance({ ...soon, bufferBodyBytes: 0 }).put(ours.origin, make(), { adapter, headers });
    const [body, other] = [plain, ours].map(({ requests }) =>
      String(requests[0]?.body).replaceAll(/^--.*$/gm, '--boundary'),
    );
    expect(other).toBe(body);
  });
});

test.each([withStream, ...forms])(
  '%s that just fits is sent again, whole',
  async (_name, { make, adapter, headers = {} }) => {
    const lab = await openLab([answer(503), rst(), answer(200)]);
    const policy = { ...soon, bufferBodyBytes: 101_000 };
    await retryingInstance(policy).put(lab.origin, make(), { adapter, headers });
    const [first, ...others] = lab.requests;
    expect(first?.body.includes(content)).toBe(true);
    expect(others.map(({ body }) => body.equals(first?.body ?? content))).toEqual([true, true]);
  },
);

// Both adapters read part of the stream before they are connected.
test.each(['http', 'fetch'])(
  'where the port is refused, a stream that does not fit is spent, over %s',
  async (adapter) => {
    const lab = await openLab(answer(200));
    const policy: PolicyOptions = {
      ...soon,
      bufferBodyBytes: 5_000,
      beforeRetry: (context) => {
        context.url = lab.origin;
      },
    };
    const body = Readable.from(parts(1_000_000));
    const { error } = await settled(retryingInstance(policy).put(await refusedOrigin(), body, { adapter }));
    expect(historyOf(error)?.map(({ decision }) => decision.reason)).toEqual(['body-spent']);
    expect(lab.connections).toBe(0);
  },
);

test('of an upload of 256 MB, no more is kept than the limit allows', async () => {
  const part = Buffer.alloc(1_000_000, 'x');
  let received = 0;
  const server = createServer((request, response) => {
    request.on('data', (piece: Buffer) => {
      received += piece.length;
    });
    request.on('end', () => response.end('ok'));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close().closeAllConnections());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  // Always the same buffer: only copies of it could add up, and received data that is not collected yet.
  function* source(): Generator<Buffer> {
    for (let sent = 0; sent < 256; sent += 1) {
      yield part;
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
  }
  const instance = retryingInstance({ ...soon, bufferBodyBytes: 2_500_000 }, { maxRedirects: 0 });
  const { data } = await instance.put(`http://127.0.0.1:${port}`, Readable.from(source()));
  expect([data, received]).toEqual(['ok', 256_000_000]);
  expect(most).toBeLessThan(128_000_000);
});

test("the caller's configuration has the caller's stream, after success and failure", async () => {
  const lab = await openLab([answer(503), answer(200), answer(503)]);
  const streams = [Readable.from(['a']), Readable.from(['b'])] as const;
  const response = await retryingInstance().put(lab.origin, streams[0]);
  expect(response.config.data).toBe(streams[0]);
  expect(response.config.headers.has('content-length')).toBe(false);
  const { error } = await settled(retryingInstance({ maxRetries: 0 }).put(lab.origin, streams[1]));
  expect(error).toMatchObject({ config: { data: streams[1] } });
});

describe('axios handles the upload of each attempt alike', () => {
  test('each reports its progress', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const loaded: number[] = [];
    const settings = { headers: { 'Content-Length': 100_000 }, maxRate: 500_000_000 };
    await retryingInstance({ ...soon, bufferBodyBytes: 100_000 }).put(lab.origin, Readable.from(parts()), {
      ...settings,
      onUploadProgress: (event) => {
        loaded.push(event.loaded);
        expect(event.total).toBe(100_000);
      },
    });
    expect(lab.requests.map(({ body }) => body.equals(content))).toEqual([true, true]);
    expect(loaded.filter((bytes) => bytes === 100_000).length).toBeGreaterThan(1);
  });

  test('a body above maxBodyLength is refused once, and the source is closed', async () => {
    const lab = await openLab(answer(200));
    const source = Readable.from(parts());
    const closed = new Promise((resolve) => source.once('close', resolve));
    const { error } = await settled(retryingInstance().put(lab.origin, source, { maxBodyLength: 50_000 }));
    expect(error).toMatchObject({ message: expect.stringContaining('maxBodyLength') });
    expect(historyOf(error)).toHaveLength(1);
    await closed;
    expect(lab.requests.filter(({ complete }) => complete)).toHaveLength(0);
  });
});
