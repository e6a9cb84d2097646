/** A retry starts again at the first URL, so anything that may have been done there must not be done twice. */

import { once } from 'node:events';
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request as nodeRequest,
  type RequestOptions,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AxiosAdapter, AxiosError, AxiosRequestConfig } from 'axios';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { historyOf } from '../../../src/index.js';
import { answer, fin, type Play, refusedOrigin, rst, silence } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { axios, fetchStaysOnRedirect } from './client.js';
import { retryingOver } from './ways.js';

const policy: PolicyOptions = { ...soon, maxRetries: 2 };

function to(location: string, status = 303): Play {
  return answer(status, '', { location });
}

describe.each(['http', 'fetch'] as const)('%s', (adapter) => {
  const over = (origin: string, given = policy) => retryingOver({ config: { adapter } }, origin, given);

  /** A POST is answered with a redirect, and the request to its target fails like this. */
  async function postTo(status: number, location: string | Play): Promise<{ error: unknown; posts: number }> {
    const isElsewhere = typeof location === 'string';
    const lab = await openLab(({ path }) => {
      if (isElsewhere) return to(location, status);
      return path === '/pay' ? to('/done', status) : location;
    });
    const { error } = await settled(over(lab.origin).post('/pay', 'pay'));
    return { error, posts: lab.requests.filter(({ path }) => path === '/pay').length };
  }

  const reasonOf = (error: unknown) => historyOf(error)?.map(({ decision }) => decision.reason);

  test.each([301, 302, 303, 307, 308])(
    'a POST that was answered with a %i is not sent again when the next server is not there',
    async (status) => {
      const { error, posts } = await postTo(status, `${await refusedOrigin()}/done`);
      expect(posts).toBe(1);
      expect(reasonOf(error)).toEqual(['unsafe-method']);
    },
  );

  test('nor when its name is unknown', async () => {
    const { error, posts } = await postTo(303, 'http://name.invalid/done');
    expect(posts).toBe(1);
    expect(reasonOf(error)).toEqual(['unsafe-method']);
  });

  test('nor when its TLS handshake is cut off', async () => {
    const tls = await openLab(answer(200), { tls: 'handshake-fin' });
    const { error, posts } = await postTo(303, `${tls.origin}/done`);
    expect(posts).toBe(1);
    expect(reasonOf(error)).toEqual(['unsafe-method']);
  });

  test('nor when another port of the same host refuses', async () => {
    const localhost = (await refusedOrigin()).replace('127.0.0.1', 'localhost');
    const { posts } = await postTo(303, `${localhost}/done`);
    expect(posts).toBe(1);
  });

  test.each([
    ['a reset', rst()],
    ['a hang-up', fin()],
    ['a 503', answer(503)],
  ])('nor when it ends in %s', async (_, play) => {
    const { error, posts } = await postTo(303, play);
    expect(posts).toBe(1);
    expect(reasonOf(error)).toEqual(['unsafe-method']);
  });

  test('a POST that is redirected well is sent once', async () => {
    const lab = await openLab(({ path }) => (path === '/pay' ? to('/done') : answer(200, 'paid')));
    expect((await over(lab.origin).post('/pay', 'pay')).data).toBe('paid');
    expect(lab.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /pay', 'GET /done']);
  });

  test('a GET begins at its own URL again', async () => {
    const lab = await openLab(({ path, number }) => {
      if (path === '/from') return to('/to', 302);
      return number < 3 ? answer(503) : answer(200, 'there');
    });
    expect((await over(lab.origin).get('/from')).data).toBe('there');
    expect(lab.requests.map(({ path }) => path)).toEqual(['/from', '/to', '/from', '/to']);
  });

  test('a GET whose next server is down starts again', async () => {
    const nowhere = `${await refusedOrigin()}/to`;
    const lab = await openLab([to(nowhere, 302), answer(200, 'here')]);
    expect((await over(lab.origin).get('/from')).data).toBe('here');
    expect(lab.requests.map(({ path }) => path)).toEqual(['/from', '/from']);
  });

  test('the attempt’s time covers all of it', async () => {
    const lab = await openLab(({ path, number }) => {
      if (path === '/from') return to('/to', 302);
      return number < 3 ? silence() : answer(200, 'there');
    });
    const instance = over(lab.origin, { ...policy, attemptTimeoutMs: 400 });
    expect((await instance.get('/from')).data).toBe('there');
    expect(lab.requests.map(({ path }) => path)).toEqual(['/from', '/to', '/from', '/to']);
  });

  test('a redirect loop is followed once', async () => {
    const lab = await openLab(to('/', 302));
    const { error } = await settled(over(lab.origin).get('/'));
    expect(reasonOf(error)).toEqual(['final-error']);
    // 20 redirects (fetch) or 21 (follow-redirects), and the first request.
    expect(lab.requests.length).toBeLessThanOrEqual(22);
  });

  test.skipIf(adapter === 'fetch' && !fetchStaysOnRedirect)(
    'maxRedirects: 0 hands the redirect to the caller (with fetch since axios 1.20)',
    async () => {
      const lab = await openLab(to('/', 302));
      const { error } = await settled(over(lab.origin).get('/', { maxRedirects: 0 }));
      expect((error as AxiosError).response?.status).toBe(302);
      expect(lab.requests).toHaveLength(1);
    },
  );

  test('maxRedirects: 0 leaves no doubt whether a request was sent', async () => {
    const { error } = await settled(over(await refusedOrigin()).post('/pay', 'pay', { maxRedirects: 0 }));
    expect(reasonOf(error)).toEqual(['transport-error', 'transport-error', 'retries-spent']);
  });
});

/** A fetch as another package has it. */
const elsewhere: typeof fetch = (...asked) => fetch(...asked);

/** Follows a redirect itself, and does not say so. */
const hiding = {
  request(options: RequestOptions, heard: (answer: IncomingMessage) => void): ClientRequest {
    const first = nodeRequest(options, (redirect) => {
      const next = new URL(redirect.headers.location ?? '', `http://${options.hostname}:${options.port}`);
      nodeRequest(next, heard)
        .on('error', (error) => first.emit('error', error))
        .end();
    });
    return first;
  },
};

/** Whatever sends, the POST has been carried out, and the next hop says that it did not take it. */
describe.each<[string, AxiosRequestConfig]>([
  ['http', { adapter: 'http' }],
  ['fetch', { adapter: 'fetch' }],
  ['fetch, with a fetch of the caller', { adapter: 'fetch', env: { fetch: elsewhere } } as object],
  ['an adapter of the caller over http', { adapter: (config) => axios.getAdapter('http', config)(config) }],
  ['an adapter of the caller over fetch', { adapter: (config) => axios.getAdapter('fetch', config)(config) }],
  [
    'an adapter of the caller that takes itself out of the configuration',
    {
      adapter: (config) => {
        config.adapter = 'http';
        return axios.getAdapter('http', config)(config);
      },
    },
  ],
  ['a transport that hides redirects', { adapter: 'http', transport: hiding }],
])('a POST whose redirect leads to a refusal is sent once: %s', (_, config) => {
  test.each([408, 425, 429])('%i', async (status) => {
    const lab = await openLab(({ path }) => (path === '/pay' ? to('/done') : answer(status)));
    const { error } = await settled(retryingOver({ config }, lab.origin, policy).post('/pay', 'pay'));
    expect((error as AxiosError).response?.status).toBe(status);
    expect(lab.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /pay', 'GET /done']);
  });

  test('a refused connection', async () => {
    const { origin, posts } = await serverThatGoes();
    await settled(retryingOver({ config }, origin, policy).post('/pay', 'pay'));
    expect(posts()).toBe(1);
  });
});

test.each(['http', 'fetch'] as const)(
  'an adapter that asks another server, too, proves nothing: %s',
  async (adapter) => {
    const refusing = await openLab(answer(429));
    for (const token of [await refusedOrigin(), refusing.origin]) {
      const lab = await openLab(answer(401));
      const loggingIn: AxiosAdapter = async (config) => {
        // Mocks take themselves out of the configuration, so it does not tell what sends.
        config.adapter = adapter;
        const first = await axios
          .create({ adapter, validateStatus: null })
          .post(`${lab.origin}/pay`, config.data);
        if (first.status !== 401) return first;
        return axios.create({ adapter }).post(token, 'user');
      };
      await settled(retryingOver({ config: { adapter: loggingIn } }, lab.origin, policy).post('/pay', 'pay'));
      expect(lab.requests).toHaveLength(1);
    }
  },
);

describe.each(['http', 'fetch'] as const)('what the first server did is known: %s', (adapter) => {
  const config: AxiosRequestConfig = { adapter };

  test('if the first hop is refused', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const origin = (await refusedOrigin()).replace('127.0.0.1', host);
      const { error } = await settled(retryingOver({ config }, origin, policy).post('/pay', 'pay'));
      const reasons = historyOf(error)?.map(({ decision }) => decision.reason);
      expect(reasons).toEqual(['transport-error', 'transport-error', 'retries-spent']);
    }
  });

  test.each([408, 425, 429])(
    'if it answered with %i, and the caller gets its configuration',
    async (status) => {
      const lab = await openLab([answer(status), answer(201), answer(status), answer(503)]);
      const instance = retryingOver({ config }, lab.origin, policy);
      const { status: got, config: shown } = await instance.post('/pay', 'pay');
      expect([got, shown.data, shown.fetchOptions]).toEqual([201, 'pay', undefined]);
      const fetchOptions = { priority: 'low' };
      const { error } = await settled(instance.post('/pay', 'pay', { fetchOptions } as object));
      expect((error as AxiosError).config?.fetchOptions).toEqual(fetchOptions);
      expect(lab.requests).toHaveLength(4);
    },
  );
});

/** A server that answers one request with a redirect to itself, and then stops listening. */
async function serverThatGoes(): Promise<{ origin: string; posts: () => number }> {
  let posts = 0;
  const server = createServer((_, response) => {
    server.close();
    posts += 1;
    response.writeHead(303, { location: '/done', connection: 'close' }).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, posts: () => posts };
}

test('a refused connection to the server that redirected is not taken for unsent', async () => {
  const { origin, posts } = await serverThatGoes();
  const http = { config: { adapter: 'http' } } as const;
  const { error } = await settled(retryingOver(http, origin, policy).post('/pay', 'pay'));
  expect(posts()).toBe(1);
  expect(historyOf(error)?.map(({ decision }) => decision.finding.evidence)).toEqual(['unknown']);
});
