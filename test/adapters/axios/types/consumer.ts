/**
 * What a user writes, compiled here against the source and the devDependency, and by `npm run test:matrix` and
 * `npm run test:package` against the packed declarations and other versions of axios, in a module of each kind:
 * nothing in it may be known to one version only.
 */

import axios, { type AxiosInstance, type AxiosRequestConfig, type AxiosStatic } from 'axios';
import { attachRetry } from '../../../../src/adapters/axios/index.js';
import { createRetrier, definePolicy } from '../../../../src/index.js';

const url = 'http://127.0.0.1/';
const policy = definePolicy({ maxRetries: 3, rules: [{ match: '/health', retry: false }] });
const instance = axios.create({ baseURL: url, retry: { maxRetries: 2 } });
instance.defaults.retry = { deadlineMs: 1_000 };

export function attachEverywhere(one: AxiosInstance, all: AxiosStatic): (() => void)[] {
  return [
    attachRetry(axios),
    attachRetry(instance, { maxRetries: 1, deadlineMs: 1_000 }),
    attachRetry(one, policy),
    attachRetry(all, createRetrier(policy)),
    attachRetry(new axios.Axios({ baseURL: url }), { maxRetries: 0 }),
  ];
}

// @ts-expect-error: a misspelt option
attachRetry(instance, { maxRetrys: 1 });
// @ts-expect-error: not a policy
attachRetry(instance, 'often');
// @ts-expect-error: no instance
attachRetry({ baseURL: url });
// @ts-expect-error: a misspelt key of what an instance begins with
axios.create({ retry: { maxRetrys: 1 } });
// @ts-expect-error: a misspelt key of what all its requests say
instance.defaults.retry = { maxRetrys: 1 };

/** Functions, which every client tells the same. */
export const told = definePolicy({
  retryIf: async (outcome, request) => {
    const body = await outcome.body<{ readonly error?: string }>();
    return outcome.header('x-stale') === 'yes' || body?.error === request.header('x-error') || undefined;
  },
  scope: ({ origin, path, url, header }) => [origin, path.split('/')[2], url, header('x-tenant')].join(' '),
  rules: [{ match: { test: (request) => request.path.startsWith('/payments') }, idempotent: false }],
});

export async function use(config: AxiosRequestConfig): Promise<void> {
  await axios.get(url, { retry: { maxRetries: 1 } });
  await axios({ url, retry: false });
  await instance.get<string>(url, { ...config, retry: false });
  await instance.post(url, { a: 1 }, { retry: { idempotencyKey: true } });
  const response = await instance.request({ url, retry: { attemptTimeoutMs: 100 } });
  if (response.config.retry) response.config.retry.maxRetries?.toFixed();
  instance.interceptors.request.use((each) => {
    each.retry = { maxRetries: 0 };
    return each;
  });

  // @ts-expect-error: a misspelt key of the settings
  await axios.get(url, { retry: { maxRetrys: 1 } });
  // @ts-expect-error: a misspelt key of the settings
  await instance.request({ url, retry: { maxRetrys: 1 } });
  // @ts-expect-error: true says nothing that is not so already
  await axios.get(url, { retry: true });
  // @ts-expect-error: a misspelt key beside it
  await axios.get(url, { retries: { maxRetries: 1 } });
  // @ts-expect-error: rules belong to a policy
  await axios.get(url, { retry: { rules: [] } });
}
