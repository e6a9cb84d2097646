/** The request as functions are told it, in all the forms in which axios is given its address and its headers. */

import type { AxiosRequestConfig } from 'axios';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ToldRequest } from '../../../src/index.js';
import { axios, canRefuseAbsoluteUrls } from './client.js';
import { retryingInstance } from './kit.js';

/** What `match.test` is told of a request that is not sent. */
async function told(request: AxiosRequestConfig): Promise<ToldRequest> {
  const seen: ToldRequest[] = [];
  const test = (given: ToldRequest): boolean => seen.push(given) > 0;
  const instance = retryingInstance({ rules: [{ match: { test } }] });
  await instance.request({
    adapter: async (config) => ({ status: 200, statusText: '', headers: {}, config, data: '' }),
    ...request,
  });
  return seen[0] as ToldRequest;
}

const origin = 'http://api.test';

describe('its address', () => {
  test.each<[string, AxiosRequestConfig, string]>([
    ['an absolute URL', { url: 'http://api.test/v1/things?q=1#part' }, '/v1/things?q=1'],
    ['a base and a path', { baseURL: 'http://api.test/v1/', url: '/things?q=1' }, '/v1/things?q=1'],
    ['a base alone', { baseURL: 'http://api.test/v1' }, '/v1'],
    ['params', { url: 'http://api.test/v1/things', params: { q: 1 } }, '/v1/things?q=1'],
    [
      'params beside a query',
      { url: 'http://api.test/things?q=1', params: { p: 'a b' } },
      '/things?q=1&p=a+b',
    ],
    ['no params', { url: 'http://api.test/things', params: {} }, '/things'],
    [
      'params as the caller writes them',
      { url: 'http://api.test/things', params: { q: 1 }, paramsSerializer: { serialize: () => 'mine' } },
      '/things?mine',
    ],
    [
      'a base with params',
      { baseURL: 'http://api.test/v1', url: 'things', params: { q: 1 } },
      '/v1/things?q=1',
    ],
    ['dot segments', { url: 'http://api.test/a/../things' }, '/things'],
    ['userinfo', { url: 'http://user:secret@api.test/things' }, '/things'],
    ['a Unix socket', { socketPath: '/run/api.sock', url: 'http://api.test/things' }, '/things'],
  ])('%s', async (_what, config, path) => {
    expect(await told(config)).toMatchObject({ origin, path, url: `${origin}${path}` });
  });

  test('is the one that axios itself would send', async () => {
    const config = { baseURL: 'http://api.test/v1', url: 'things', params: { when: new Date(0), q: [1, 2] } };
    expect((await told(config)).url).toBe(new URL(axios.getUri(config)).href);
  });

  test.runIf(canRefuseAbsoluteUrls)('allowAbsoluteUrls: false', async () => {
    const config = { baseURL: 'http://api.test', url: 'http://other.test/x', allowAbsoluteUrls: false };
    expect(await told(config)).toMatchObject({ origin, path: '/http://other.test/x' });
  });

  test.each<[string, AxiosRequestConfig]>([
    ['a path', { url: '/dir/things', params: { q: 1 } }],
    ['a relative path', { url: 'things?q=1' }],
    ['a relative base', { baseURL: '/dir', url: '/things', params: { q: 1 } }],
  ])('in a page, of %s', async (_what, config) => {
    vi.stubGlobal('location', { href: 'http://page.test/dir/page.html' });
    onTestFinished(() => void vi.unstubAllGlobals());
    expect(await told(config)).toMatchObject({ origin: 'http://page.test', path: '/dir/things?q=1' });
  });

  test('in a layer within, which is told the same', async () => {
    const seen: ToldRequest[] = [];
    const inner = retryingInstance({
      rules: [{ match: { test: (request) => seen.push(request) > 0 } }],
    });
    const beneath: AxiosRequestConfig['adapter'] = async (config) => ({
      status: 200,
      statusText: '',
      headers: {},
      config,
      data: '',
    });
    const outer = await told({
      baseURL: 'http://api.test/v1',
      url: 'things',
      params: { q: 1 },
      headers: { 'x-tenant': 'seven' },
      adapter: (config) => inner.request({ ...config, adapter: beneath }),
    });
    expect({ ...seen[0], header: undefined }).toEqual({ ...outer, header: undefined });
    expect(seen[0]?.header('x-tenant')).toBe('seven');
  });

  test('a path alone, whose origin only the adapter knows', async () => {
    expect(await told({ url: '/things', params: { q: 1 } })).toMatchObject({
      origin: undefined,
      path: '/things?q=1',
      url: '/things?q=1',
    });
  });
});

test.each<[string, AxiosRequestConfig]>([
  ['an object', { headers: { 'X-Tenant': 'seven' } }],
  ['a number', { headers: { 'x-tenant': 7 } }],
  ['a list', { headers: { 'x-tenant': ['seven', 'eight'] } }],
  ['AxiosHeaders', { headers: new axios.AxiosHeaders({ 'x-Tenant': 'seven' }) }],
])('its headers, from %s', async (_what, config) => {
  const { header } = await told({ url: 'http://api.test/', ...config });
  expect(['seven', '7', 'seven, eight']).toContain(header('X-tenant'));
  expect(header('x-other')).toBeUndefined();
});

test('its headers include those that axios itself has by default', async () => {
  expect((await told({ url: 'http://api.test/' })).header('accept')).toContain('application/json');
});

test('a header that is switched off is none', async () => {
  const { header } = await told({ url: 'http://api.test/', headers: { accept: false as never } });
  expect(header('accept')).toBeUndefined();
});
