/** What a page sends again, and after which wait, where the other origin decides what the page may see. */

import { describe, expect, test } from 'vitest';
import { answer, endlessBody, refusedOrigin, startLab } from '../faults/lab.js';
import { allowing, readable, sentBy } from './answers.js';
import { adapters, soon, tabForAll } from './scene.js';

const tab = tabForAll();
const json = { item: 'tea' };
const retry = { schedule: soon };

describe.each(adapters)('over %s', (adapter) => {
  test('a GET is sent again until it succeeds', async () => {
    await using api = await startLab(allowing(readable(503), readable(503), readable(200, 'tea')));
    const report = await tab().perform({ request: { adapter, url: api.origin }, retry });
    expect(report.response).toEqual({ status: 200, data: 'tea' });
    expect(report.reasons).toEqual(['transient-status', 'transient-status', 'success']);
    expect(report.decisions.map(({ scope }) => scope)).toEqual([api.origin, api.origin, api.origin]);
    expect(api.requests.length).toBe(3);
  });

  test('a GET that succeeds at once has a history, too', async () => {
    await using api = await startLab(allowing(readable(200)));
    const report = await tab().perform({ request: { adapter, url: api.origin }, retry });
    expect(report.reasons).toEqual(['success']);
  });

  test('the last answer is the error that this axios makes of it', async () => {
    await using api = await startLab(allowing(readable(503)));
    const report = await tab().perform({
      request: { adapter, url: api.origin },
      retry: { ...retry, maxRetries: 1 },
    });
    expect(report.error).toMatchObject({
      name: 'AxiosError',
      code: 'ERR_BAD_RESPONSE',
      status: 503,
      adapter,
    });
    expect(report.reasons).toEqual(['transient-status', 'retries-spent']);
    expect(api.requests.length).toBe(2);
  });

  test('a relative URL belongs to the scope of the page', async () => {
    tab().serve(answer(503), answer(200, 'tea'));
    const report = await tab().perform({ request: { adapter, url: '/menu?hot=1' }, retry });
    expect(report.response).toEqual({ status: 200, data: 'tea' });
    expect(new Set(report.decisions.map(({ scope }) => scope))).toEqual(new Set([tab().site.origin]));
    expect(tab().site.requests.map(({ path }) => path)).toEqual(['/menu?hot=1', '/menu?hot=1']);
  });

  describe('429 with Retry-After', () => {
    test('is obeyed where the server exposes it', async () => {
      const arrivals: number[] = [];
      const exposed = { 'retry-after': '1', 'access-control-expose-headers': 'retry-after' };
      const script = allowing(readable(429, '', exposed), readable(200));
      await using api = await startLab((request) => {
        arrivals.push(performance.now());
        return script(request);
      });
      const report = await tab().perform({ request: { adapter, url: api.origin }, retry });
      const [first = Number.NaN, second = Number.NaN] = arrivals;
      expect(report).toMatchObject({ response: { status: 200 } });
      expect(report.decisions[0]?.waitFrom).toBe('hint');
      expect(second - first).toBeGreaterThanOrEqual(1_000);
    });

    test('cannot be seen where it is not exposed: our own schedule decides', async () => {
      await using api = await startLab(allowing(readable(429, '', { 'retry-after': '3600' }), readable(200)));
      const report = await tab().perform({
        request: { adapter, url: api.origin },
        retry: { throttledSchedule: soon },
      });
      expect(report).toMatchObject({ response: { status: 200 } });
      expect(report.decisions[0]).toMatchObject({ reason: 'throttled', waitFrom: 'throttledSchedule' });
    });
  });

  describe('an error page that the page must not read', () => {
    test('is a failed connection: a GET is sent again', async () => {
      await using api = await startLab(allowing(answer(503), readable(200)));
      const report = await tab().perform({ request: { adapter, url: api.origin }, retry });
      expect(report).toMatchObject({ response: { status: 200 } });
      expect(report.reasons).toEqual(['transport-error', 'success']);
    });

    test('is a failed connection: a POST is not sent again', async () => {
      await using api = await startLab(allowing(answer(503), readable(200)));
      const report = await tab().perform({
        request: { adapter, url: api.origin, method: 'post', data: json },
        retry,
      });
      expect(report.error).toMatchObject({ code: 'ERR_NETWORK', status: undefined, isAxiosError: true });
      expect(report.reasons).toEqual(['unsafe-method']);
      expect(sentBy(api.requests).length).toBe(1);
    });
  });

  test('a connection that is refused proves nothing to a page: GET is tried again, POST is not', async () => {
    const url = await refusedOrigin();
    const policy = { ...retry, maxRetries: 2 };
    const get = await tab().perform({ request: { adapter, url }, retry: policy });
    expect(get.error).toMatchObject({ code: 'ERR_NETWORK', status: undefined, isAxiosError: true });
    expect(get.reasons).toEqual(['transport-error', 'transport-error', 'retries-spent']);
    const post = await tab().perform({
      request: { adapter, url, method: 'post', data: 'tea' },
      retry: policy,
    });
    expect(post.reasons).toEqual(['unsafe-method']);
  });

  test('a POST that got a 503 is not sent again', async () => {
    await using api = await startLab(allowing(readable(503), readable(200)));
    const report = await tab().perform({
      request: { adapter, url: api.origin, method: 'post', data: json },
      retry,
    });
    expect(report.error?.status).toBe(503);
    expect(report.reasons).toEqual(['unsafe-method']);
    expect(sentBy(api.requests).length).toBe(1);
  });

  test('a POST with a key is sent again with the same key', async () => {
    await using api = await startLab(allowing(readable(503), answer(502), readable(201)));
    const report = await tab().perform({
      request: { adapter, url: api.origin, method: 'post', data: json },
      retry: { ...retry, idempotencyKey: true },
    });
    expect(report).toMatchObject({ response: { status: 201 } });
    const sent = sentBy(api.requests);
    expect(sent.map(({ body }) => String(body))).toEqual(Array(3).fill(JSON.stringify(json)));
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(sent[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  test.each([
    ['blob', /^application\/x-www-form-urlencoded/, 'half a blob'],
    ['params', /^application\/x-www-form-urlencoded/, 'item=tea+%26+cake'],
    ['form', /^multipart\/form-data; boundary=/, 'filename="cake.txt"'],
  ] as const)('a body (%s) is sent again whole', async (body, type, content) => {
    await using api = await startLab(allowing(readable(503), readable(200)));
    const report = await tab().perform({
      request: { adapter, url: api.origin, method: 'put' },
      body,
      retry,
    });
    expect(report).toMatchObject({ response: { status: 200 } });
    const sent = sentBy(api.requests);
    expect(sent.length).toBe(2);
    for (const request of sent) {
      expect(request.headers['content-type']).toMatch(type);
      expect(String(request.body)).toContain(content);
    }
  });
});

test('a stream that is not handed over is given back', async () => {
  const endless = endlessBody(65_536, 503, { 'access-control-allow-origin': '*' });
  await using api = await startLab(allowing(endless, readable(200, 'tea')));
  const report = await tab().perform({
    request: { adapter: 'fetch', url: api.origin, responseType: 'stream' },
    retry,
  });
  expect(report.response).toEqual({ status: 200, data: 'tea' });
  await api.until(({ connections, openSockets }) => openSockets < connections);
});
