/** Programming errors are not retried, unless they look exactly like a network failure. */

import { describe, expect, test } from 'vitest';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import { historyOf } from '../../../src/index.js';
import { answer } from '../../faults/plays.js';
import { openLab, settled, soon } from '../kit.js';
import { nodeFetch, undiciFetch } from './client.js';

const misuses: readonly (readonly [string, string, RequestInit?])[] = [
  ['a bad URL', 'http://[no'],
  ['a relative one', '/x'],
  ['a bad port', 'http://127.0.0.1:9'],
  ['an unknown scheme', 'gopher://a.example'],
  ['an invalid header name', 'http://127.0.0.1:1', { headers: { 'not a name': 'x' } }],
  ['GET with a body', 'http://127.0.0.1:1', { body: 'x' }],
  ['a forbidden method', 'http://127.0.0.1:1', { method: 'TRACE' }],
  ['a stream without duplex', 'http://127.0.0.1:1', { method: 'PUT', body: new ReadableStream() }],
];

describe.each([
  ["Node's own", nodeFetch],
  ["undici's", undiciFetch],
])('%s', (_name, doFetch) => {
  test.each(misuses)('%s', async (_what, url, init) => {
    let calls = 0;
    const counted: typeof fetch = (...given) => {
      calls += 1;
      return doFetch(...given);
    };
    const { error } = await settled(withRetry(counted, soon)(url as string, init as RequestInit));
    expect(error).toBeInstanceOf(TypeError);
    expect(calls).toBe(1);
    expect(historyOf(error)?.map(({ decision }) => decision.reason)).toEqual(['final-error']);
  });

  test.each([
    ['a controller in the place of its signal', new AbortController()],
    ['an invalid signal', 'x'],
  ])('%s has the words of the bare fetch, with a time limit, too', async (_what, signal) => {
    const init = { signal } as unknown as RequestInit;
    const bare = await settled(doFetch('http://127.0.0.1:1', init));
    for (const policy of [soon, { ...soon, attemptTimeoutMs: 60_000 }]) {
      const { error } = await settled(withRetry(doFetch, policy)('http://127.0.0.1:1', init));
      expect(error).toEqual(bare.error);
    }
  });

  test('integrity', async () => {
    const lab = await openLab(answer(200, 'x'));
    const integrity = `sha256-${'A'.repeat(43)}=`;
    const { error } = await settled(withRetry(doFetch, soon)(lab.origin, { integrity }));
    expect(error).toBeInstanceOf(TypeError);
    expect(lab.requests).toHaveLength(1);
  });

  test('the error of a source that fails is the error of the request', async () => {
    const lab = await openLab(answer(200));
    const body = new ReadableStream({
      pull() {
        throw Object.assign(new Error('the disk'), { code: 'ECONNRESET' });
      },
    });
    const init = { method: 'PUT', body, duplex: 'half' } as RequestInit;
    const { error } = await settled(withRetry(doFetch, soon)(lab.origin, init));
    expect(historyOf(error)?.map(({ decision }) => decision.action)).toEqual(['stop']);
  });
});

describe('where browsers report every failure as "Failed to fetch"', () => {
  async function callsOf(url: string, init?: RequestInit): Promise<number> {
    let calls = 0;
    const doFetch = (): Promise<Response> => {
      calls += 1;
      return Promise.reject(new TypeError('Failed to fetch'));
    };
    await settled(withRetry(doFetch as typeof fetch, { ...soon, maxRetries: 1 })(url, init));
    return calls;
  }

  test.each([
    ['an unknown scheme', 'gopher://a.example', undefined],
    ['GET with a body', 'https://a.example', { body: 'x' }],
    ['a bad header', 'https://a.example', { headers: { 'not a name': 'x' } }],
    ['a bad URL', 'https://[no', {}],
  ])('%s is not retried', async (_what, url, init) => {
    expect(await callsOf(url, init)).toBe(1);
  });

  test('the network, CORS and a relative address are', async () => {
    expect(await callsOf('https://a.example')).toBe(2);
    expect(await callsOf('/x', { headers: { a: 'b' } })).toBe(2);
  });

  test('the check does not use up the body', async () => {
    const body = new ReadableStream({ start: (controller) => controller.close() });
    await callsOf('https://a.example', { method: 'PUT', body, duplex: 'half' } as RequestInit);
    expect(body.locked).toBe(true);
  });
});

describe('after redirects', () => {
  test('a 429 does not show what the first server did: a POST is not sent again', async () => {
    const lab = await openLab([answer(307, '', { location: '/there' }), answer(429)]);
    const answered = await withRetry(fetch, soon)(lab.origin, { method: 'POST', body: 'pay' });
    expect([answered.status, answered.redirected]).toEqual([429, true]);
    expect(lab.requests).toHaveLength(2);
  });

  test('nor is it after a connect error of another server', async () => {
    const lab = await openLab(answer(307, '', { location: 'http://127.0.0.1:1/' }));
    const counted: unknown[] = [];
    const doFetch: typeof fetch = (...given) => {
      counted.push(given);
      return fetch(given[0], given[1]);
    };
    const closed = await openLab(answer(200));
    lab.play(answer(307, '', { location: closed.origin }));
    await closed.close();
    const { error } = await settled(withRetry(doFetch, soon)(lab.origin, { method: 'POST', body: 'pay' }));
    expect(historyOf(error)?.map(({ decision }) => decision.reason)).toEqual(['unsafe-method']);
    expect(counted).toHaveLength(1);
  });

  test("Bun's code proves nothing if another function gives it, with redirects or without", async () => {
    for (const redirect of ['manual', 'follow'] as const) {
      let calls = 0;
      const doFetch = (): Promise<Response> => {
        calls += 1;
        return Promise.reject(Object.assign(new Error('Unable to connect'), { code: 'ConnectionRefused' }));
      };
      const own = withRetry(doFetch as typeof fetch, { ...soon, maxRetries: 1 });
      await settled(own('https://a.example/', { method: 'POST', body: 'pay', redirect }));
      expect(calls).toBe(1);
    }
  });
});
