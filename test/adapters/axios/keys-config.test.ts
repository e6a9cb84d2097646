/** The idempotency key in the headers of axios's configuration. */

import type { AxiosError, AxiosInstance, AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { answer, type Play, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { sentThrice, uuid } from '../sent-headers.js';
import { axios } from './client.js';
import { retryingInstance } from './kit.js';

test('a caller’s key in AxiosHeaders is kept, and counts, also without the setting', async () => {
  const headers = new axios.AxiosHeaders({ 'Idempotency-Key': 'mine' });
  for (const policy of [{ idempotencyKey: true }, {}]) {
    const instance = retryingInstance({ ...soon, ...policy });
    const keys = await sentThrice('idempotency-key', (origin) => instance.post(origin, '', { headers }));
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

test.each([false, null, undefined])('%s in its place is not a key', async (none) => {
  const headers = { 'Idempotency-Key': none as unknown as string };
  const ask = (origin: string) => settled(retryingInstance().post(origin, '', { headers }));
  expect(await sentThrice('idempotency-key', ask)).toEqual([undefined]);
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

    /** The usual interceptor for token refresh. */
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
