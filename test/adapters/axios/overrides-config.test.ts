/** `config.retry`: settings of one request, wherever axios accepts them. */

import type { AxiosRequestConfig, CreateAxiosDefaults } from 'axios';
import { describe, expect, test } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import type { OverrideOptions } from '../../../src/core/policy/options.js';
import { PolicyError } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { axios } from './client.js';
import { openInstance, retryingInstance } from './kit.js';

/** How many attempts a request with these settings makes. */
async function attemptsOf(
  request: AxiosRequestConfig,
  { policy = {}, defaults = {} }: { policy?: object; defaults?: CreateAxiosDefaults } = {},
): Promise<number> {
  const lab = await openLab(answer(503));
  await settled(retryingInstance({ ...soon, ...policy }, defaults).request({ url: lab.origin, ...request }));
  return lab.requests.length;
}

describe('retry', () => {
  test.each<[string, OverrideOptions | false | undefined, number]>([
    ['undefined', undefined, 4],
    ['{}', {}, 4],
    ['false', false, 1],
    ['{ retry: false }', { retry: false }, 1],
    ['{ maxRetries: 0 }', { maxRetries: 0 }, 1],
    ['{ maxRetries: 1 }', { maxRetries: 1 }, 2],
    ['{ statuses }', { statuses: ['5xx', '!503'] }, 1],
    ['{ retryIf }', { retryIf: () => false }, 1],
  ])('%s, of a request, in the defaults, and set by an interceptor', async (_name, retry, attempts) => {
    const given = retry === undefined ? {} : { retry };
    expect(await attemptsOf(given)).toBe(attempts);
    expect(await attemptsOf({}, { defaults: given })).toBe(attempts);

    const lab = await openLab(answer(503));
    const instance = retryingInstance();
    instance.interceptors.request.use((config) => Object.assign(config, given));
    await settled(instance.get(lab.origin));
    expect(lab.requests).toHaveLength(attempts);
  });

  test('of a request lies over that of the defaults, and both over the rule', async () => {
    const defaults: CreateAxiosDefaults = { retry: { maxRetries: 2 } };
    expect(await attemptsOf({ retry: { maxRetries: 1 } }, { defaults })).toBe(2);
    expect(await attemptsOf({ retry: false }, { defaults })).toBe(1);
    expect(await attemptsOf({ retry: { statuses: [503] } }, { defaults })).toBe(3);
    const policy = { maxRetries: 5, rules: [{ match: '/*', maxRetries: 0 }] };
    expect(await attemptsOf({ retry: { maxRetries: 1 } }, { policy })).toBe(2);
    expect(await attemptsOf({ retry: { statuses: [503] } }, { policy })).toBe(1);
    expect(await attemptsOf({ retry: { maxRetries: 1 } }, { defaults: { retry: false } })).toBe(2);
  });

  test('set in the defaults later counts from then on', async () => {
    const lab = await openLab(answer(503));
    const instance = retryingInstance();
    instance.defaults.retry = { maxRetries: 1 };
    await settled(instance.get(lab.origin));
    expect(lab.requests).toHaveLength(2);
    delete instance.defaults.retry;
    await settled(instance.get(lab.origin));
    expect(lab.requests).toHaveLength(6);
  });

  test('means nothing to an instance without it', async () => {
    const lab = await openLab(answer(503));
    await settled(openInstance().get(lab.origin, { retry: { maxRetries: 5 } }));
    expect(lab.requests).toHaveLength(1);
  });
});

describe('an invalid one', () => {
  test('fails the request with an error of axios', async () => {
    const lab = await openLab(answer(200));
    const { error } = await settled(retryingInstance().get(lab.origin, { retry: { maxRetries: -1 } }));
    expect(axios.isAxiosError(error)).toBe(true);
    expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_POLICY', config: { url: lab.origin } });
  });

  test('is each request’s own error, with its own configuration', async () => {
    const instance = retryingInstance();
    const retry = { maxRetries: -1 };
    const [one, other] = await Promise.all(
      ['http://127.0.0.1:1/one', 'http://127.0.0.1:1/other'].map(
        async (url) => (await settled(instance.get(url, { retry }))).error,
      ),
    );
    expect(one).not.toBe(other);
    expect([one, other]).toMatchObject([
      { config: { url: 'http://127.0.0.1:1/one' } },
      { config: { url: 'http://127.0.0.1:1/other' } },
    ]);
  });

  test('a response interceptor gets it like any other error', async () => {
    const instance = openInstance();
    const heard: unknown[] = [];
    attachRetry(instance, soon);
    instance.interceptors.response.use(undefined, (error) => {
      heard.push(error);
      throw error;
    });
    await settled(instance.get('http://127.0.0.1:1/', { retry: { maxRetries: -1 } }));
    expect(heard).toEqual([expect.any(PolicyError)]);
  });
});
