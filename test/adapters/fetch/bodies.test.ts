/** Request bodies: each attempt sends the whole body, as the caller gave it. */

import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import { historyOf } from '../../../src/index.js';
import type { Lab } from '../../faults/lab.js';
import { answer, rst, silence } from '../../faults/plays.js';
import { openLab, settled, soon } from '../kit.js';
import { nodeFetch, undici, undiciFetch } from './client.js';

function streamOf(...parts: readonly string[]): ReadableStream<Uint8Array> {
  const left = [...parts];
  return new ReadableStream({
    pull(controller) {
      const part = left.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(part));
    },
  });
}

/** A stream of two chunks, of which so many reads were made before. */
async function readBefore(reads: number, releases = true): Promise<ReadableStream> {
  const stream = streamOf('p', 'ay');
  const reader = stream.getReader();
  for (let read = 0; read < reads; read += 1) await reader.read();
  if (releases) reader.releaseLock();
  return stream;
}

function form(Form: typeof FormData): FormData {
  const data = new Form();
  data.append('name', 'value');
  data.append('file', new Blob(['bytes']), 'file.txt');
  return data;
}

const repeatable: readonly (readonly [string, () => unknown, RegExp])[] = [
  ['a string', () => 'pay', /^pay$/],
  ['bytes', () => new TextEncoder().encode('pay'), /^pay$/],
  ['an ArrayBuffer', () => new TextEncoder().encode('pay').buffer, /^pay$/],
  ['a Blob', () => new Blob(['pay']), /^pay$/],
  ['URLSearchParams', () => new URLSearchParams({ pay: '1' }), /^pay=1$/],
  ['a stream', () => streamOf('p', 'ay'), /^pay$/],
  ["a stream of Node's", () => Readable.from([Buffer.from('pay')]), /^pay$/],
  [
    'an async iterable',
    async function* () {
      yield Buffer.from('pay');
    },
    /^pay$/,
  ],
  ['a function', () => () => 'pay', /^pay$/],
  ["a function that gives a stream of Node's", () => () => Readable.from([Buffer.from('pay')]), /^pay$/],
  [
    'an async generator',
    () =>
      async function* () {
        yield Buffer.from('pay');
      },
    /^pay$/,
  ],
  ['an async function that gives a stream', () => async () => streamOf('pa', 'y'), /^pay$/],
];

describe.each([
  ["Node's own", nodeFetch, FormData],
  ["undici's", undiciFetch, undici.FormData as unknown as typeof FormData],
])('%s', (_name, doFetch, Form) => {
  test.each([...repeatable, ['FormData', () => form(Form), /name="name"[\s\S]*value[\s\S]*bytes/] as const])(
    '%s goes with each attempt',
    async (_what, make, text) => {
      const lab = await openLab([answer(503), rst(), answer(200)]);
      const init = { method: 'PUT', body: make(), duplex: 'half' } as object;
      expect((await withRetry(doFetch, soon)(lab.origin, init)).status).toBe(200);
      expect(lab.requests).toHaveLength(3);
      for (const { body } of lab.requests) expect(String(body)).toMatch(text);
    },
  );

  test('what is too large is sent once, and whole', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const parts = Array.from({ length: 20 }, () => 'x'.repeat(1_000));
    const init = { method: 'PUT', body: streamOf(...parts), duplex: 'half' } as object;
    const answered = await withRetry(doFetch, { ...soon, bufferBodyBytes: 10_000 })(lab.origin, init);
    expect(answered.status).toBe(503);
    expect(lab.requests.map(({ body }) => body.length)).toEqual([20_000]);
    expect(historyOf(answered)?.map(({ decision }) => decision.reason)).toEqual(['body-spent']);
  });

  test.each([
    ['a stream', () => streamOf('pa', 'y')],
    ["a stream of Node's", () => Readable.from([Buffer.from('pay')])],
  ])('of what a function makes, it need not be said how it is sent: %s', async (_what, body) => {
    const lab = await openLab([answer(503), answer(200)]);
    await withRetry(doFetch, soon)(lab.origin, { method: 'PUT', body } as object);
    expect(lab.requests.map((sent) => String(sent.body))).toEqual(['pay', 'pay']);
  });

  test('the stream of a request that was aborted before is cancelled with the same reason', async () => {
    const reason = new Error('enough');
    let cancelled: unknown;
    const body = new ReadableStream({
      cancel(why) {
        cancelled = why;
      },
    });
    const init = { method: 'PUT', body, duplex: 'half', signal: AbortSignal.abort(reason) } as object;
    expect((await settled(withRetry(doFetch, soon)('http://127.0.0.1:9/', init))).error).toBe(reason);
    expect(cancelled).toBe(reason);
  });

  test.each([{}, { attemptTimeoutMs: 60_000 }])(
    'the stream of a request that is aborted while it is sent is cancelled with the same reason, with %o',
    async (policy) => {
      const lab = await openLab(silence('head'));
      const [caller, reason] = [new AbortController(), new Error('enough')];
      const cancelled = new Promise((resolve) => {
        const body = new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode('p')),
          cancel: resolve,
        });
        const init = { method: 'PUT', body, duplex: 'half', signal: caller.signal } as object;
        void settled(withRetry(doFetch, { ...soon, ...policy })(lab.origin, init));
      });
      await lab.until(({ requests }) => requests.length === 1);
      caller.abort(reason);
      expect(await cancelled).toBe(reason);
    },
  );

  test.each<[string, () => Promise<unknown>]>([
    ['is locked', async () => readBefore(0, false)],
    ['was read in part', async () => readBefore(1)],
    ['was read to its end', async () => readBefore(3)],
    [
      'was cancelled',
      async () => {
        const body = streamOf('p', 'ay');
        await body.cancel();
        return body;
      },
    ],
    [
      "is Node's, and was read in part",
      async () => {
        const body = Readable.from([Buffer.from('p'), Buffer.from('ay')]);
        await once(body, 'readable');
        body.read();
        return body;
      },
    ],
  ])('a stream that %s is rejected by the bare fetch: its rest is not the body', async (_how, make) => {
    const lab = await openLab(answer(200));
    const init = { method: 'PUT', body: await make(), duplex: 'half' };
    const { error } = await settled(withRetry(doFetch, soon)(lab.origin, init as object));
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toMatch(/disturbed or locked/);
    expect(lab.requests).toEqual([]);
  });

  test('the rest of a stream that was read in part stays as it is', async () => {
    const lab = await openLab(answer(200));
    const body = await readBefore(1);
    await settled(withRetry(doFetch, soon)(lab.origin, { method: 'PUT', body, duplex: 'half' } as object));
    const { value } = await body.getReader().read();
    expect(String(Buffer.from(value))).toBe('ay');
  });

  test("a stream of Node's that is destroyed without an error has one of Node's", async () => {
    const lab = await openLab(answer(200));
    const body = new Readable({ read: () => undefined });
    body.push('p');
    const init = { method: 'PUT', body, duplex: 'half' };
    const asked = settled(withRetry(doFetch, soon)(lab.origin, init as object));
    await lab.until(({ requests }) => requests[0]?.body.toString() === 'p');
    body.destroy();
    expect((await asked).error).toMatchObject({ cause: { code: 'ERR_STREAM_PREMATURE_CLOSE' } });
  });

  test('an async iterable that fills the same buffer again', async () => {
    async function* filled(): AsyncGenerator<Buffer> {
      const buffer = Buffer.alloc(3);
      for (const text of ['one', 'two', 'end']) {
        buffer.write(text);
        yield buffer;
      }
    }
    const lab = await openLab([answer(503), answer(200)]);
    await withRetry(doFetch, soon)(lab.origin, { method: 'PUT', body: filled(), duplex: 'half' } as object);
    expect(lab.requests.map(({ body }) => String(body))).toEqual(['onetwoend', 'onetwoend']);
  });

  test('an async iterable of ArrayBuffers', async () => {
    async function* buffers(): AsyncGenerator<ArrayBuffer> {
      yield new TextEncoder().encode('pa').buffer;
      yield new TextEncoder().encode('y').buffer;
    }
    const lab = await openLab([answer(503), answer(200)]);
    const init = { method: 'PUT', body: buffers(), duplex: 'half' };
    expect((await withRetry(doFetch, soon)(lab.origin, init as object)).status).toBe(200);
    expect(lab.requests.map(({ body }) => String(body))).toEqual(['pay', 'pay']);
  });
});

describe('inside a Request', () => {
  const made: readonly (readonly [string, () => unknown, boolean])[] = [
    ['a string', () => 'pay', true],
    ['a stream', () => streamOf('p', 'ay'), false],
    ['bytes', () => new TextEncoder().encode('pay'), true],
  ];

  test.each(made)('%s goes with each attempt', async (_what, make, hasLength) => {
    const lab = await openLab([answer(503), rst(), answer(200)]);
    const init = { method: 'PUT', body: make(), headers: { 'content-type': 'a/b' }, duplex: 'half' };
    const request = new Request(lab.origin, init as object);
    expect((await withRetry(fetch, soon)(request)).status).toBe(200);
    expect(lab.requests.map(({ body }) => String(body))).toEqual(['pay', 'pay', 'pay']);
    expect(lab.requests.map(({ headers }) => headers['content-type'])).toEqual(['a/b', 'a/b', 'a/b']);
    // The first attempt sends the caller's own body; for later ones, the length is known.
    const lengths = lab.requests.map(({ headers }) => headers['content-length']);
    expect(lengths).toEqual([hasLength ? '3' : undefined, '3', '3']);
  });

  test.each([
    ['plain', {}],
    ['with a time', { deadlineMs: 60_000 }],
  ])('bodyUsed turns in the same turn as it does without us: %s', async (_what, policy) => {
    const lab = await openLab(answer(200));
    for (const doFetch of [fetch, withRetry(fetch, { ...soon, ...policy })]) {
      const request = new Request(lab.origin, { method: 'PUT', body: 'pay' });
      const answered = doFetch(request);
      expect(request.bodyUsed).toBe(true);
      await answered;
    }
  });

  test('what is too large is sent once, and whole', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const parts = Array.from({ length: 20 }, () => 'x'.repeat(1_000));
    const init = { method: 'PUT', body: streamOf(...parts), duplex: 'half' };
    const request = new Request(lab.origin, init as object);
    const answered = await withRetry(fetch, { ...soon, bufferBodyBytes: 10_000 })(request);
    expect(answered.status).toBe(503);
    expect(lab.requests.map(({ body }) => body.length)).toEqual([20_000]);
  });

  /** A Request whose copy gives nothing before the first answer has come; then `go` says what becomes of it. */
  function withLateCopy(lab: Lab, go: (copy: ReadableStreamDefaultController) => void): Request {
    const request = new Request(lab.origin, { method: 'PUT', body: 'pay' });
    const body = new ReadableStream({
      async pull(copy) {
        await lab.until(({ requests }) => requests.length === 1);
        // The retry waits for 1 ms before that.
        await wait(50);
        go(copy);
        await new Promise(() => undefined);
      },
    });
    return Object.defineProperty(request, 'clone', { value: () => ({ body }) });
  }

  // A browser reads the copy in another process, and can send no stream over HTTP/1.1.
  test('a copy that comes late is waited for, and sent as bytes', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const request = withLateCopy(lab, (copy) => {
      copy.enqueue(new TextEncoder().encode('pay'));
      copy.close();
    });
    expect((await withRetry(fetch, soon)(request)).status).toBe(200);
    expect(lab.requests.map(({ body }) => String(body))).toEqual(['pay', 'pay']);
    expect(lab.requests.map(({ headers }) => headers['content-length'])).toEqual(['3', '3']);
  });

  test.each([
    ['fails', (copy: ReadableStreamDefaultController) => copy.error(new Error('cut')), undefined],
    ['never ends', () => undefined, 100],
  ])('a copy that %s after the first answer is sent no more', async (_what, go, deadlineMs) => {
    const lab = await openLab([answer(503), answer(200)]);
    const { error } = await settled(
      withRetry(fetch, { ...soon, ...(deadlineMs && { deadlineMs }) })(withLateCopy(lab, go)),
    );
    expect(error).toMatchObject(
      deadlineMs === undefined ? { cause: { message: 'cut' } } : { name: 'DeadlineError' },
    );
    expect(lab.requests).toHaveLength(1);
  });

  test('one that was used up is refused as it is without us', async () => {
    const lab = await openLab(answer(200));
    const request = new Request(lab.origin, { method: 'PUT', body: 'pay' });
    await request.text();
    expect((await settled(withRetry(fetch, soon)(request))).error).toBeInstanceOf(TypeError);
    expect(lab.requests).toEqual([]);
  });

  test('its signal ends it, in every attempt and wait', async () => {
    const lab = await openLab([answer(503), silence()]);
    const aborter = new AbortController();
    const request = new Request(lab.origin, { method: 'PUT', body: 'pay', signal: aborter.signal });
    const answered = settled(withRetry(fetch, soon)(request));
    await lab.until(({ requests }) => requests.length === 2);
    const reason = new Error('enough');
    aborter.abort(reason);
    expect((await answered).error).toBe(reason);
  });
});

describe('a discarded answer', () => {
  test('gives its connection back: a hundred retries need one', async () => {
    const lab = await openLab(({ number }) => answer(number % 2 === 0 ? 200 : 503, 'x'.repeat(1_000)));
    const own = withRetry(fetch, { ...soon, budget: false });
    for (let sent = 0; sent < 100; sent += 1) await (await own(lab.origin)).text();
    expect(lab.requests).toHaveLength(200);
    expect(lab.connections).toBeLessThanOrEqual(2);
  });

  test('is cut off where it is long', async () => {
    const lab = await openLab(({ number }) =>
      number === 1 ? answer(503, 'x'.repeat(10_000_000)) : answer(200),
    );
    expect((await withRetry(fetch, soon)(lab.origin)).status).toBe(200);
    await lab.until(({ openSockets }) => openSockets <= 1);
  });
});

test("a Request is asked for its headers before it is sent: Bun's has no type of its body otherwise", async () => {
  let isAsked = false;
  const request = new Request('http://a.example/', { method: 'PUT', body: 'pay' });
  const { headers } = request;
  Object.defineProperty(request, 'headers', {
    get: () => {
      isAsked = true;
      return headers;
    },
  });
  const asked: boolean[] = [];
  const doFetch = (): Promise<Response> => {
    asked.push(isAsked);
    return Promise.resolve(new Response(null, { status: asked.length === 1 ? 503 : 200 }));
  };
  await withRetry(doFetch as typeof fetch, soon)(request);
  expect(asked).toEqual([true, true]);
});
