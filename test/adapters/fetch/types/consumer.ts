/** What a user writes, compiled here against the source: with DOM's types, and with those of undici. */

import { fetch as undiciFetch } from 'undici';
import { withRetry } from '../../../../src/adapters/fetch/index.js';
import { createRetrier, definePolicy } from '../../../../src/index.js';

const url = 'http://127.0.0.1/';
const policy = definePolicy({ maxRetries: 3, rules: [{ match: '/health', retry: false }] });

const own = withRetry(globalThis.fetch, { maxRetries: 5, deadlineMs: 30_000 });
export const same: typeof globalThis.fetch = own;
export const looked: typeof globalThis.fetch = withRetry();
export const others = [
  withRetry(undefined, policy),
  withRetry(fetch, createRetrier(policy)),
  withRetry(own, policy),
];

/** A fetch with static members, like Bun's. */
declare const bunFetch: typeof fetch & { preconnect(url: string): void };
withRetry(bunFetch, {}).preconnect(url);

/** A fetch with overloads, like a framework's, one of which takes more. */
declare const richFetch: {
  (input: URL): Promise<'by URL'>;
  (input: string, init?: { revalidate?: number }): Promise<'by text'>;
};
const rich = withRetry(richFetch);
export const byUrl: Promise<'by URL'> = rich(new URL(url));
export const byText: Promise<'by text'> = rich(url, { revalidate: 1, retry: { maxRetries: 1 } });

/** Functions, which every client tells the same. */
export const told = definePolicy({
  retryIf: async (outcome, request) => {
    const body = await outcome.body<{ readonly error?: string }>();
    return outcome.header('x-stale') === 'yes' || body?.error === request.header('x-error') || undefined;
  },
  scope: ({ origin, path, url, header }) => [origin, path.split('/')[2], url, header('x-tenant')].join(' '),
  rules: [{ match: { test: (request) => request.path.startsWith('/payments') }, idempotent: false }],
});

export async function use(): Promise<void> {
  const response = await own(url, { method: 'POST', body: 'x', retry: { maxRetries: 1 } });
  response.status.toFixed();
  await own(new Request(url), { retry: false });
  await own(new URL(url));
  await own(url, { method: 'PUT', body: () => 'made anew' });
  const answer = await withRetry(undiciFetch, policy)(url, { dispatcher: undefined as never, retry: false });
  answer.headers.getSetCookie().at(0);
}

// @ts-expect-error: a misspelt option
withRetry(fetch, { maxRetrys: 1 });
// @ts-expect-error: not a policy
withRetry(fetch, 'often');
// @ts-expect-error: options in place of the fetch
withRetry({ maxRetries: 1 });
// @ts-expect-error: a misspelt key of the settings
own(url, { retry: { maxRetrys: 1 } });
// @ts-expect-error: true says nothing that is not so already
own(url, { retry: true });
// @ts-expect-error: a misspelt key of init
own(url, { methode: 'POST' });
