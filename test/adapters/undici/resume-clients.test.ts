/** Resumed bodies as undici's callers read them: big ones, slow readers, and every call. */

import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier } from '../../../src/index.js';
import { contentOf, type HangUp, type HeaderFields, type Play } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { undici } from './client.js';
import { littleBytes, openAgent, retryingAgent, whileAnotherReads } from './kit.js';
import { errorsBelow, readAll, record } from './recorder.js';
import { etag, file, partly } from './resume-file.js';

const MiB = 2 ** 20;
const manyRetries = { ...soon, maxRetries: 10, budget: false } as const;

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Sorted offsets at which to break off, different for each seed. */
function cutsOf(seed: number, bytes: number, count: number): number[] {
  let state = seed;
  const draw = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bytes);
  };
  return Array.from({ length: count }, draw).sort((a, b) => a - b);
}

type Ask = (dispatcher: Dispatcher, origin: string) => Promise<Uint8Array>;

const asks: readonly [string, Ask][] = [
  [
    'request()',
    async (dispatcher, origin) => {
      const { body } = await dispatcher.request({ origin, path: '/', method: 'GET' });
      return new Uint8Array(await body.arrayBuffer());
    },
  ],
  [
    'request(), read slowly',
    async (dispatcher, origin) => {
      const { body } = await dispatcher.request({ origin, path: '/', method: 'GET', highWaterMark: 1024 });
      const pieces: Uint8Array[] = [];
      for await (const piece of body) {
        pieces.push(piece as Uint8Array);
        await setImmediate();
      }
      return Buffer.concat(pieces);
    },
  ],
  [
    'stream() into a slow sink',
    async (dispatcher, origin) => {
      const pieces: Buffer[] = [];
      const write = (piece: Buffer, _encoding: string, done: () => void): void => {
        pieces.push(piece);
        setImmediate().then(done);
      };
      await dispatcher.stream(
        { origin, path: '/', method: 'GET' },
        () => new Writable({ highWaterMark: 1024, write }),
      );
      return Buffer.concat(pieces);
    },
  ],
  [
    'pipeline()',
    async (dispatcher, origin) => {
      const duplex = dispatcher.pipeline({ origin, path: '/', method: 'GET' }, ({ body }) => body);
      duplex.end();
      return (await readAll(duplex)).bytes;
    },
  ],
  [
    "undici's fetch",
    async (dispatcher, origin) =>
      new Uint8Array(await (await undici.fetch(origin, { dispatcher })).arrayBuffer()),
  ],
  [
    "Node's own fetch",
    async (dispatcher, origin) => {
      const response = await fetch(origin, { dispatcher } as unknown as RequestInit);
      return new Uint8Array(await response.arrayBuffer());
    },
  ],
];

describe('some MiB, broken off at random', () => {
  const bytes = 3 * MiB + 12_345;
  const sum = sha256(contentOf('a', 0, bytes));
  const runs = asks.flatMap(([name, ask]) =>
    (['fin', 'rst'] as const).map((how): [string, HangUp, Ask] => [name, how, ask]),
  );

  test.each(runs)('%s, %s', async (name, how, ask) => {
    const cuts = cutsOf(name.length, bytes, 6);
    const lab = await openLab(file({ bytes, cuts, how }));
    expect(sha256(await ask(retryingAgent(manyRetries), lab.origin)), `cuts at ${cuts}`).toBe(sum);
    expect(lab.requests.length).toBeGreaterThan(6);
  });
});

describe('the error if the body cannot be resumed', () => {
  const plays = [
    partly(200, { 'content-length': '1000', 'accept-ranges': 'bytes', etag }, { sent: 400, ends: 'fin' }),
    partly(200, { 'content-length': '600', etag: '"v2"' }, { sent: 600, ends: 'end', mark: 'other' }),
  ];

  test('request(): the error itself, in the body', async () => {
    const lab = await openLab(plays);
    const below: unknown[] = [];
    const agent = openAgent().compose(errorsBelow(below), retry(soon));
    const { statusCode, body } = await agent.request({ origin: lab.origin, path: '/', method: 'GET' });
    expect(statusCode).toBe(200);
    const { bytes, error } = await readAll(body);
    expect(error).toBe(below[0]);
    expect(bytes.equals(contentOf('a', 0, bytes.length))).toBe(true);
    expect(lab.requests).toHaveLength(2);
  });

  test('stream(): the error itself', async () => {
    const lab = await openLab(plays);
    const below: unknown[] = [];
    const agent = openAgent().compose(errorsBelow(below), retry(soon));
    const pieces: Buffer[] = [];
    const sink = new Writable({
      write(piece: Buffer, _encoding, done) {
        pieces.push(piece);
        done();
      },
    });
    const { error } = await settled(
      agent.stream({ origin: lab.origin, path: '/', method: 'GET' }, () => sink),
    );
    expect(error).toBe(below[0]);
    expect(Buffer.concat(pieces).equals(contentOf('a', 0, 400))).toBe(true);
  });

  test.each<[string, (url: string, dispatcher: Dispatcher) => Promise<{ body: unknown }>]>([
    ["undici's fetch", (url, dispatcher) => undici.fetch(url, { dispatcher })],
    ["Node's own fetch", (url, dispatcher) => fetch(url, { dispatcher } as unknown as RequestInit)],
  ])('%s: its TypeError with the error as cause', async (_name, ask) => {
    const lab = await openLab(plays);
    const below: unknown[] = [];
    const { body } = await ask(lab.origin, openAgent().compose(errorsBelow(below), retry(soon)));
    const { bytes, error } = await readAll(body as AsyncIterable<Uint8Array>);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).cause).toBe(below[0]);
    expect(bytes.equals(contentOf('a', 0, bytes.length))).toBe(true);
    expect(lab.requests).toHaveLength(2);
  });
});

describe('back-pressure holds for the resumed body, too', () => {
  const bytes = 48 * MiB;
  const sum = sha256(contentOf('a', 0, bytes));

  test('paused while it waits: nothing comes until the caller wants more', async () => {
    const time = new HandTime();
    const lab = await openLab(file({ bytes, cuts: [100_000] }));
    const agent = retryingAgent(
      createRetrier({ schedule: { kind: 'fixed', waitMs: 7, jitter: 'none' } }, time.ports),
    );
    const recorder = record(agent, { origin: lab.origin });
    await time.until(({ pending }) => pending.includes(7));
    recorder.controller?.pause();
    expect(recorder.controller?.paused).toBe(true);
    await time.fire(7);
    await lab.until(({ requests }) => requests.length === 2);
    await whileAnotherReads();
    expect(lab.bytesSent).toBeLessThan(littleBytes);
    expect(recorder.bytes.length).toBe(100_000);
    recorder.controller?.resume();
    await recorder.end();
    expect(recorder.errors).toEqual([]);
    expect(sha256(recorder.bytes)).toBe(sum);
  });

  test('paused and resumed within the wait: it comes by itself', async () => {
    const time = new HandTime();
    const lab = await openLab(file({ bytes: 3 * MiB, cuts: [100_000] }));
    const agent = retryingAgent(
      createRetrier({ schedule: { kind: 'fixed', waitMs: 7, jitter: 'none' } }, time.ports),
    );
    const recorder = record(agent, { origin: lab.origin });
    await time.until(({ pending }) => pending.includes(7));
    recorder.controller?.pause();
    recorder.controller?.resume();
    await time.fire(7);
    await recorder.end();
    expect(sha256(recorder.bytes)).toBe(sha256(contentOf('a', 0, 3 * MiB)));
  });

  test('request(): an unread body stalls the server, and is whole when read', async () => {
    const lab = await openLab(file({ bytes, cuts: [16_384, 5 * MiB, 20 * MiB] }));
    const { body } = await retryingAgent(manyRetries).request({
      origin: lab.origin,
      path: '/',
      method: 'GET',
    });
    await lab.until(({ requests }) => requests.length === 2);
    await whileAnotherReads();
    expect(lab.bytesSent).toBeLessThan(littleBytes);
    const hash = createHash('sha256');
    for await (const piece of body) hash.update(piece as Uint8Array);
    expect(hash.digest('hex')).toBe(sum);
    expect(lab.requests).toHaveLength(4);
  });
});

describe('content codings', () => {
  const text = Buffer.from('All of this is text, and text compresses well. '.repeat(2_000));
  // Stored rather than compressed, so that the part before the break is long enough for a decoder to notice.
  const zipped = gzipSync(text, { level: 0 });
  const middle = Math.floor(zipped.length / 2);
  const coded = { 'content-encoding': 'gzip', etag };

  function part(status: number, headers: HeaderFields, of: Buffer, cut = of.length): Play {
    const steps = [
      { do: 'head', status, headers: { 'content-length': String(of.length), ...headers } },
      { do: 'body', text: of.toString('latin1', 0, cut) },
    ] as const;
    return { steps: cut < of.length ? [...steps, { do: 'fin' }] : steps };
  }

  const rangeOf = (first: number, whole: Buffer): string =>
    `bytes ${first}-${whole.length - 1}/${whole.length}`;

  test.each<[string, (url: string, dispatcher: Dispatcher) => Promise<{ text(): Promise<string> }>]>([
    ["undici's fetch", (url, dispatcher) => undici.fetch(url, { dispatcher })],
    ["Node's own fetch", (url, dispatcher) => fetch(url, { dispatcher } as unknown as RequestInit)],
  ])('%s decodes after the resume: whole', async (_name, ask) => {
    const lab = await openLab([
      part(200, { ...coded, 'accept-ranges': 'bytes' }, zipped, middle),
      part(206, { ...coded, 'content-range': rangeOf(middle, zipped) }, zipped.subarray(middle)),
    ]);
    const response = await ask(lab.origin, retryingAgent());
    expect(await response.text()).toBe(text.toString());
    expect(lab.requests[1]?.headers['range']).toBe(`bytes=${middle}-${zipped.length - 1}`);
  });

  const decompress = (undici.interceptors as { decompress?: () => Dispatcher.DispatcherComposeInterceptor })
    .decompress;

  /** A tempting server: it serves any range, uncompressed and with the same ETag. */
  describe.skipIf(decompress === undefined)('the interceptor decompress underneath (undici 7 and 8)', () => {
    async function through(first: Play, second: (from: number) => Play, headers = {}) {
      const lab = await openLab((request) => {
        const [, from] = /^bytes=(\d+)-/.exec(request.headers['range'] ?? '') ?? [];
        return request.number === 1 ? first : second(Number(from));
      });
      const below: unknown[] = [];
      const interceptors = [decompress?.() ?? [], errorsBelow(below), retry(soon)].flat();
      const recorder = await record(openAgent().compose(interceptors), { origin: lab.origin, headers }).end();
      return { lab, below, recorder };
    }

    const bare = (from: number): Play =>
      part(206, { etag, 'content-range': rangeOf(from, zipped) }, zipped.subarray(from));

    test('a 200 is not resumed: the bytes that are counted are not those on the wire', async () => {
      const first = part(200, { ...coded, 'accept-ranges': 'bytes' }, zipped, middle);
      const { lab, below, recorder } = await through(first, bare);
      expect(recorder.errors).toEqual([below[0]]);
      expect(recorder.bytes.equals(text.subarray(0, recorder.bytes.length))).toBe(true);
      expect(lab.requests).toHaveLength(1);
    });

    test('nor is a 206', async () => {
      const first = part(206, { ...coded, 'content-range': rangeOf(0, zipped) }, zipped, middle);
      const { lab, below, recorder } = await through(first, bare, { range: 'bytes=0-' });
      expect(recorder.bytes.equals(text.subarray(0, recorder.bytes.length)), 'no splice').toBe(true);
      expect(recorder.errors).toEqual([below[0]]);
      expect(lab.requests).toHaveLength(1);
    });

    test('a rest that comes compressed, though the beginning did not, is not taken', async () => {
      const first = part(200, { etag, 'accept-ranges': 'bytes' }, text, 1000);
      const { below, recorder } = await through(first, (from) =>
        part(
          206,
          { ...coded, 'content-range': rangeOf(from, text) },
          gzipSync(Buffer.alloc(text.length - from, 'x'), { level: 0 }).subarray(0, text.length - from),
        ),
      );
      expect(recorder.bytes.equals(text.subarray(0, 1000)), 'no splice').toBe(true);
      expect(recorder.errors).toEqual([below[0]]);
    });

    test('an uncompressed body is resumed', async () => {
      const first = part(200, { etag, 'accept-ranges': 'bytes' }, text, 1000);
      const { recorder } = await through(first, (from) =>
        part(206, { etag, 'content-range': rangeOf(from, text) }, text.subarray(from)),
      );
      expect(recorder.errors).toEqual([]);
      expect(recorder.bytes.equals(text)).toBe(true);
    });
  });
});
