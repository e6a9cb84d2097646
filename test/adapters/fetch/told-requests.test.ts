/** The request as functions are told it, in all the forms in which fetch is given its address and its headers. */

import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import type { ToldRequest } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';

/** What `match.test` is told of a request, and the headers that the fetch beneath is given. */
async function told(input: unknown, init?: unknown): Promise<{ request: ToldRequest; sent: Headers }> {
  const seen: ToldRequest[] = [];
  const given: Headers[] = [];
  const beneath = async (target: unknown, options?: RequestInit): Promise<Response> => {
    given.push(new Headers(options?.headers ?? (target as Request).headers));
    return new Response();
  };
  const test = (request: ToldRequest): boolean => seen.push(request) > 0;
  const own = withRetry(beneath as typeof fetch, { rules: [{ match: { test } }] });
  await own(input as string, init as RequestInit);
  return { request: seen[0] as ToldRequest, sent: given[0] as Headers };
}

const path = '/things?q=1';

test.each<[string, unknown, unknown?]>([
  ['a string', 'http://api.test/things?q=1'],
  ['a string with a fragment', 'http://api.test/things?q=1#part'],
  ['another spelling', 'HTTP://API.test:80/a/../things?q=1'],
  ['a URL', new URL('http://api.test/things?q=1')],
  ['a Request', new Request('http://api.test/things?q=1')],
  ['a Request and an init', new Request('http://api.test/things?q=1'), { method: 'PUT' }],
])('its address, from %s', async (_what, input, init) => {
  const { request } = await told(input, init);
  expect(request).toMatchObject({ origin: 'http://api.test', path, url: `http://api.test${path}` });
});

test.each([
  ['a path', '/dir/things?q=1'],
  ['a relative path', 'things?q=1#part'],
  ['an address without a scheme', '//page.test/dir/things?q=1'],
])('its address in a page, from %s', async (_what, address) => {
  vi.stubGlobal('location', { href: 'http://page.test/dir/page.html' });
  onTestFinished(() => void vi.unstubAllGlobals());
  const { request } = await told(address);
  expect(request).toMatchObject({ origin: 'http://page.test', path: '/dir/things?q=1' });
});

test('its method, as fetch would not write it', async () => {
  expect((await told('http://api.test/', { method: 'patch' })).request.method).toBe('PATCH');
});

describe('its headers, which are still sent', () => {
  function* pairs(): Generator<[string, string]> {
    yield ['X-Tenant', 'seven'];
  }
  const once = pairs();
  test.each<[string, unknown, unknown?]>([
    ['an object', 'http://api.test/', { headers: { 'X-Tenant': 'seven' } }],
    ['Headers', 'http://api.test/', { headers: new Headers({ 'x-tenant': 'seven' }) }],
    ['a list', 'http://api.test/', { headers: [['X-Tenant', 'seven']] }],
    ['a Map', 'http://api.test/', { headers: new Map([['X-Tenant', 'seven']]) }],
    ['an iterator', 'http://api.test/', { headers: pairs() }],
    ['an iterable that can be read once', 'http://api.test/', { headers: { [Symbol.iterator]: () => once } }],
    ['a Request', new Request('http://api.test/', { headers: { 'x-tenant': 'seven' } })],
    [
      'an init over a Request',
      new Request('http://api.test/', { headers: { 'x-tenant': 'eight' } }),
      { headers: { 'x-tenant': 'seven' } },
    ],
  ])('from %s', async (_what, input, init) => {
    const { request, sent } = await told(input, init);
    expect(request.header('x-Tenant')).toBe('seven');
    expect(request.header('x-other')).toBeUndefined();
    expect(sent.get('x-tenant')).toBe('seven');
  });
});

describe('outcome.body()', () => {
  async function toldOf(response: Response): Promise<{ body: unknown; response: Response }> {
    const told: unknown[] = [];
    const own = withRetry((async () => response) as typeof fetch, {
      ...soon,
      retryIf: async ({ body }) => void told.push(await body()) as undefined,
    });
    return { response: await own('http://api.test/'), body: told[0] };
  }

  test.each<[string, number, boolean]>([
    ['1 MB', 1_048_576, true],
    ['more than that', 1_048_577, false],
  ])('of %s, and the caller gets all of it', async (_what, bytes, isTold) => {
    const text = 'x'.repeat(bytes);
    const { body, response } = await toldOf(new Response(text));
    expect(body === (isTold ? text : undefined)).toBe(true);
    expect((await response.text()) === text).toBe(true);
  });

  test('does not wait for the end of an event stream', async () => {
    const events = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(1)),
    });
    const headers = { 'content-type': 'text/event-stream; charset=utf-8' };
    const { body, response } = await toldOf(new Response(events, { headers }));
    expect(body).toBeUndefined();
    expect(response.bodyUsed).toBe(false);
    await response.body?.cancel();
  });

  test('does not read an endless body to its end', async () => {
    let given = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        given += 65_536;
        controller.enqueue(new Uint8Array(65_536));
      },
    });
    const { body, response } = await toldOf(new Response(endless));
    expect(body).toBeUndefined();
    expect(given).toBeLessThan(2 * 1_048_576);
    await response.body?.cancel();
  });

  test('may be asked for after the caller has read the body', async () => {
    const lab = await openLab(answer(200, 'text'));
    let late: (() => Promise<unknown>) | undefined;
    const own = withRetry(fetch, {
      ...soon,
      retryIf: ({ body }) => {
        late = body;
        return undefined;
      },
    });
    expect(await (await own(lab.origin)).text()).toBe('text');
    expect(await late?.()).toBeUndefined();
  });
});
