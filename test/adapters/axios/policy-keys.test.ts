/** Headers of our own: the idempotency key, which makes a write safe to repeat, and the retry's number. */

import type { AxiosError, AxiosInstance, AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import type { BeforeRetry } from '../../../src/core/events.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { answer, type Play, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { sentThrice, uuid } from '../sent-headers.js';
import { axios } from './client.js';
import { retryingInstance } from './kit.js';

function sent(
  name: string,
  policy: PolicyOptions,
  request: AxiosRequestConfig = { method: 'post' },
): Promise<(string | undefined)[]> {
  const instance = retryingInstance({ ...soon, ...policy });
  return sentThrice(name, (origin) => settled(instance.request({ url: origin, ...request })));
}

describe('idempotencyKey', () => {
  test.each(['post', 'PATCH', 'put', 'delete', 'POST'])(
    '%s gets one, the same in every attempt',
    async (method) => {
      for (const adapter of ['http', 'fetch']) {
        const keys = await sent('idempotency-key', { idempotencyKey: true }, { method, data: 'x', adapter });
        expect(keys).toHaveLength(3);
        expect(keys[0]).toMatch(uuid);
        expect(new Set(keys).size).toBe(1);
      }
    },
  );

  test('another request gets another one', async () => {
    const lab = await openLab(answer(200));
    const instance = retryingInstance({ ...soon, idempotencyKey: true });
    for (const data of ['1', '2']) await instance.post(lab.origin, data);
    expect(new Set(lab.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
  });

  test.each(['get', 'head', 'options', 'GET', undefined])('%s gets none', async (method) => {
    const keys = await sent('idempotency-key', { idempotencyKey: true }, { ...(method && { method }) });
    expect(keys).toEqual([undefined, undefined, undefined]);
  });

  test.each<[string, AxiosRequestConfig['headers']]>([
    ['an object', { 'Idempotency-Key': 'mine' }],
    ['an object, in other letters', { 'IDEMPOTENCY-KEY': 'mine' }],
    ['an object of lists', { 'idempotency-key': ['mine'] as unknown as string }],
    ['AxiosHeaders', new axios.AxiosHeaders({ 'Idempotency-Key': 'mine' })],
  ])("the caller's own is kept, and counts, also without the setting (%s)", async (_form, headers) => {
    for (const policy of [{ idempotencyKey: true }, {}]) {
      const keys = await sent('idempotency-key', policy, { method: 'post', ...(headers && { headers }) });
      expect(keys).toEqual(['mine', 'mine', 'mine']);
    }
  });

  test("an interceptor's own is kept, too", async () => {
    const lab = await openLab([answer(503), answer(200)]);
    const instance = retryingInstance({ ...soon, idempotencyKey: true });
    instance.interceptors.request.use((config) => {
      config.headers.set('Idempotency-Key', 'theirs');
      return config;
    });
    await instance.post(lab.origin);
    expect(lab.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['theirs', 'theirs']);
  });

  test.each([false, null, undefined])('%s in its place is none', async (none) => {
    const headers = { 'Idempotency-Key': none as unknown as string };
    expect(await sent('idempotency-key', {}, { method: 'post', headers })).toEqual([undefined]);
  });

  test.each(['', ' ', '""'])(
    'a blank one (%j) is none: a POST that may have arrived is not sent again',
    async (blank) => {
      for (const adapter of ['http', 'fetch']) {
        const headers = { 'Idempotency-Key': blank };
        expect(await sent('idempotency-key', {}, { method: 'post', headers, adapter })).toHaveLength(1);
      }
    },
  );

  test.each(['', ' ', '""'])('a blank one (%j) gives way to one of ours', async (blank) => {
    const headers = { 'Idempotency-Key': blank };
    const keys = await sent('idempotency-key', { idempotencyKey: true }, { method: 'post', headers });
    expect(keys).toEqual(Array(3).fill(expect.stringMatching(uuid)));
    expect(new Set(keys).size).toBe(1);
  });

  test('one that `generate` leaves blank is an error: nothing is sent', async () => {
    const lab = await openLab(answer(200));
    const instance = retryingInstance({ ...soon, idempotencyKey: { generate: () => '' } });
    const { error } = await settled(instance.post(lab.origin));
    expect(String(error)).toContain('idempotencyKey.generate returned an empty text');
    expect(lab.requests).toHaveLength(0);
  });

  test('in a header of its own; what stands in the usual one is then no key', async () => {
    const policy = { idempotencyKey: { header: 'X-Request-Id' } };
    const headers = { 'idempotency-key': 'not this' };
    const keys = await sent('x-request-id', policy, { method: 'post', headers });
    expect(keys).toHaveLength(3);
    expect(keys[0]).toMatch(uuid);
    const own = { method: 'post', headers: { 'x-ReQuest-iD': 'mine' } };
    expect(await sent('x-request-id', policy, own)).toEqual(Array(3).fill('mine'));
  });

  test('quoted', async () => {
    const [key] = await sent('idempotency-key', { idempotencyKey: { quoted: true } });
    expect(key).toMatch(/^"[\da-f-]{36}"$/);
  });

  test('of its own making, once per request', async () => {
    let made = 0;
    const generate = (): string => {
      made += 1;
      return `key ${made}`;
    };
    expect(await sent('idempotency-key', { idempotencyKey: { generate } })).toEqual(Array(3).fill('key 1'));
    expect(made).toBe(1);
  });

  test('one whose making fails fails the request with that error: nothing is sent, and it is settled', async () => {
    const lab = await openLab(answer(200));
    const failure = new Error('no entropy');
    const told: unknown[] = [];
    const instance = retryingInstance({
      ...soon,
      idempotencyKey: {
        generate: () => {
          throw failure;
        },
      },
      observe: (event) => void told.push(event.type),
    });
    const { error } = await settled(instance.post(lab.origin));
    expect(error).toBe(failure);
    expect(lab.requests).toHaveLength(0);
    expect(told).toEqual(['settled']);
  });

  test('without it, a POST that may have arrived is not sent again', async () => {
    expect(await sent('idempotency-key', {})).toEqual([undefined]);
  });

  test('beforeRetry may change it, and sees it', async () => {
    const seen: unknown[] = [];
    const keys = await sent('idempotency-key', {
      idempotencyKey: { generate: () => 'made' },
      beforeRetry: ({ headers }) => {
        seen.push(headers['idempotency-key']);
        headers['idempotency-key'] = 'changed';
      },
    });
    expect(seen).toEqual(['made', 'changed']);
    expect(keys).toEqual(['made', 'changed', 'changed']);
  });

  test('by a rule, for its requests alone; and by one request', async () => {
    const lab = await openLab(answer(200));
    const instance = retryingInstance({
      ...soon,
      rules: [{ match: 'POST /payments/:id', idempotencyKey: true }],
    });
    await instance.post(`${lab.origin}/payments/1`);
    await instance.post(`${lab.origin}/others/1`);
    await instance.post(`${lab.origin}/others/2`, '', { retry: { idempotencyKey: true } });
    expect(lab.requests.map(({ headers }) => headers['idempotency-key'] !== undefined)).toEqual([
      true,
      false,
      true,
    ]);
  });
});

describe.each(['http', 'fetch'])(
  'over %s, a request that is sent again with its configuration has the same key',
  (adapter) => {
    const policy: PolicyOptions = { ...soon, idempotencyKey: true, attemptHeader: true };

    async function keysOf(
      plays: readonly Play[],
      ask: (instance: AxiosInstance, origin: string) => Promise<unknown>,
    ): Promise<unknown[]> {
      const lab = await openLab(plays);
      await ask(retryingInstance(policy, { adapter }), lab.origin);
      expect(lab.requests).toHaveLength(plays.length);
      return lab.requests.map(({ headers }) => headers['idempotency-key']);
    }

    /** As everybody writes them. */
    function refreshing(instance: AxiosInstance): void {
      let token = 'old';
      instance.interceptors.request.use((config) => {
        config.headers.set('authorization', token);
        return config;
      });
      instance.interceptors.response.use(undefined, (error: AxiosError) => {
        if (error.response?.status !== 401 || error.config === undefined) throw error;
        token = 'fresh';
        return instance.request(error.config);
      });
    }

    function expectOne(keys: readonly unknown[]): void {
      expect(keys).toEqual(Array(keys.length).fill(expect.stringMatching(uuid)));
      expect(new Set(keys).size).toBe(1);
    }

    test('by an interceptor that fetches a new token, although the first answer was lost', async () => {
      const keys = await keysOf([rst(), answer(401), answer(503), answer(200)], async (instance, origin) => {
        refreshing(instance);
        expect((await instance.post(origin, { amount: 1 })).status).toBe(200);
      });
      expectOne(keys);
    });

    test('by the caller, after its last retry', async () => {
      const keys = await keysOf([rst(), rst(), rst(), rst(), answer(200)], async (instance, origin) => {
        const { error } = await settled(instance.post(origin, 'x'));
        await instance.request((error as AxiosError).config as AxiosRequestConfig);
      });
      expectOne(keys);
    });

    test('by an interceptor that finds out from a response', async () => {
      const keys = await keysOf([answer(401), answer(200)], async (instance, origin) => {
        const { config } = await instance.post(origin, 'x', { validateStatus: () => true });
        await instance.request(config);
      });
      expectOne(keys);
    });

    test('unless the header is taken out: that is another request', async () => {
      const keys = await keysOf([answer(200), answer(200)], async (instance, origin) => {
        const { config } = await instance.post(origin, 'x');
        config.headers.delete('idempotency-key');
        await instance.request(config);
      });
      expect(new Set(keys).size).toBe(2);
    });
  },
);

describe('attemptHeader', () => {
  test.each<[boolean | string, string]>([
    [true, 'retry-attempt'],
    ['X-Retry', 'x-retry'],
  ])('%s: absent at first, then the number of the retry', async (attemptHeader, name) => {
    for (const adapter of ['http', 'fetch']) {
      expect(await sent(name, { attemptHeader }, { adapter })).toEqual([undefined, '1', '2']);
    }
  });

  test('is off unless asked for', async () => {
    expect(await sent('retry-attempt', {}, {})).toEqual([undefined, undefined, undefined]);
  });

  test("takes the place of the caller's own", async () => {
    const headers = { 'Retry-Attempt': '7', 'x-a': '1' };
    expect(await sent('retry-attempt', { attemptHeader: true }, { headers })).toEqual(['7', '1', '2']);
  });

  test('goes with the changes of beforeRetry', async () => {
    const beforeRetry: BeforeRetry = (context) => {
      context.headers = { 'x-new': '1' };
    };
    expect(await sent('retry-attempt', { attemptHeader: true, beforeRetry }, {})).toEqual([
      undefined,
      '1',
      '2',
    ]);
    expect(await sent('x-new', { attemptHeader: true, beforeRetry }, {})).toEqual([undefined, '1', '1']);
  });
});
