/** A stream of fetch that was waited for: it is the client's own from then on, with its memory, its pace and its end. */

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import { openLab, settled, soon } from '../kit.js';
import { programsOf } from '../programs.js';
import { begun, ended, errorOf, hello } from '../suites/streams.js';
import { nodeFetch, undiciFetch } from './client.js';

const policy = { ...soon, hints: 'anthropic', streamStart: {} } as const;
const fetches = [
  ["Node's own", nodeFetch],
  ["undici's", undiciFetch],
] as const;

describe.each(fetches)('over %s', (_name, doFetch) => {
  test("the answer is the client's own, with its own class and properties", async () => {
    const lab = await openLab([ended(errorOf('overloaded_error')), ended(begun, hello)]);
    const bare = await doFetch(lab.origin);
    const answer = await withRetry(doFetch, policy)(lab.origin);
    expect(Object.getPrototypeOf(answer)).toBe(Object.getPrototypeOf(bare));
    expect(Reflect.ownKeys(answer)).toEqual(Reflect.ownKeys(bare));
    expect(answer).toMatchObject({ bodyUsed: false, redirected: false, url: `${lab.origin}/`, status: 200 });
    expect(answer.body?.locked).toBe(false);
    expect(await answer.text()).toBe(begun + hello);
  });

  test("the caller's cancel settles, and ends the stream", async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(begun + hello);
    });
    const closed = once(server, 'request').then(([, response]) => once(response as ServerResponse, 'close'));
    const answer = await withRetry(doFetch, policy)(await listening(server));
    const late = new Promise((resolve) => setTimeout(resolve, 5_000, 'late').unref());
    expect(await Promise.race([answer.body?.cancel(), late])).toBeUndefined();
    await closed;
  });

  test("an abort while the caller reads it is the caller's error, as it is alone", async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(begun + hello);
    });
    const url = await listening(server);
    for (const send of [doFetch, withRetry(doFetch, policy)]) {
      const abort = new AbortController();
      const answer = await send(url, { signal: abort.signal });
      const read = settled(answer.text());
      abort.abort();
      expect((await read).error).toMatchObject({ name: 'AbortError' });
    }
  });

  test('an abort between the hand-over and the reading is an AbortError, too', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(begun + hello);
    });
    const abort = new AbortController();
    const answer = await withRetry(doFetch, policy)(await listening(server), { signal: abort.signal });
    abort.abort();
    expect((await settled(answer.text())).error).toMatchObject({ name: 'AbortError' });
  });
});

async function listening(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

// ---------------------------------------------------------------- a caller that reads nothing

/** How many bytes are taken of the stream by an answer whose caller reads nothing. */
async function takenBy(send: (doFetch: typeof fetch) => typeof fetch, type?: 'bytes'): Promise<number> {
  let taken = 0;
  let chunks = 0;
  const chunk = (): Uint8Array => {
    chunks += 1;
    const bytes = new TextEncoder().encode(chunks === 1 ? begun + hello : 'x'.repeat(16_384));
    taken += bytes.length;
    return bytes;
  };
  const headers = { 'content-type': 'text/event-stream' };
  const pull = (controller: { enqueue(bytes: Uint8Array): void }): void => controller.enqueue(chunk());
  const body = new ReadableStream({
    pull,
    ...(type !== undefined && { type }),
  } as unknown as UnderlyingDefaultSource);
  const answer = await send(async () => new Response(body, { headers }))('http://127.0.0.1/');
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  expect(answer.body?.locked).toBe(false);
  return taken;
}

test.each([undefined, 'bytes'] as const)(
  'a caller that is paused stops the stream, of type %s',
  async (type) => {
    const bare = await takenBy((doFetch) => doFetch, type);
    const ours = await takenBy((doFetch) => withRetry(doFetch, policy) as typeof fetch, type);
    expect(ours).toBeLessThanOrEqual(bare + 65_536);
  },
);

// ---------------------------------------------------------------- memory

const megabyte = 1_048_576;

test('a stream of texts, as in a mock, goes to the caller as it is', async () => {
  const texts = new ReadableStream({
    start(controller) {
      controller.enqueue(begun);
      controller.enqueue(hello);
      controller.close();
    },
  });
  const send: typeof fetch = async () =>
    new Response(texts, { headers: { 'content-type': 'text/event-stream' } });
  const { body } = await withRetry(send, policy)('http://127.0.0.1/');
  const told: unknown[] = [];
  for await (const piece of body as unknown as AsyncIterable<unknown>) told.push(piece);
  expect(told).toEqual([begun, hello]);
});

describe('in a process of its own', () => {
  const run = programsOf('fetch');

  /** 64 MB behind the first event, at the pace of the reader. */
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(begun + hello);
    const event = Buffer.from(`data: ${'x'.repeat(65_530)}\n\n`);
    let left = 1_024;
    const write = (): void => {
      while (left > 0) {
        left -= 1;
        if (!response.write(event)) {
          response.once('drain', write);
          return;
        }
      }
      response.end();
    };
    write();
  });

  test('64 MB that are read after the hand-over leave no more in memory than alone', async () => {
    const url = await listening(server);
    const output = await run(`
      import { setFlagsFromString } from 'node:v8';
      import { runInNewContext } from 'node:vm';
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc');
      const policy = ${JSON.stringify(policy)};
      const live = async (doFetch) => {
        const answer = await doFetch(${JSON.stringify(url)});
        const reader = answer.body.getReader();
        let [most, bytes, step] = [0, 0, 0];
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          bytes += value.byteLength;
          if (bytes < step) continue;
          step += 8 * ${megabyte};
          collect();
          collect();
          most = Math.max(most, process.memoryUsage().arrayBuffers);
        }
        return { most, bytes };
      };
      // What the client itself keeps for its connection is there from then on.
      await live(fetch);
      const bare = await live(fetch);
      const ours = await live(undaunted.withRetry(fetch, policy));
      console.log(JSON.stringify({ bare, ours }));
      process.exit(0);
    `);
    const { bare, ours } = JSON.parse(output) as Record<'bare' | 'ours', { most: number; bytes: number }>;
    expect(ours.bytes).toBe(bare.bytes);
    expect(ours.bytes).toBeGreaterThan(63 * megabyte);
    // Unread, a copy would keep all of it.
    expect(ours.most - bare.most).toBeLessThan(megabyte);
  });
});
