/** fetch turns every body that can be read only once into a stream, even text; it is sent again nevertheless. */

import { ReadableStream } from 'node:stream/web';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import { answer, type Received, rst } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { builtIn, undici, version } from './client.js';
import { retryingAgent } from './kit.js';

type Fetch = (url: string, init: Record<string, unknown>) => Promise<Response>;

const fetches: [name: string, fetch: Fetch, form: typeof FormData][] = [
  [`undici ${version}`, undici.fetch as unknown as Fetch, undici.FormData as unknown as typeof FormData],
  [`the built-in fetch (undici ${builtIn.version})`, globalThis.fetch as unknown as Fetch, FormData],
];

describe.each(fetches)('%s', (_name, fetch, Form) => {
  const put = (origin: string, body: unknown, policy: PolicyOptions = {}): Promise<Response> => {
    const dispatcher: Dispatcher = retryingAgent({ ...soon, ...policy });
    return fetch(origin, { method: 'PUT', body, duplex: 'half', dispatcher });
  };

  const form = new Form();
  form.append('greeting', 'Grüße');
  form.append('file', new Blob(['from a file'], { type: 'text/x-greeting' }), 'greeting.txt');

  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (const chunk of ['Grü', 'ße']) yield Buffer.from(chunk);
  }

  const sent = (request: Received) => ({
    complete: request.complete,
    length: request.headers['content-length'],
    encoding: request.headers['transfer-encoding'],
    type: request.headers['content-type'],
    body: request.body.toString(),
  });

  test.each<[string, () => unknown, object]>([
    ['a string', () => 'Grüße', { length: '7', type: 'text/plain;charset=UTF-8', body: 'Grüße' }],
    ['bytes', () => Buffer.from('Grüße'), { length: '7', body: 'Grüße' }],
    ['a Blob', () => new Blob(['Grüße'], { type: 'text/x-a' }), { length: '7', type: 'text/x-a' }],
    ['URLSearchParams', () => new URLSearchParams({ a: 'ü' }), { length: '8', body: 'a=%C3%BC' }],
    ['FormData', () => form, { type: expect.stringMatching(/^multipart\/form-data; boundary=/) }],
    ['a web stream', () => ReadableStream.from(chunks()), { encoding: 'chunked', body: 'Grüße' }],
    ['an async generator', chunks, { encoding: 'chunked', body: 'Grüße' }],
  ])('%s is sent again as it was', async (_body, make, expected) => {
    const lab = await openLab([answer(503), rst(), answer(200, 'taken')]);
    const response = await put(lab.origin, make());
    expect(await response.text()).toBe('taken');
    const [first, ...others] = lab.requests.map(sent);
    expect(first).toMatchObject({ complete: true, ...expected });
    expect(others).toEqual([first, first]);
    // A form's length is known, too.
    if (first?.encoding === undefined) expect(first?.length).toBe(String(lab.requests[0]?.body.length));
  });

  test.each<[string, () => unknown]>([
    ['a string', () => 'x'.repeat(1001)],
    ['a web stream', () => new Blob(['x'.repeat(1001)]).stream()],
  ])('%s that is too long to be kept is sent once, and the answer is passed on', async (_body, make) => {
    const lab = await openLab([answer(503, 'not now'), answer(200)]);
    const reasons: string[] = [];
    const observe: PolicyOptions['observe'] = (event) => {
      if (event.type === 'decision') reasons.push(event.decision.reason);
    };
    const response = await put(lab.origin, make(), { bufferBodyBytes: 1000, observe });
    expect([response.status, await response.text()]).toEqual([503, 'not now']);
    expect(reasons).toEqual(['body-spent']);
    expect(lab.requests.map(({ body }) => body.length)).toEqual([1001]);
  });

  test('a stream that breaks is not sent again, and its error surfaces', async () => {
    const mine = Object.assign(new Error('the source is broken'), { code: 'ECONNRESET' });
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('first,');
      throw mine;
    }
    const lab = await openLab(answer(200));
    const dispatcher = retryingAgent();
    const given = { method: 'PUT', body: ReadableStream.from(breaking()), duplex: 'half', dispatcher };
    const error: unknown = await fetch(lab.origin, given).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'TypeError', message: 'fetch failed' });
    expect(error).toMatchObject({ cause: { message: expect.stringContaining('broken') } });
    await dispatcher.close();
    await lab.until(({ openSockets }) => openSockets === 0);
    expect(lab.requests.map(({ complete }) => complete)).not.toContain(true);
    expect(lab.requests.length).toBeLessThan(2);
  });

  test('a body that is not needed any more: 303 turns the retried PUT into a GET', async () => {
    const lab = await openLab([
      answer(503),
      answer(303, '', { location: '/elsewhere' }),
      answer(503),
      answer(200, 'here'),
    ]);
    const response = await put(lab.origin, 'text');
    expect(await response.text()).toBe('here');
    const seen = lab.requests.map(({ method, path, body }) => `${method} ${path} ${body}`);
    expect(seen).toEqual(['PUT / text', 'PUT / text', 'GET /elsewhere ', 'GET /elsewhere ']);
  });
});
