/** Fetches of packages, such as node-fetch, that know Node's streams alone: they get what the caller gave, not ours. */

import { PassThrough, Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import { historyOf } from '../../../src/index.js';
import { soon } from '../kit.js';

interface PackageInit {
  readonly method?: string;
  readonly body?: unknown;
}

/** Like node-fetch, it reads a stream of Node's, and makes a text of any other object. */
async function received(body: unknown): Promise<string> {
  if (!(body instanceof Readable)) return String(body);
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString();
}

/** Answers with these statuses, and keeps what it receives. */
function packageFetch(...statuses: readonly number[]) {
  const bodies: string[] = [];
  const doFetch = async (input: unknown, init: PackageInit = {}): Promise<Response> => {
    bodies.push(await received(init.body ?? (input as PackageInit).body));
    return new Response(null, { status: statuses[bodies.length - 1] as number });
  };
  return { doFetch: doFetch as unknown as typeof fetch, bodies };
}

/** An old stream cannot be iterated over: that of `form-data`, for example. */
function oldStream(text: string): object {
  const through = new PassThrough();
  through.end(text);
  Object.defineProperty(through, Symbol.asyncIterator, { value: undefined });
  return through;
}

describe("a stream of Node's", () => {
  test.each([
    ['of objects', () => Readable.from([Buffer.from('p'), Buffer.from('ay')])],
    ['of bytes', () => Readable.from([Buffer.from('p'), Buffer.from('ay')], { objectMode: false })],
    ['of text', () => Readable.from(['p', 'ay'])],
  ])('%s goes as one with each attempt', async (_of, make) => {
    const { doFetch, bodies } = packageFetch(503, 503, 200);
    const answered = await withRetry(doFetch, soon)('https://a.example/', {
      method: 'PUT',
      body: make() as never,
    });
    expect([answered.status, bodies]).toEqual([200, ['pay', 'pay', 'pay']]);
  });

  test('that cannot be iterated over is sent once', async () => {
    const body = oldStream('pay');
    const seen: unknown[] = [];
    const doFetch = async (_url: string, init?: PackageInit): Promise<Response> => {
      seen.push(init?.body);
      return new Response(null, { status: 503 });
    };
    const answered = await withRetry(doFetch, soon)('https://a.example/', { method: 'PUT', body });
    expect(seen).toEqual([body]);
    expect(historyOf(answered)?.map(({ decision }) => decision.reason)).toEqual(['body-spent']);
  });

  test('in a Request is sent once, and the Request is not cloned: both streams would have to be read', async () => {
    const { doFetch, bodies } = packageFetch(503);
    const request = {
      url: 'https://a.example/',
      method: 'PUT',
      headers: new Headers(),
      body: Readable.from([Buffer.from('pay')]),
      clone(): never {
        throw new Error('cloned');
      },
    };
    const answered = await withRetry(doFetch, soon)(request as never);
    expect([answered.status, bodies]).toEqual([503, ['pay']]);
    expect(historyOf(answered)?.map(({ decision }) => decision.reason)).toEqual(['body-spent']);
  });
});
