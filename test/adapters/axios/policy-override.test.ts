/** `config.retry`: what one request says for itself, wherever it says it. */

import type { AxiosRequestConfig, CreateAxiosDefaults } from 'axios';
import { describe, expect, test } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import type { OverrideOptions } from '../../../src/core/policy/options.js';
import { historyOf, PolicyError } from '../../../src/index.js';
import { answer, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { axios } from './client.js';
import { openInstance, retryingInstance } from './kit.js';

/** How many attempts a request of these settings has. */
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

  test('of one request says nothing for another', async () => {
    const lab = await openLab(answer(503));
    const instance = retryingInstance();
    await Promise.all([
      settled(instance.get(`${lab.origin}/none`, { retry: false })),
      settled(instance.get(`${lab.origin}/all`)),
      settled(instance.get(`${lab.origin}/two`, { retry: { maxRetries: 1 } })),
    ]);
    const sent = (path: string): number => lab.requests.filter((request) => request.path === path).length;
    expect([sent('/none'), sent('/all'), sent('/two')]).toEqual([1, 4, 2]);
  });

  test('an object that is changed between two requests says something else', async () => {
    const lab = await openLab(answer(503));
    const retry = { maxRetries: 1 };
    const instance = retryingInstance(soon, { retry });
    await settled(instance.get(lab.origin));
    retry.maxRetries = 2;
    await settled(instance.get(lab.origin, { retry }));
    expect(lab.requests).toHaveLength(5);
  });

  test('says what makes a POST safe to repeat', async () => {
    const lab = await openLab([rst(), answer(200)]);
    const { status } = await retryingInstance().post(lab.origin, 'x', { retry: { idempotent: true } });
    expect([status, lab.requests.length]).toEqual([200, 2]);
  });

  test('means nothing to an instance without it', async () => {
    const lab = await openLab(answer(503));
    await settled(openInstance().get(lab.origin, { retry: { maxRetries: 5 } }));
    expect(lab.requests).toHaveLength(1);
  });

  test('false leaves the answer as it is, with a history that says why', async () => {
    const lab = await openLab(answer(503, 'why'));
    const { error } = await settled(retryingInstance().get(lab.origin, { retry: false }));
    expect(error).toMatchObject({ response: { status: 503, data: 'why' } });
    expect(historyOf(error)?.map(({ decision }) => decision.reason)).toEqual(['retries-off']);
  });
});

describe('one that cannot be used', () => {
  test.each<[string, unknown]>([
    ['an unknown key', { maxRetris: 1 }],
    ['a number that is none', { maxRetries: -1 }],
    ['what belongs to rules', { budget: { capacity: 1 } }],
    ['true', true],
    ['null', null],
    ['a number', 3],
    ['text', 'never'],
  ])('(%s) fails the request, and nothing is sent', async (_what, retry) => {
    const lab = await openLab(answer(200));
    const events: unknown[] = [];
    const instance = retryingInstance({ observe: (event) => void events.push(event) });
    const { error } = await settled(instance.get(lab.origin, { retry } as object));
    expect(error).toBeInstanceOf(PolicyError);
    expect(axios.isAxiosError(error)).toBe(true);
    expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_POLICY', config: { url: lab.origin } });
    expect(lab.requests).toHaveLength(0);
    expect((await instance.get(lab.origin)).status).toBe(200);
  });

  test('is an error that can be logged, without what its configuration holds', async () => {
    const lab = await openLab(answer(200));
    const { error } = await settled(
      retryingInstance().get(lab.origin, {
        headers: { authorization: 'secret' },
        retry: { maxRetries: -1 },
      }),
    );
    expect(JSON.stringify(error)).toContain('maxRetries');
    expect(JSON.stringify(error)).not.toContain('secret');
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

  test('a response interceptor hears of it as of any other error', async () => {
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
