/** The request as functions are told it, in all the forms in which undici is given its address and its headers. */

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, type PolicyOptions, type ToldRequest } from '../../../src/index.js';
import { answer, endlessBody } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { undici } from './client.js';
import { openAgent } from './kit.js';

type Asked = Omit<Dispatcher.RequestOptions, 'method' | 'origin'> & { readonly method?: string };

/** What `match.test` is told of a request, and what the server gets. */
async function told(asked: Asked, over: (origin: string) => Dispatcher = () => openAgent()) {
  const lab = await openLab(answer(200));
  const seen: ToldRequest[] = [];
  const test = (request: ToldRequest): boolean => seen.push(request) > 0;
  const dispatcher = over(lab.origin).compose(retry({ rules: [{ match: { test } }] }));
  const { body } = await dispatcher.request({ origin: lab.origin, method: 'GET', ...asked } as never);
  await body.dump();
  return { request: seen[0] as ToldRequest, sent: lab.requests[0], lab };
}

describe('its address', () => {
  test.each<[string, Asked, string]>([
    ['a path', { path: '/things?q=1' }, '/things?q=1'],
    ['a path and a query', { path: '/things', query: { q: 1, tag: ['a', 'b'] } }, '/things?q=1&tag=a&tag=b'],
    ['an empty query', { path: '/things', query: {} }, '/things'],
    ['a path that is sent as it is', { path: '/a/../b//c' }, '/a/../b//c'],
  ])('%s', async (_what, asked, path) => {
    const { request, sent, lab } = await told(asked);
    expect(request).toMatchObject({ origin: lab.origin, path, url: lab.origin + path });
    expect(sent?.path).toBe(path);
  });

  test('an absolute URL, as a proxy gets it', async () => {
    const { request } = await told({ path: 'http://api.test/things?q=1' });
    expect(request).toMatchObject({ origin: 'http://api.test', path: '/things?q=1' });
  });

  test('the origin of a Client is known to it, if undici says so', async () => {
    const { request, lab } = await told({ path: '/things?q=1' }, (origin) => {
      const client = new undici.Client(origin);
      onTestFinished(() => client.destroy());
      return client;
    });
    expect([undefined, lab.origin]).toContain(request.origin);
    expect(request.path).toBe('/things?q=1');
    expect(request.url).toBe(`${request.origin ?? ''}/things?q=1`);
  });
});

test('a server is one scope, however its origin is spelled', async () => {
  const lab = await openLab(answer(200));
  const retrier = createRetrier();
  const dispatcher = openAgent().compose(retry(retrier));
  for (const origin of [lab.origin, `HTTP${lab.origin.slice(4)}`, `${lab.origin}/`, new URL(lab.origin)]) {
    const { body } = await dispatcher.request({ origin, path: '/', method: 'GET' });
    await body.dump();
  }
  expect(retrier.snapshot().scopes.map(({ name }) => name)).toEqual([lab.origin]);
});

test('its method is in upper case, and sent as it is', async () => {
  const { request, sent } = await told({ path: '/', method: 'patch' });
  expect([request.method, sent?.method?.toLowerCase()]).toEqual(['PATCH', 'patch']);
});

function* pairs(): Generator<[string, string]> {
  yield ['X-Tenant', 'seven'];
}

test.each<[string, unknown]>([
  ['an object', { 'X-Tenant': 'seven' }],
  ['a list of values', { 'x-tenant': ['seven'] }],
  ['a flat list', ['X-Tenant', 'seven']],
  ['Headers', new Headers({ 'x-tenant': 'seven' })],
  ['a Map', new Map([['X-Tenant', 'seven']])],
  ['an iterator', pairs()],
])('its headers, from %s, which are still sent', async (_what, headers) => {
  const { request, sent } = await told({ path: '/', headers: headers as never });
  expect(request.header('x-Tenant')).toBe('seven');
  expect(request.header('x-other')).toBeUndefined();
  expect(sent?.headers['x-tenant']).toBe('seven');
});

describe('outcome.body()', () => {
  async function toldOf(
    play: Parameters<typeof openLab>[0],
    policy: PolicyOptions = {},
    interceptors: unknown[] = [],
  ) {
    const lab = await openLab(play);
    const bodies: unknown[] = [];
    const retryIf = async ({ body }: { body(): Promise<unknown> }) =>
      void bodies.push(await body()) as undefined;
    const dispatcher = openAgent().compose([
      ...(interceptors as Dispatcher.DispatcherComposeInterceptor[]),
      retry({ ...soon, ...policy, retryIf }),
    ]);
    return { lab, bodies, dispatcher };
  }

  test.each<[string, number, boolean]>([
    ['1 MB', 1_048_576, true],
    ['more than that', 1_048_577, false],
  ])('of %s, and the caller gets all of it', async (_what, bytes, isTold) => {
    const text = 'x'.repeat(bytes);
    const { lab, bodies, dispatcher } = await toldOf(answer(200, text));
    const { body } = await undici.request(lab.origin, { dispatcher });
    expect((await body.text()) === text).toBe(true);
    expect(bodies[0] === (isTold ? text : undefined)).toBe(true);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('is unpacked, and the caller gets it as it came: %s', async (coding, pack) => {
    const packed = pack('{"error":"busy"}');
    const head = {
      status: 200,
      headers: { 'content-encoding': coding, 'content-length': String(packed.length) },
    };
    const { lab, bodies, dispatcher } = await toldOf({
      steps: [{ do: 'head', ...head }, { do: 'body', text: packed.toString('latin1') }, { do: 'end' }],
    });
    const { body } = await undici.request(lab.origin, { dispatcher });
    expect(Buffer.from(await body.arrayBuffer()).equals(packed)).toBe(true);
    expect(bodies).toEqual([{ error: 'busy' }]);
  });

  test('after a hint was read from the same body', async () => {
    const text = '{"error":{"type":"overloaded_error"}}';
    const { lab, bodies, dispatcher } = await toldOf(
      answer(400, text, { 'content-type': 'application/json' }),
      { hints: 'anthropic', bodyHintBytes: 4_096 },
    );
    const { body } = await undici.request(lab.origin, { dispatcher });
    expect(await body.text()).toBe(text);
    expect(bodies.at(-1)).toEqual(JSON.parse(text));
  });

  test('of a HEAD is empty', async () => {
    const { lab, bodies, dispatcher } = await toldOf(answer(200, ''));
    const { body } = await undici.request(lab.origin, { dispatcher, method: 'HEAD' });
    await body.dump();
    expect(bodies).toEqual(['']);
  });

  test('an endless one is not told, and the connection is kept from filling the memory', async () => {
    const { lab, bodies, dispatcher } = await toldOf(endlessBody());
    const { body } = await undici.request(lab.origin, { dispatcher });
    expect(bodies).toEqual([undefined]);
    body.on('error', () => undefined).destroy();
  });

  test('an abort ends the request, and the reading', async () => {
    const { lab, bodies, dispatcher } = await toldOf({
      steps: [{ do: 'head', status: 200, headers: { 'content-length': '10' } }, { do: 'stall' }],
    } as never);
    const aborter = new AbortController();
    const asked = undici.request(lab.origin, { dispatcher, signal: aborter.signal });
    await lab.until(({ requests }) => requests.length === 1);
    const reason = new Error('enough');
    setTimeout(() => aborter.abort(reason), 50);
    await expect(asked).rejects.toBe(reason);
    await expect.poll(() => bodies).toEqual([undefined]);
  });

  test('does not wait for the end of an event stream', async () => {
    const headers = { 'content-type': 'text/event-stream' };
    const { lab, bodies, dispatcher } = await toldOf({
      steps: [{ do: 'head', status: 200, headers }, { do: 'stall' }],
    } as never);
    const { body } = await undici.request(lab.origin, { dispatcher });
    expect(bodies).toEqual([undefined]);
    body.on('error', () => undefined).destroy();
  });

  test('of an error that the interceptor responseError has made', async () => {
    const { interceptors } = undici;
    if (interceptors.responseError === undefined) return;
    const { lab, bodies, dispatcher } = await toldOf(
      answer(404, '{"error":"gone"}', { 'content-type': 'application/json' }),
      {},
      [interceptors.responseError()],
    );
    await expect(undici.request(lab.origin, { dispatcher })).rejects.toMatchObject({ statusCode: 404 });
    expect(bodies).toEqual([{ error: 'gone' }]);
  });
});
