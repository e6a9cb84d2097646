/** Every kind of dispatcher that undici has, with retry() on it. */

import type { Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier, type PolicyOptions } from '../../../src/index.js';
import { answer, connectTunnel, type Lab, type Play, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { major, undici } from './client.js';
import { openAgent } from './kit.js';

function closedAtEnd<D extends Dispatcher>(dispatcher: D): D {
  onTestFinished(() => dispatcher.destroy());
  return dispatcher;
}

const kinds: [name: string, make: (lab: Lab) => Dispatcher][] = [
  ['Client', ({ origin }) => new undici.Client(origin)],
  ['Pool', ({ origin }) => new undici.Pool(origin)],
  ['Pool of one connection', ({ origin }) => new undici.Pool(origin, { connections: 1 })],
  ['BalancedPool', ({ origin }) => new undici.BalancedPool([origin])],
  ['Agent', () => new undici.Agent()],
  ['EnvHttpProxyAgent', () => new undici.EnvHttpProxyAgent({ httpProxy: '', httpsProxy: '', noProxy: '*' })],
];

const { RoundRobinPool } = undici as { RoundRobinPool?: typeof undici.RoundRobinPool };
if (RoundRobinPool !== undefined) kinds.push(['RoundRobinPool', ({ origin }) => new RoundRobinPool(origin)]);

describe.each(kinds)('%s', (_kind, make) => {
  test('retries transient failures, and sends the whole body each time', async () => {
    const lab = await openLab([answer(503, 'no'), rst(), answer(200, 'ok')]);
    const dispatcher = closedAtEnd(make(lab)).compose(retry(soon));
    const { statusCode, body } = await dispatcher.request({
      origin: lab.origin,
      path: '/',
      method: 'PUT',
      body: 'hello',
    });
    expect([statusCode, await body.text()]).toEqual([200, 'ok']);
    expect(lab.requests.map(({ body: sent }) => sent.toString())).toEqual(['hello', 'hello', 'hello']);
  });

  test('serves others while a request waits', async () => {
    const lab = await openLab(({ path }) => (path === '/slow' ? answer(503, 'no') : answer(200, 'ok')));
    const wakes: (() => void)[] = [];
    const retrier = createRetrier(
      { maxRetries: 1 },
      {
        sleep: (_delayMs, wake, options) => {
          // Draining a response sets a timer, too.
          if (options?.unref !== true) wakes.push(wake);
          return () => undefined;
        },
      },
    );
    const dispatcher = closedAtEnd(make(lab)).compose(retry(retrier));
    const slow = dispatcher.request({ origin: lab.origin, path: '/slow', method: 'GET' });
    await lab.until(({ requests }) => requests.length === 1);
    const { body } = await dispatcher.request({ origin: lab.origin, path: '/quick', method: 'GET' });
    expect(await body.text()).toBe('ok');
    expect(wakes).toHaveLength(1);
    wakes[0]?.();
    await (await slow).body.dump();
    expect(lab.requests.map(({ path }) => path)).toEqual(['/slow', '/quick', '/slow']);
  });
});

test('the scope is the origin if undici gives it, and otherwise the dispatcher', async () => {
  const [one, other] = [await openLab(answer(200)), await openLab(answer(200))];
  const retrier = createRetrier(soon);
  const agent = openAgent().compose(retry(retrier));
  const clients = [one, other].map(({ origin }) =>
    closedAtEnd(new undici.Client(origin)).compose(retry(retrier)),
  );
  const origins = [one.origin, other.origin];
  for (const origin of origins) {
    await (await agent.request({ origin, path: '/', method: 'GET' })).body.dump();
  }
  for (const client of clients) {
    await (await client.request({ path: '/', method: 'GET' } as Dispatcher.RequestOptions)).body.dump();
  }
  const names = retrier.snapshot().scopes.map(({ name }) => name);
  expect(names.slice(0, 2).sort()).toEqual([...origins].sort());
  // undici 8 gives the origin under a Client, too.
  expect(new Set(names).size).toBe(major === 8 ? 2 : 4);
});

describe('through a proxy', () => {
  function proxied(proxy: Lab): Dispatcher {
    return closedAtEnd(new undici.ProxyAgent({ uri: proxy.origin, proxyTunnel: true })).compose(retry(soon));
  }

  test('answers of the server behind it are retried', async () => {
    const [proxy, lab] = [
      await openLab(connectTunnel()),
      await openLab([answer(503), rst(), answer(200, 'ok')]),
    ];
    const { statusCode, body } = await proxied(proxy).request({
      origin: lab.origin,
      path: '/',
      method: 'PUT',
      body: 'hello',
    });
    expect([statusCode, await body.text()]).toEqual([200, 'ok']);
    expect(lab.requests.map(({ body: sent }) => sent.toString())).toEqual(['hello', 'hello', 'hello']);
  });

  // The ProxyAgent of undici 6 and 7 writes a `host` into the headers that it gets.
  test.each([true, false])('a retry elsewhere does not name the old host: tunnel %s', async (proxyTunnel) => {
    const [lab, spare] = [await openLab(answer(503)), await openLab(answer(200))];
    const named: (string | undefined)[] = [];
    const proxy = await openLab((request) => {
      named.push(request.headers['host']);
      if (request.method === 'CONNECT') return connectTunnel();
      return named.length === 1 ? answer(503) : answer(200);
    });
    const elsewhere: PolicyOptions['beforeRetry'] = (context) => {
      context.url = `${spare.origin}/`;
    };
    const agent = closedAtEnd(new undici.ProxyAgent({ uri: proxy.origin, proxyTunnel }));
    const headers = { 'x-mine': 'mine' };
    const ours = agent.compose(retry({ ...soon, beforeRetry: elsewhere }));
    const { statusCode, body } = await ours.request({
      origin: lab.origin,
      path: '/',
      method: 'GET',
      headers,
    });
    await body.dump();
    expect(statusCode).toBe(200);
    expect(headers).toEqual({ 'x-mine': 'mine' });
    const [first, second] = [new URL(lab.origin).host, new URL(spare.origin).host];
    const sent = [...lab.requests, ...spare.requests].map(({ headers: got }) => [got['host'], got['x-mine']]);
    expect(named).toEqual([first, second]);
    if (sent.length > 0)
      expect(sent).toEqual([
        [first, 'mine'],
        [second, 'mine'],
      ]);
  });

  test.each<[string, Play]>([
    ['refuses the tunnel', connectTunnel(503)],
    ['breaks off', rst('head')],
  ])('a POST is sent again if the proxy %s: the server never saw it', async (_name, failure) => {
    const [proxy, lab] = [await openLab([failure, connectTunnel()]), await openLab(answer(200, 'ok'))];
    const { statusCode, body } = await proxied(proxy).request({
      origin: lab.origin,
      path: '/',
      method: 'POST',
      body: 'hello',
    });
    expect([statusCode, await body.text()]).toEqual([200, 'ok']);
    expect(proxy.requests).toHaveLength(2);
    expect(lab.requests).toHaveLength(1);
  });

  test('a POST is not sent again if the server behind it breaks off', async () => {
    const [proxy, lab] = [await openLab(connectTunnel()), await openLab([rst(), answer(200)])];
    const sent = proxied(proxy).request({ origin: lab.origin, path: '/', method: 'POST', body: 'hello' });
    expect((await settled(sent)).error).toBeInstanceOf(Error);
    expect(lab.requests).toHaveLength(1);
  });

  test('a proxy that refuses access is not asked again', async () => {
    const [proxy, lab] = [await openLab(connectTunnel(407)), await openLab(answer(200))];
    const sent = proxied(proxy).request({ origin: lab.origin, path: '/', method: 'GET' });
    expect((await settled(sent)).error).toMatchObject({ message: expect.stringContaining('407') });
    expect(proxy.requests).toHaveLength(1);
  });

  test('of the environment: EnvHttpProxyAgent', async () => {
    const [proxy, lab] = [await openLab(connectTunnel()), await openLab([answer(503), answer(200, 'ok')])];
    const agent = closedAtEnd(
      new undici.EnvHttpProxyAgent({ httpProxy: proxy.origin, noProxy: '', proxyTunnel: true }),
    );
    const { body } = await agent
      .compose(retry(soon))
      .request({ origin: lab.origin, path: '/', method: 'GET' });
    expect(await body.text()).toBe('ok');
    expect(proxy.requests.every(({ method }) => method === 'CONNECT')).toBe(true);
    expect(lab.requests).toHaveLength(2);
  });
});
