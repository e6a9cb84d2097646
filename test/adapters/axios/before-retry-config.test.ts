/** `beforeRetry` changes the next attempt, and nothing of its changes stays in the caller's configuration. */

import type { AxiosRequestConfig } from 'axios';
import { describe, expect, test, vi } from 'vitest';
import type { BeforeRetry, RetryContext } from '../../../src/index.js';
import { answer, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { retryingInstance } from './kit.js';

/** A hang takes forever; nothing else takes nearly as long. */
vi.setConfig({ testTimeout: 10_000 });

const adapters = ['http', 'fetch'] as const;
const twice503 = [answer(503), answer(503), answer(200, 'fine')];

describe('headers that the caller has axios leave out stay out of the retry, unless the hook puts them in', () => {
  test.each([null, false])('%s', async (none) => {
    const lab = await openLab([answer(503), answer(503), answer(200)]);
    let retries = 0;
    const beforeRetry: BeforeRetry = (context) => {
      retries += 1;
      if (retries === 2) context.headers['user-agent'] = 'mine';
    };
    const headers = { 'User-Agent': none as unknown as string, 'Accept-Encoding': none as unknown as string };
    await retryingInstance({ ...soon, beforeRetry }, { adapter: 'http' }).get(lab.origin, { headers });
    expect(lab.requests.map((request) => request.headers['user-agent'])).toEqual([
      undefined,
      undefined,
      'mine',
    ]);
    expect(lab.requests.map((request) => 'accept-encoding' in request.headers)).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('what it sees', () => {
  test('the URL with its params, headers in lower case, the decision and the history', async () => {
    const seen: RetryContext[] = [];
    const beforeRetry: BeforeRetry = (context) => {
      seen.push({ ...context, headers: { ...context.headers }, history: [...context.history] });
    };
    const lab = await openLab([answer(503), rst(), answer(200)]);
    const instance = retryingInstance({ ...soon, beforeRetry }, { baseURL: `${lab.origin}/v1/` });
    const headers = { 'X-Token': 'old', 'X-List': ['a', 'b'], 'X-None': null };
    await instance.put('things', 'text', { params: { q: 'a b', list: [1, 2] }, headers });
    const [first] = lab.requests;
    expect(first?.path).toMatch(/^\/v1\/things\?q=a\+b&list.+=1&list.+=2$/);
    expect(seen.map(({ url }) => url)).toEqual(Array(2).fill(`${lab.origin}${first?.path}`));
    expect(seen[0]?.headers).toMatchObject({ 'x-token': 'old', 'x-list': ['a', 'b'] });
    expect(Object.keys(seen[0]?.headers ?? {})).not.toContain('x-none');
    // Without anything that an adapter added.
    expect(seen[1]?.headers).toEqual(seen[0]?.headers);
    expect(seen[0]?.headers).not.toHaveProperty('content-length');
    expect(seen.map(({ decision }) => [decision.attempt, decision.reason])).toEqual([
      [1, 'transient-status'],
      [2, 'transport-error'],
    ]);
    expect(seen.map(({ history }) => history.length)).toEqual([1, 2]);
    expect(seen[0]?.request).toMatchObject({
      method: 'PUT',
      origin: lab.origin,
      path: first?.path,
      url: `${lab.origin}${first?.path}`,
      keyed: false,
    });
  });
});

describe('headers', () => {
  test.each(adapters)('a new token is sent, and stays for the attempts after it (%s)', async (adapter) => {
    const lab = await openLab(twice503);
    let calls = 0;
    const beforeRetry: BeforeRetry = async ({ headers }) => {
      await new Promise(setImmediate);
      calls += 1;
      if (calls === 1) headers['authorization'] = 'Bearer new';
      else headers['x-calls'] = `${headers['authorization']}, ${calls}`;
    };
    const instance = retryingInstance({ ...soon, beforeRetry }, { adapter });
    const headers = { Authorization: 'Bearer old' };
    const { config } = await instance.post(lab.origin, { a: 1 }, { headers, retry: { idempotent: true } });
    const sent = lab.requests.map(({ headers }) => [headers['authorization'], headers['x-calls']]);
    expect(sent).toEqual([
      ['Bearer old', undefined],
      ['Bearer new', undefined],
      ['Bearer new', 'Bearer new, 2'],
    ]);
    // Each header occurs once, whatever its case.
    for (const { rawHeaders } of lab.requests) {
      const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
      expect(new Set(names).size).toBe(names.length);
    }
    expect(lab.requests.map(({ body }) => body.toString())).toEqual(Array(3).fill('{"a":1}'));
    expect(config.headers.get('authorization')).toBe('Bearer old');
    expect(config.headers.get('x-calls')).toBeUndefined();
  });

  test.each(adapters)('one that is deleted is not sent any more (%s)', async (adapter) => {
    const lab = await openLab(twice503);
    const beforeRetry: BeforeRetry = ({ headers }) => {
      delete headers['x-stale'];
    };
    const instance = retryingInstance({ ...soon, beforeRetry }, { adapter });
    const { config } = await instance.get(lab.origin, { headers: { 'X-Stale': 'yes', 'X-Fresh': 'yes' } });
    expect(lab.requests.map(({ headers }) => headers['x-stale'])).toEqual(['yes', undefined, undefined]);
    expect(lab.requests.map(({ headers }) => headers['x-fresh'])).toEqual(['yes', 'yes', 'yes']);
    expect(config.headers.get('x-stale')).toBe('yes');
  });

  test('headers that axios was not to add are not added later', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const beforeRetry: BeforeRetry = () => undefined;
    const headers = { 'User-Agent': false };
    await retryingInstance({ ...soon, beforeRetry }).get(lab.origin, { headers });
    expect(lab.requests.map(({ headers }) => headers['user-agent'])).toEqual([undefined, undefined]);
  });

  test("the library's own key is there to be seen, and is sent with every attempt", async () => {
    const seen: unknown[] = [];
    const lab = await openLab(twice503);
    const beforeRetry: BeforeRetry = ({ headers }) => void seen.push(headers['idempotency-key']);
    const policy = { ...soon, beforeRetry, idempotencyKey: true, attemptHeader: true } as const;
    const { config } = await retryingInstance(policy).post(lab.origin, 'x');
    const key = lab.requests[0]?.headers['idempotency-key'];
    expect(key).toMatch(/^[\da-f-]{36}$/);
    expect(lab.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([key, key, key]);
    expect(seen).toEqual([key, key]);
    // The key stays, since it belongs to the request; the retry number does not.
    expect(config.headers.get('idempotency-key')).toBe(key);
    expect(config.headers.has('retry-attempt')).toBe(false);
  });
});

describe('the URL', () => {
  test.each(adapters)('another server, path and query: exactly as written (%s)', async (adapter) => {
    const lab = await openLab(answer(503));
    const other = await openLab([answer(503), answer(200, 'from the other')]);
    const urls: string[] = [];
    const beforeRetry: BeforeRetry = (context) => {
      urls.push(context.url);
      if (urls.length === 1) context.url = `${other.origin}/spare?for=${encodeURIComponent('a b')}`;
    };
    const request: AxiosRequestConfig = { baseURL: `${lab.origin}/v1`, params: { q: 1 } };
    const instance = retryingInstance({ ...soon, beforeRetry }, { adapter });
    const { data, config } = await instance.get('/things', request);
    expect(data).toBe('from the other');
    expect(lab.requests.map(({ path }) => path)).toEqual(['/v1/things?q=1']);
    // Later attempts stay there, too.
    expect(other.requests.map(({ path }) => path)).toEqual(['/spare?for=a%20b', '/spare?for=a%20b']);
    expect(urls).toEqual([`${lab.origin}/v1/things?q=1`, `${other.origin}/spare?for=a%20b`]);
    expect(config).toMatchObject({ url: '/things', baseURL: `${lab.origin}/v1`, params: { q: 1 } });
  });

  test('a part of it, by way of URL', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const beforeRetry: BeforeRetry = (context) => {
      const url = new URL(context.url);
      url.searchParams.set('attempt', '2');
      context.url = url.href;
    };
    const instance = retryingInstance({ ...soon, beforeRetry }, { baseURL: lab.origin });
    await instance.get('/things', { params: { q: 1 } });
    expect(lab.requests.map(({ path }) => path)).toEqual(['/things?q=1', '/things?q=1&attempt=2']);
  });

  test('left alone, params and their serialiser are as they were', async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const urls: string[] = [];
    const beforeRetry: BeforeRetry = ({ url }) => void urls.push(url);
    const instance = retryingInstance({ ...soon, beforeRetry });
    const paramsSerializer = { serialize: () => 'my=own' };
    await instance.get(`${lab.origin}/things`, { params: { q: 1 }, paramsSerializer });
    expect(urls).toEqual([`${lab.origin}/things?my=own`]);
    expect(lab.requests.map(({ path }) => path)).toEqual(['/things?my=own', '/things?my=own']);
  });

  test('of a failure, too, the configuration is the caller’s', async () => {
    const lab = await openLab(answer(503));
    const beforeRetry: BeforeRetry = (context) => {
      context.url = `${lab.origin}/elsewhere`;
      context.headers['x-new'] = 'yes';
    };
    const instance = retryingInstance({ ...soon, beforeRetry }, { baseURL: lab.origin });
    const { error } = await settled(
      instance.get('/things', { params: { q: 1 }, headers: { 'X-Old': 'yes' } }),
    );
    const { config } = error as { config: AxiosRequestConfig & { headers: Record<string, unknown> } };
    expect(config).toMatchObject({ url: '/things', baseURL: lab.origin, params: { q: 1 } });
    expect(config.headers['X-Old']).toBe('yes');
    expect(config.headers).not.toHaveProperty('x-new');
    // Sent again, the configuration starts where the first request started.
    lab.play(answer(200));
    await instance.request(config);
    expect(lab.requests.map(({ path }) => path)).toEqual(['/things?q=1']);
    expect(lab.requests[0]?.headers).not.toHaveProperty('x-new');
  });
});

test.each(adapters)(
  'a retry elsewhere leaves no name in the configuration that was not there (%s)',
  async (adapter) => {
    const [lab, spare] = [await openLab(answer(503)), await openLab(answer(200))];
    const named: string[][] = [];
    const beforeRetry: BeforeRetry = (context) => {
      context.url = `${spare.origin}/`;
    };
    const instance = retryingInstance({ ...soon, beforeRetry }, { adapter });
    instance.interceptors.request.use((config) => {
      named.push(Object.keys(config).sort());
      return config;
    });
    const { config } = await instance.get(lab.origin);
    // axios itself sets `data`, even if only to undefined.
    expect(named).toEqual([
      Object.keys(config)
        .filter((name) => name !== 'data')
        .sort(),
    ]);
  },
);
