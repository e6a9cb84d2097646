/** `beforeRetry` sends a request to another origin: what says who the caller is stays at home. */

import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer, Agent as HttpAgent } from 'node:http';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxiosAdapter, AxiosRequestConfig } from 'axios';
import { expect, onTestFinished, test } from 'vitest';
import type { BeforeRetry } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { retryingInstance } from './kit.js';

/** The second attempt goes elsewhere, and all later ones back. */
function awayAndBack(home: string, elsewhere: string): BeforeRetry {
  let retries = 0;
  return (context) => {
    retries += 1;
    context.url = retries === 1 ? elsewhere : home;
  };
}

test.each(['http', 'fetch'])('auth: over %s', async (adapter) => {
  const [lab, other] = [await openLab([answer(503), answer(200)]), await openLab(answer(503))];
  const beforeRetry = awayAndBack(`${lab.origin}/`, `${other.origin}/`);
  const instance = retryingInstance({ ...soon, beforeRetry }, { adapter });
  const auth = { username: 'me', password: 'secret' };
  const { config } = await instance.get(lab.origin, { auth });
  const basic = `Basic ${btoa('me:secret')}`;
  expect(lab.requests.map(({ headers }) => headers['authorization'])).toEqual([basic, basic]);
  expect(other.requests.map(({ headers }) => headers['authorization'])).toEqual([undefined]);
  expect(config.auth).toEqual(auth);
});

test.each(['http', 'fetch'])('what the hook itself sends elsewhere is sent: over %s', async (adapter) => {
  const [lab, other] = [await openLab(answer(503)), await openLab(answer(200))];
  const beforeRetry: BeforeRetry = (context) => {
    context.url = other.origin;
    context.headers['authorization'] = 'Bearer theirs';
  };
  const instance = retryingInstance({ ...soon, beforeRetry }, { adapter });
  await instance.get(lab.origin, { auth: { username: 'me', password: 'secret' } });
  expect(other.requests.map(({ headers }) => headers['authorization'])).toEqual(['Bearer theirs']);
});

test.each(['http', 'fetch'])('at the same origin, auth stays: over %s', async (adapter) => {
  const lab = await openLab([answer(503), answer(200)]);
  const beforeRetry: BeforeRetry = (context) => {
    context.url = `${lab.origin}/spare`;
  };
  const instance = retryingInstance({ ...soon, beforeRetry }, { adapter });
  await instance.get('/first', { baseURL: lab.origin, auth: { username: 'me', password: 'secret' } });
  const basic = `Basic ${btoa('me:secret')}`;
  expect(lab.requests.map(({ path, headers }) => [path, headers['authorization']])).toEqual([
    ['/first', basic],
    ['/spare', basic],
  ]);
});

test('socketPath does not decide where such a request goes', async () => {
  const socketPath = join(tmpdir(), `undaunted-${process.pid}-${randomUUID()}.sock`);
  let atSocket = 0;
  const server = createServer((_request, response) => {
    atSocket += 1;
    response.writeHead(503).end();
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await rm(socketPath, { force: true });
  });
  const other = await openLab(answer(200, 'from the other'));
  const beforeRetry: BeforeRetry = (context) => {
    context.url = `${other.origin}/`;
  };
  const instance = retryingInstance({ ...soon, beforeRetry }, { adapter: 'http', socketPath });
  const { data, config } = await instance.get('http://docker/');
  expect([data, atSocket, config.socketPath]).toEqual(['from the other', 1, socketPath]);
});

test('a proxy stays, without its credentials', async () => {
  const proxy = await openLab([answer(503), answer(200)]);
  const beforeRetry: BeforeRetry = (context) => {
    context.url = 'http://b.example/';
  };
  const auth = { username: 'me', password: 'secret' };
  const given = { host: '127.0.0.1', port: proxy.port, protocol: 'http', auth };
  const instance = retryingInstance({ ...soon, beforeRetry }, { adapter: 'http', proxy: given });
  const { config } = await instance.get('http://a.example/');
  expect(proxy.requests.map(({ path, headers }) => [path, headers['proxy-authorization']])).toEqual([
    ['http://a.example/', `Basic ${btoa('me:secret')}`],
    ['http://b.example/', undefined],
  ]);
  // Older versions make a text of it.
  expect(config.proxy).toMatchObject({ ...given, auth: expect.anything() });
});

test('client certificates, sockets and cookies stay at home; all else goes along', async () => {
  const plain = new HttpAgent();
  const kept = { httpAgent: plain, proxy: false as const, maxRedirects: 3 };
  const own = {
    auth: { username: 'me', password: 'secret' },
    httpsAgent: new Agent({ cert: 'mine', key: 'mine' }),
    http2Options: { pfx: 'mine' },
    withCredentials: true,
    withXSRFToken: true,
  };
  const fetchOptions = { cache: 'no-store', unix: '/a.sock', tls: { cert: 'mine' } };
  const seen: AxiosRequestConfig[] = [];
  const adapter: AxiosAdapter = async (config) => {
    seen.push({ ...config });
    const status = seen.length < 3 ? 503 : 200;
    return { status, statusText: '', headers: {}, data: '', config };
  };
  const beforeRetry = awayAndBack('http://a.example/', 'http://b.example/');
  const instance = retryingInstance({ ...soon, beforeRetry }, { adapter });
  const asked = { ...kept, ...own, fetchOptions, validateStatus: null };
  const { config } = await instance.get('http://a.example/', asked as AxiosRequestConfig);
  expect(seen.map(({ url }) => url)).toEqual(['http://a.example/', 'http://b.example/', 'http://a.example/']);
  const [first, away, back] = seen;
  for (const home of [first, back, config]) expect(home).toMatchObject({ ...kept, ...own, fetchOptions });
  expect(away).toMatchObject({ ...kept, fetchOptions: { cache: 'no-store' } });
  expect(Object.keys(away?.fetchOptions ?? {})).toEqual(['cache']);
  for (const key of Object.keys(own)) expect(away).not.toHaveProperty(key);
});
