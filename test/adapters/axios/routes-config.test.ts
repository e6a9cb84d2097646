/** The rule that a request matches and its scope, however axios builds the URL. */

import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxiosRequestConfig } from 'axios';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RequestEvent, SettledEvent } from '../../../src/core/events.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { canRefuseAbsoluteUrls, version } from './client.js';
import { retryingInstance } from './kit.js';

interface Told {
  readonly rule: string;
  readonly scope: string;
  readonly url: string;
}

/** The rule and scope of a request that is not sent. */
async function told(rules: PolicyOptions['rules'], request: AxiosRequestConfig): Promise<Told> {
  const events: RequestEvent[] = [];
  const instance = retryingInstance({ ...(rules && { rules }), observe: (event) => void events.push(event) });
  await instance.request({
    adapter: async (config) => ({ status: 200, statusText: '', headers: {}, config, data: '' }),
    ...request,
  });
  const [event] = events;
  return { rule: event?.rule ?? '', scope: event?.scope ?? '', url: event?.request.url ?? '' };
}

const rules = [{ match: 'GET api.test/v1/things/:id', name: 'found' }];

describe('a rule by method, host and path is found for', () => {
  test.each<[string, AxiosRequestConfig]>([
    ['an absolute URL', { url: 'http://api.test/v1/things/7' }],
    [
      'an absolute URL beside a baseURL',
      { baseURL: 'http://other.test/', url: 'http://api.test/v1/things/7' },
    ],
    ['a baseURL and a path', { baseURL: 'http://api.test', url: '/v1/things/7' }],
    ['a baseURL with a slash and a path', { baseURL: 'http://api.test/', url: '/v1/things/7' }],
    ['a baseURL with a path, and a path', { baseURL: 'http://api.test/v1/', url: 'things/7' }],
    ['a baseURL with a path, and one with slashes', { baseURL: 'http://api.test/v1', url: '/things/7/' }],
    ['a baseURL alone', { baseURL: 'http://api.test/v1/things/7' }],
    ['dot segments', { baseURL: 'http://api.test/v1/x', url: '../things/7' }],
    ['params', { url: 'http://api.test/v1/things/7', params: { page: 1 } }],
    ['a port of its own', { url: 'http://api.test:8080/v1/things/7' }],
    ['any adapter by its name', { url: 'http://api.test/v1/things/7', method: 'GET' }],
  ])('%s', async (_what, request) => {
    expect(await told(rules, request)).toMatchObject({ rule: 'found' });
  });

  test.each<[string, AxiosRequestConfig]>([
    ['another host', { url: 'http://api.test.evil.test/v1/things/7' }],
    ['a relative URL without a base', { url: '/v1/things/7' }],
  ])('not for %s', async (_what, request) => {
    expect(await told(rules, request)).toMatchObject({ rule: 'default' });
  });

  test('an interceptor’s last word on where it goes', async () => {
    const events: string[] = [];
    const instance = retryingInstance({ rules, observe: ({ rule }) => void events.push(rule) });
    instance.interceptors.request.use((config) => Object.assign(config, { url: '/v1/things/7' }));
    instance.defaults.baseURL = 'http://api.test';
    instance.defaults.adapter = async (config) => ({
      status: 200,
      statusText: '',
      headers: {},
      config,
      data: '',
    });
    await instance.get('/nowhere');
    expect(events).toEqual(['found']);
  });
});

/**
 * Requests with unusual addresses, which axios sends in its own way or not at all; the server shows where they arrive.
 */
type RequestTo = (origin: string) => AxiosRequestConfig;

/** Expects the scope to be the server that the request reached, and the URL to be the one that it arrived with. */
async function expectToldAsSent(requestTo: RequestTo): Promise<void> {
  const lab = await openLab(answer(200));
  const events: SettledEvent[] = [];
  const retrier = createRetrier({
    observe: (event) => {
      if (event.type === 'settled') events.push(event);
    },
  });
  await retryingInstance(retrier, { adapter: 'http' }).request(requestTo(lab.origin));
  const [sent] = lab.requests;
  const [event] = events;
  expect(retrier.snapshot().scopes.map(({ name }) => name)).toEqual([lab.origin]);
  expect(event?.scope).toBe(lab.origin);
  expect(new URL(event?.request.url ?? '').pathname).toBe(sent?.path.split('?')[0]);
  expect(JSON.stringify([events, retrier.snapshot()])).not.toContain('secret');
}

describe('as they are sent:', () => {
  test.each<[string, RequestTo]>([
    ['a baseURL and a path', (origin) => ({ baseURL: `${origin}/v1/`, url: '/things' })],
    ['an absolute URL', (origin) => ({ baseURL: 'http://a.test', url: `${origin}/v1` })],
    ['userinfo', (origin) => ({ url: origin.replace('//', '//me:secret@') })],
    ['an empty url', (origin) => ({ baseURL: `${origin}/v1`, url: '' })],
    ['a query in the baseURL', (origin) => ({ baseURL: `${origin}/v1?key=secret`, url: 'things' })],
    ['upper case', (origin) => ({ url: origin.toUpperCase() })],
    ['spaces around', (origin) => ({ url: `  ${origin}/v1  ` })],
    ['backslashes', (origin) => ({ url: `${origin}\\v1` })],
  ])('%s', async (_what, requestTo) => {
    await expectToldAsSent(requestTo);
  });

  test.skipIf(!canRefuseAbsoluteUrls).each<[string, string]>([
    ['an absolute URL', 'http://a.test/v1'],
    ['`//host`', '//a.test/v1'],
  ])('%s that is to be a path', async (_what, url) => {
    await expectToldAsSent((origin) => ({ baseURL: origin, url, allowAbsoluteUrls: false }));
  });

  // 1.7.0 adds a scheme.
  test.skipIf(version === '1.7.0')(
    'an address without a scheme is sent nowhere, and fails as without retries',
    async () => {
      const { error } = await settled(retryingInstance().get('//127.0.0.1:1/a', { adapter: 'http' }));
      expect(error).toBeInstanceOf(Error);
      expect(error).toMatchObject({ code: 'ERR_INVALID_URL' });
    },
  );
});

describe('scopes', () => {
  test.each<[string, string[]]>([
    ['letters of the host', ['http://A.test/x', 'http://a.test/y']],
    ['the port that goes without saying', ['http://a.test:80/', 'http://a.test/']],
  ])('differ by servers, and not by %s', async (_what, urls) => {
    const retrier = createRetrier();
    const instance = retryingInstance(retrier, {
      adapter: async (config) => ({ status: 200, statusText: '', headers: {}, config, data: '' }),
    });
    for (const url of urls) await instance.get(url);
    expect(retrier.snapshot().scopes.map(({ name }) => name)).toEqual(['http://a.test']);
  });

  test.each<[string, string]>([
    ['userinfo', 'http://me:secret@a.test/x'],
    ['userinfo with an @ in it', 'http://me:secret@secret@a.test/x'],
    ['userinfo, spelled with backslashes', 'http:\\\\me:secret@a.test\\x'],
    ['userinfo behind one slash', 'http:/me:secret@a.test/x'],
    ['userinfo behind no slash', 'http:me:secret@a.test/x'],
    ['userinfo behind a space', ' http://me:secret@a.test/x'],
    ['a query', 'http://a.test/x?token=secret'],
    ['a fragment', 'http://a.test/x#token=secret'],
    ['no server', '/x?token=secret'],
    ['no server, but another URL', '/x?next=http://secret.test/y'],
  ])('and what is told show no secret of %s', async (_what, url) => {
    const events: unknown[] = [];
    const retrier = createRetrier({ observe: (event) => void events.push(event) });
    await retryingInstance(retrier).get(url, {
      adapter: async (config) => ({ status: 200, statusText: '', headers: {}, config, data: '' }),
      params: { key: 'secret' },
      auth: { username: 'me', password: 'secret' },
      headers: { authorization: 'secret' },
      data: 'secret',
    });
    expect(events).toHaveLength(1);
    expect(JSON.stringify([events, retrier.snapshot()])).not.toContain('secret');
  });
});

describe('over a Unix socket', () => {
  /** Answers 503 and 200 in turn. */
  async function openSocket(): Promise<string> {
    const socketPath = join(tmpdir(), `undaunted-${process.pid}-${randomUUID()}.sock`);
    let sent = 0;
    const server = createServer((_request, response) => {
      sent += 1;
      response.writeHead(sent % 2 === 1 ? 503 : 200, { connection: 'close' }).end();
    });
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    onTestFinished(async () => {
      await new Promise((resolve) => server.close(resolve));
      await rm(socketPath, { force: true });
    });
    return socketPath;
  }

  test('the rule is that of the URL, and the socket is part of the scope', async () => {
    const retrier = createRetrier({ maxRetries: 0, rules: [{ ...soon, match: 'docker/*', maxRetries: 1 }] });
    const sockets = [await openSocket(), await openSocket()];
    for (const socketPath of sockets) {
      const instance = retryingInstance(retrier, { adapter: 'http', socketPath });
      expect((await instance.get('http://docker/containers')).status).toBe(200);
    }
    const names = retrier.snapshot().scopes.map(({ name }) => name);
    expect(names).toEqual(sockets.map((socketPath) => `unix:${socketPath} http://docker`));
  });

  test('one that is spent leaves the others their budget', async () => {
    const retrier = createRetrier({ ...soon, maxRetries: 1, budget: { capacity: 1, perSecond: 0 } });
    for (const socketPath of [await openSocket(), await openSocket()]) {
      const instance = retryingInstance(retrier, { adapter: 'http', socketPath });
      expect((await instance.get('http://docker/containers')).status).toBe(200);
    }
  });

  test('a scope that is named is shared whatever the socket is', async () => {
    const retrier = createRetrier({ ...soon, scope: 'all daemons' });
    for (const socketPath of [await openSocket(), await openSocket()]) {
      await retryingInstance(retrier, { adapter: 'http', socketPath }).get('http://docker/containers');
    }
    expect(retrier.snapshot().scopes.map(({ name }) => name)).toEqual(['all daemons']);
  });

  test('where the URL names no server, the socket is the scope', async () => {
    const socketPath = await openSocket();
    const retrier = createRetrier(soon);
    // Some versions of axios cannot make a URL of it.
    await settled(retryingInstance(retrier, { adapter: 'http', socketPath }).get('/containers'));
    expect(retrier.snapshot().scopes.map(({ name }) => name)).toEqual([`unix:${socketPath}`]);
  });
});
