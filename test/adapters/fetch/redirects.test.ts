/**
 * A write is sent again only if it is known what the server that was asked first did with it. fetch follows redirects
 * without telling, and a function that wraps it may send anything.
 */

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import { historyOf } from '../../../src/index.js';
import { answer, type Play, refusedOrigin } from '../../faults/lab.js';
import { setGlobally } from '../global-dispatcher.js';
import { openLab, settled, soon } from '../kit.js';
import { builtInSpeaksTo } from '../undici/client.js';
import { openAgent } from '../undici/kit.js';
import { nodeFetch, undici, undiciFetch } from './client.js';

const notTaken = [408, 425, 429];
const fetches = [
  ["Node's own", nodeFetch],
  ["undici's", undiciFetch],
] as const;
const own = undici as unknown as { readonly Request: typeof Request };

const payment = { method: 'POST', body: 'pay' };

function to(location: string, status = 303): Play {
  return answer(status, '', { location });
}

async function reasonsOf(sent: Promise<unknown>): Promise<readonly string[] | undefined> {
  const { value, error } = await settled(sent);
  return historyOf(value ?? error)?.map(({ decision }) => decision.reason);
}

const retried = ['transport-error', 'transport-error', 'transport-error', 'retries-spent'];

async function serve(listener: RequestListener) {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  return { server, port: (server.address() as AddressInfo).port };
}

/** A server that takes one payment, sends its client back to itself, and is gone, as if it were restarted. */
async function serverThatGoes(status: number, host: string) {
  const posts = { count: 0 };
  const { server, port } = await serve((_, response) => {
    posts.count += 1;
    server.close();
    response.writeHead(status, { location: '/done', connection: 'close' }).end();
  });
  return { url: `http://${host}:${port}/pay`, posts };
}

describe.each(fetches)('%s fetch', (name, doFetch) => {
  const RequestOf = name === "undici's" ? own.Request : Request;
  const patient = withRetry(doFetch, soon);

  describe.each([303, 307])('a POST that was answered with a %i is sent once', (status) => {
    test.each(['127.0.0.1', 'localhost'])('when the server at %s is gone by the next hop', async (host) => {
      const { url, posts } = await serverThatGoes(status, host);
      expect(await reasonsOf(patient(url, payment))).toEqual(['unsafe-method']);
      expect(posts.count).toBe(1);
    });

    test('also as a Request', async () => {
      const { url, posts } = await serverThatGoes(status, '127.0.0.1');
      expect(await reasonsOf(patient(new RequestOf(url, payment)))).toEqual(['unsafe-method']);
      expect(posts.count).toBe(1);
    });

    test('when the next hop goes to a server that refuses', async () => {
      const lab = await openLab(to(`${await refusedOrigin()}/done`, status));
      expect(await reasonsOf(patient(lab.origin, payment))).toEqual(['unsafe-method']);
      expect(lab.requests).toHaveLength(1);
    });

    test.each(notTaken)('when the next hop is answered with %i', async (refusal) => {
      const lab = await openLab(({ path }) => (path === '/pay' ? to('/done', status) : answer(refusal)));
      expect(await reasonsOf(patient(`${lab.origin}/pay`, payment))).toEqual(['unsafe-method']);
      expect(lab.requests.filter(({ path }) => path === '/pay')).toHaveLength(1);
    });
  });

  describe('what the first server did is known', () => {
    test.each(['127.0.0.1', 'localhost'])('if the first hop is refused at %s', async (host) => {
      const url = (await refusedOrigin()).replace('127.0.0.1', host);
      expect(await reasonsOf(patient(url, payment))).toEqual(retried);
      expect(await reasonsOf(patient(new URL(url), payment))).toEqual(retried);
    });

    test('through withRetry() over withRetry()', async () => {
      expect(await reasonsOf(withRetry(patient, soon)(await refusedOrigin(), payment))).toEqual(retried);
    });

    test.each(notTaken)('if it answered with %i, also to a Request', async (refusal) => {
      const lab = await openLab([answer(refusal), answer(201), answer(refusal), answer(201)]);
      expect((await patient(lab.origin, payment)).status).toBe(201);
      expect((await patient(new RequestOf(lab.origin, payment))).status).toBe(201);
      expect(lab.requests).toHaveLength(4);
    });

    test('with redirects that are not followed', async () => {
      const init = { ...payment, redirect: 'manual' } as const;
      expect(await reasonsOf(patient(await refusedOrigin(), init))).toEqual(retried);
    });
  });

  test('a Request keeps its dispatcher, so a refused connection proves nothing', async () => {
    const refused = new RequestOf(await refusedOrigin(), payment);
    expect(await reasonsOf(patient(refused))).toEqual(['unsafe-method']);
  });

  test('the wrapped fetch gets the init of a request that is safe or has a key as it is', async () => {
    const lab = await openLab(answer(200));
    const inits: unknown[] = [];
    const watched = Object.assign((...asked: Parameters<typeof fetch>) => {
      inits.push(asked[1]);
      return doFetch(...asked);
    });
    const put = { method: 'PUT', body: 'a' };
    const keyed = { ...payment, headers: { 'idempotency-key': 'a' } };
    for (const init of [put, keyed, payment]) await withRetry(watched, soon)(lab.origin, init);
    expect(inits.map((init, at) => init === [put, keyed, payment][at])).toEqual([true, true, true]);
  });
});

describe('a dispatcher of the caller', () => {
  const through = (dispatcher: unknown) => ({ ...payment, dispatcher }) as RequestInit;
  const patient = withRetry(undiciFetch, { ...soon, budget: false });

  test('is used, and a refused first hop through it is known', async () => {
    const agent = openAgent();
    expect(await reasonsOf(patient(await refusedOrigin(), through(agent)))).toEqual(retried);
    const request = new own.Request(await refusedOrigin(), payment);
    expect(await reasonsOf(patient(request, { dispatcher: agent } as RequestInit))).toEqual(retried);
  });

  test('with an interceptor may send anything, so a refused connection proves nothing', async () => {
    const layered = openAgent().compose((dispatch) => (options, handler) => dispatch(options, handler));
    expect(await reasonsOf(patient(await refusedOrigin(), through(layered)))).toEqual(['unsafe-method']);
  });

  test('of a class with its own dispatch as well', async () => {
    class Logging extends undici.Agent {
      override dispatch(...asked: Parameters<InstanceType<typeof undici.Agent>['dispatch']>): boolean {
        return super.dispatch(...asked);
      }
    }
    const agent = new Logging();
    onTestFinished(() => agent.destroy());
    expect(await reasonsOf(patient(await refusedOrigin(), through(agent)))).toEqual(['unsafe-method']);
  });

  test('that mocks says what happens to the first hop', async () => {
    const mock = new undici.MockAgent();
    onTestFinished(() => mock.close());
    mock.disableNetConnect();
    const pool = mock.get('http://a.example');
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' });
    pool.intercept({ path: '/', method: 'POST', body: 'pay' }).replyWithError(refused);
    pool.intercept({ path: '/', method: 'POST', body: 'pay' }).reply(201);
    expect((await patient('http://a.example/', through(mock))).status).toBe(201);
  });

  test('that mocks a connection which broke says nothing', async () => {
    for (const code of ['ECONNRESET', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']) {
      const mock = new undici.MockAgent();
      onTestFinished(() => mock.close());
      mock.disableNetConnect();
      const broken = Object.assign(new Error('broken'), { code });
      mock.get('http://a.example').intercept({ path: '/', method: 'POST' }).replyWithError(broken);
      expect(await reasonsOf(patient('http://a.example/', through(mock)))).toEqual(['unsafe-method']);
    }
  });

  test.each(['at once', 'staggered'])('with one connection tells its requests apart, %s', async (how) => {
    const refused = await refusedOrigin();
    const posts = new Map<string, number>();
    const lab = await openLab(({ path }) => {
      posts.set(path, (posts.get(path) ?? 0) + 1);
      return path.startsWith('/pay') ? to(`${refused}${path}`) : answer(200, 'a');
    });
    const agent = openAgent({ connections: 1 });
    const sent: Promise<readonly string[] | undefined>[] = [];
    for (let n = 0; n < 40; n += 1) {
      sent.push(reasonsOf(patient(`${lab.origin}/pay/${n}`, through(agent))));
      void settled(patient(`${lab.origin}/other/${n}`, { dispatcher: agent } as RequestInit));
      sent.push(reasonsOf(patient(`${refused}/gone`, through(agent))));
      if (how === 'staggered') await new Promise((resolve) => setTimeout(resolve, n % 3));
    }
    const reasons = await Promise.all(sent);
    expect(reasons.filter((_, at) => at % 2 === 0)).toEqual(Array(40).fill(['unsafe-method']));
    expect(reasons.filter((_, at) => at % 2 === 1)).toEqual(Array(40).fill(retried));
    expect([...posts].filter(([path, count]) => path.startsWith('/pay') && count > 1)).toEqual([]);
  });
});

describe('the global dispatcher', () => {
  test('is the one that fetch itself would use', async () => {
    const mock = new undici.MockAgent();
    onTestFinished(() => mock.close());
    mock.disableNetConnect();
    const pool = mock.get('http://a.example');
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' });
    pool.intercept({ path: '/', method: 'POST' }).replyWithError(refused);
    pool.intercept({ path: '/', method: 'POST' }).reply(201);
    setGlobally(undici.setGlobalDispatcher, mock);
    expect((await withRetry(undiciFetch, soon)('http://a.example/', payment)).status).toBe(201);
  });
});

describe('a fetch of the caller', () => {
  /** Pays, is told to log in, and asks a server for a token that is not there, or that refuses. */
  function loggingIn(token: string): typeof fetch {
    return async (url, init) => {
      const first = await fetch(url, init);
      return first.status === 401 ? fetch(token, { method: 'POST' }) : first;
    };
  }

  test.each(['follow', 'manual'] as const)(
    'that sends other requests proves nothing (redirect: %s)',
    async (redirect) => {
      const refusing = await openLab(answer(429));
      for (const token of [await refusedOrigin(), refusing.origin]) {
        for (const more of [{}, ...(builtInSpeaksTo ? [{ dispatcher: openAgent() }] : [])]) {
          const lab = await openLab(answer(401));
          const patient = withRetry(loggingIn(token), soon);
          const sent = patient(lab.origin, { ...payment, redirect, ...more } as RequestInit);
          expect(await reasonsOf(sent)).toEqual(['unsafe-method']);
          expect(lab.requests).toHaveLength(1);
        }
      }
    },
  );

  test.each(notTaken)('that makes its own Response of a redirected %i proves nothing', async (refusal) => {
    const lab = await openLab(({ path }) => (path === '/pay' ? to('/done') : answer(refusal)));
    const rebuilding: typeof fetch = async (...asked) => {
      const { status, headers, body } = await fetch(...asked);
      return new Response(body, { status, headers });
    };
    const sent = withRetry(rebuilding, soon)(`${lab.origin}/pay`, payment);
    expect(await reasonsOf(sent)).toEqual(['unsafe-method']);
    expect(lab.requests.filter(({ path }) => path === '/pay')).toHaveLength(1);
  });

  const named: typeof nodeFetch = async function fetch(...asked) {
    return nodeFetch(...asked);
  };

  test.each([
    ['of the same name', named],
    ['that is bound', named.bind(undefined)],
    ['behind a Proxy', new Proxy(nodeFetch, {})],
  ])('is not taken for the platform’s: %s', async (_, doFetch) => {
    const lab = await openLab([answer(429), answer(201)]);
    expect((await withRetry(doFetch, soon)(lab.origin, payment)).status).toBe(429);
    expect(lab.requests).toHaveLength(1);
  });

  test('gets a GET again, and a POST with a key', async () => {
    const wrapper: typeof fetch = (...asked) => fetch(...asked);
    const keyed = { ...payment, headers: { 'idempotency-key': 'a' } };
    for (const init of [{}, keyed]) {
      const lab = await openLab([answer(429), answer(201)]);
      expect((await withRetry(wrapper, soon)(lab.origin, init)).status).toBe(201);
      expect(await reasonsOf(withRetry(wrapper, soon)(await refusedOrigin(), init))).toEqual(retried);
    }
  });
});
