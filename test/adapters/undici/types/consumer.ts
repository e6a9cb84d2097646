/**
 * What a user writes, compiled here against the source and the devDependency, and by `npm run test:matrix`
 * against the packed declarations and each undici: nothing in it may be known to one version only.
 */

import {
  Agent,
  BalancedPool,
  Client,
  type Dispatcher,
  EnvHttpProxyAgent,
  fetch,
  MockAgent,
  Pool,
  ProxyAgent,
  pipeline,
  request,
  setGlobalDispatcher,
  stream,
} from 'undici';
import { retry } from '../../../../src/adapters/undici/index.js';
import { createRetrier, definePolicy } from '../../../../src/index.js';

const url = 'http://127.0.0.1/';
const policy = definePolicy({ maxRetries: 3, rules: [{ match: '/health', retry: false }] });
const interceptor: Dispatcher.DispatcherComposeInterceptor = retry();

export const dispatchers: Dispatcher[] = [
  new Agent().compose(interceptor),
  new Agent().compose([retry({ maxRetries: 1, deadlineMs: 1_000 })]),
  new Pool(url).compose(retry(policy)),
  new Client(url).compose(retry(createRetrier(policy))),
  new BalancedPool(url).compose(retry()),
  new MockAgent().compose(retry()),
  new ProxyAgent(url).compose(retry()),
  new EnvHttpProxyAgent().compose(retry()),
];

// @ts-expect-error: a misspelt option
retry({ maxRetrys: 1 });
// @ts-expect-error: not a policy
retry('often');

/** Functions, which every client tells the same. */
export const told = definePolicy({
  retryIf: async (outcome, request) => {
    const body = await outcome.body<{ readonly error?: string }>();
    return outcome.header('x-stale') === 'yes' || body?.error === request.header('x-error') || undefined;
  },
  scope: ({ origin, path, url, header }) => [origin, path.split('/')[2], url, header('x-tenant')].join(' '),
  rules: [{ match: { test: (request) => request.path.startsWith('/payments') }, idempotent: false }],
});

export async function use(dispatcher: Dispatcher, path: string, method: 'GET'): Promise<void> {
  setGlobalDispatcher(dispatcher);
  await fetch(url, { dispatcher });
  await request(url, { dispatcher });
  await request(url, { dispatcher, retry: false });
  await request(url, { dispatcher, retry: { maxRetries: 1 } });
  await dispatcher.request({ origin: url, path, method, retry: { maxRetries: 1 } });
  await stream(url, { dispatcher, method, retry: false }, () => process.stdout);
  pipeline(url, { dispatcher, method, retry: { deadlineMs: 1_000 } }, ({ body }) => body);
  const options: Dispatcher.DispatchOptions = { path, method, retry: { attemptTimeoutMs: 100 } };
  dispatcher.dispatch(options, {});

  // @ts-expect-error: a misspelt key of the settings
  await request(url, { dispatcher, retry: { maxRetrys: 1 } });
  // @ts-expect-error: true says nothing that is not so already
  await request(url, { dispatcher, retry: true });
  // @ts-expect-error: a misspelt key beside it
  await request(url, { dispatcher, retries: { maxRetries: 1 } });
  // @ts-expect-error: rules belong to a policy
  await request(url, { dispatcher, retry: { rules: [] } });
}
