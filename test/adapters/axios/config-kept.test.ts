/** The caller's configuration is the same object with the same contents at the end, however often it was sent. */

import type { AxiosInstance, AxiosRequestConfig, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { answer, type Lab, type Play, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { uuid } from '../sent-headers.js';
import { axios } from './client.js';
import { openInstance, retryingInstance } from './kit.js';

/** Every setting that makes us change the configuration during an attempt. */
const busy: PolicyOptions = {
  ...soon,
  attemptTimeoutMs: 10_000,
  deadlineMs: 30_000,
  idempotencyKey: true,
  attemptHeader: true,
  beforeRetry: (context) => {
    context.headers['x-token'] = 'fresh';
    context.url = context.url.replace('/a?', '/elsewhere?');
  },
};

const adapters = ['http', 'fetch'] as const;

interface Seen {
  readonly config: InternalAxiosRequestConfig;
  /** The configuration as the last request interceptor left it: the same object, and what was in it. */
  readonly given: InternalAxiosRequestConfig;
  readonly before: Record<string, unknown>;
}

/** The configuration in `response.config` or `error.config`. */
async function seenBy(
  instance: AxiosInstance,
  origin: string,
  more: AxiosRequestConfig = {},
): Promise<Seen & { outcome: AxiosResponse | undefined }> {
  const given: InternalAxiosRequestConfig[] = [];
  const before: Record<string, unknown>[] = [];
  const id = instance.interceptors.request.use((config) => {
    given.push(config);
    before.push({ ...config, headers: { ...config.headers } });
    return config;
  });
  const { signal } = new AbortController();
  const { value, error } = await settled(
    instance.request({
      url: '/a',
      baseURL: origin,
      method: 'put',
      params: { page: 1 },
      data: { b: 2 },
      headers: { 'X-Mine': '1' },
      timeout: 5_000,
      signal,
      ...more,
    }),
  );
  instance.interceptors.request.eject(id);
  const { config } = (value ?? error) as { config: InternalAxiosRequestConfig };
  return {
    config,
    given: given[0] as InternalAxiosRequestConfig,
    before: before[0] as Record<string, unknown>,
    outcome: value,
  };
}

const outcomes: [string, Play[]][] = [
  ['success after retries', [answer(503), rst(), answer(200)]],
  ['the last failure', [answer(503)]],
  ['a final failure after a retry', [answer(503), answer(404)]],
  ['an error', [rst()]],
];

describe.each(adapters)('by %s, at', (adapter) => {
  test.each(outcomes)(
    '%s: everything is as it was, and the key that was made stays',
    async (_what, plays) => {
      const lab = await openLab(plays);
      const { config, given, before } = await seenBy(retryingInstance(busy, { adapter }), lab.origin);

      expect(config).toBe(given);
      const { headers, data, adapter: _ours, ...others } = config;
      const { headers: headersBefore, data: _dataBefore, adapter: _adapterBefore, ...othersBefore } = before;
      expect(others).toEqual(othersBefore);
      expect(Object.keys(config).toSorted()).toEqual(Object.keys(before).toSorted());
      expect(Reflect.ownKeys(config).filter((key) => typeof key === 'symbol')).toEqual([]);
      expect(config.signal).toBe(before['signal']);
      expect(config.transformRequest).toBe(before['transformRequest']);
      expect(config.transformResponse).toBe(before['transformResponse']);
      expect(config.adapter).toBe(adapter);
      // As in axios, the configuration shows the transformed data and its type.
      expect(data).toBe('{"b":2}');
      expect(headers).toBeInstanceOf(axios.AxiosHeaders);
      expect({ ...headers }).toEqual({
        ...(headersBefore as object),
        'Content-Type': 'application/json',
        'idempotency-key': lab.requests[0]?.headers['idempotency-key'],
      });
    },
  );

  test('success at once: as without retries', async () => {
    const lab = await openLab(answer(200));
    const plain = await seenBy(openInstance({ adapter }), lab.origin);
    const retrying = await seenBy(retryingInstance(soon, { adapter }), lab.origin);
    const comparable = ({ config }: Seen): object => {
      const { httpAgent: _agent, signal: _signal, ...rest } = config;
      return { ...rest, headers: { ...config.headers } };
    };
    expect(comparable(retrying)).toEqual(comparable(plain));
    expect(retrying.config).toBe(retrying.given);
  });
});

describe('asked again with its configuration,', () => {
  test.each(adapters)('a request by %s starts afresh', async (adapter) => {
    const lab = await openLab(answer(503));
    const instance = retryingInstance({ ...busy, maxRetries: 2 }, { adapter });
    const { config } = await seenBy(instance, lab.origin);
    expect(lab.requests).toHaveLength(3);
    await settled(instance.request(config));
    expect(lab.requests).toHaveLength(6);
    const of = (name: string): (string | undefined)[] => lab.requests.map(({ headers }) => headers[name]);
    expect(of('retry-attempt')).toEqual([undefined, '1', '2', undefined, '1', '2']);
    expect(of('x-token')).toEqual([undefined, 'fresh', 'fresh', undefined, 'fresh', 'fresh']);
    // It is the same request, which a server must not carry out twice.
    expect(of('idempotency-key')).toEqual(Array(6).fill(expect.stringMatching(uuid)));
    expect(new Set(of('idempotency-key')).size).toBe(1);
    expect(lab.requests.map(({ path }) => path)).toEqual(
      Array(2).fill(['/a?page=1', '/elsewhere?page=1', '/elsewhere?page=1']).flat(),
    );
    expect(lab.requests.map(({ body }) => String(body))).toEqual(Array(6).fill('{"b":2}'));
  });

  test('one that was not to be retried, and its override, too', async () => {
    const lab = await openLab(answer(503));
    const instance = retryingInstance();
    const { error } = await settled(instance.get(lab.origin, { retry: { maxRetries: 1 } }));
    const { config } = error as { config: AxiosRequestConfig };
    expect(config.retry).toEqual({ maxRetries: 1 });
    await settled(instance.request(config));
    expect(lab.requests).toHaveLength(4);
    await settled(instance.request({ ...config, retry: false }));
    expect(lab.requests).toHaveLength(5);
  });
});

describe('one configuration object for several requests', () => {
  test('one after the other, and at once', async () => {
    const lab = await openLab(answer(503));
    const instance = retryingInstance({ ...busy, maxRetries: 1, budget: false });
    const mine = {
      url: `${lab.origin}/a`,
      method: 'put',
      data: { b: 2 },
      params: { page: 1 },
      headers: { 'x-mine': '1' },
      signal: new AbortController().signal,
    };
    const before = { ...mine, headers: { ...mine.headers } };
    await settled(instance.request(mine));
    await Promise.all(Array.from({ length: 5 }, () => settled(instance.request(mine))));
    expect(mine).toEqual(before);
    expect(mine.signal).toBe(before.signal);
    expect(lab.requests).toHaveLength(12);
    const attempts = lab.requests.map(({ headers }) => headers['retry-attempt'] ?? '0').toSorted();
    expect(attempts).toEqual([...Array(6).fill('0'), ...Array(6).fill('1')]);
    expect(new Set(lab.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(6);
    expect(new Set(lab.requests.map(({ body }) => String(body)))).toEqual(new Set(['{"b":2}']));
  });
});

describe('the headers of each attempt are those of the first:', () => {
  /** Names and values as they arrived, without those that differ between attempts by design. */
  function headersOf(lab: Lab): string[] {
    return lab.requests.map(({ rawHeaders }) => JSON.stringify(rawHeaders));
  }

  test.each<[string, AxiosRequestConfig]>([
    ['none of its own', {}],
    ['a body of JSON', { method: 'put', data: { a: 'ä' } }],
    ['text', { method: 'put', data: 'text', headers: { 'content-type': 'text/plain' } }],
    ['bytes', { method: 'put', data: Buffer.from([1, 2, 3]) }],
    ['a form', { method: 'put', data: new URLSearchParams({ a: '1' }) }],
    ['an agent of its own', { headers: { 'User-Agent': 'me', accept: 'text/x-a' } }],
    ['basic auth', { auth: { username: 'a', password: 'b' } }],
    ['lists', { headers: { 'x-list': ['1', '2'] as unknown as string } }],
    ['one that is not to be sent', { headers: { 'User-Agent': false as unknown as string, accept: null } }],
  ])('%s', async (_what, request) => {
    const plain = await openLab(answer(200));
    await openInstance({ adapter: 'http' }).request({ url: plain.origin, ...request });
    const lab = await openLab([answer(503), rst(), answer(200)]);
    await retryingInstance(soon, { adapter: 'http' }).request({ url: lab.origin, ...request });

    const [expected = ''] = headersOf(plain);
    expect(headersOf(lab)).toEqual(Array(3).fill(expected.replaceAll(String(plain.port), String(lab.port))));
  });

  test('a multipart form, except for its boundary, which fits the body', async () => {
    const lab = await openLab([answer(503), answer(503), answer(200)]);
    const form = new FormData();
    form.append('a', '1');
    form.append('file', new Blob(['content']), 'a.txt');
    await retryingInstance(soon, { adapter: 'http' }).put(lab.origin, form);
    expect(lab.requests).toHaveLength(3);
    for (const { headers, body } of lab.requests) {
      const [, boundary] = /^multipart\/form-data; ?boundary=(.+)$/.exec(headers['content-type'] ?? '') ?? [];
      expect(boundary).toBeDefined();
      expect(String(body).startsWith(`--${boundary}\r\n`)).toBe(true);
      expect(headers['content-length']).toBe(String(body.length));
    }
  });

  test('those in the defaults, whatever an attempt makes of its own', async () => {
    const lab = await openLab([answer(503), answer(200), answer(200)]);
    const instance = openInstance({
      headers: { common: { 'x-common': '1' }, put: { 'x-put': '2' } } as never,
    });
    const before = JSON.stringify(instance.defaults.headers);
    attachRetry(instance, busy);
    await instance.put(lab.origin, 'x');
    await instance.get(lab.origin);
    expect(lab.requests.map(({ headers }) => [headers['x-common'], headers['x-put']])).toEqual([
      ['1', '2'],
      ['1', '2'],
      ['1', undefined],
    ]);
    expect(JSON.stringify(instance.defaults.headers)).toBe(before);
  });
});
