/** Retry for fetch and everything that is called like it: `withRetry(globalThis.fetch)`. */

import type { PolicyOptions } from '../../core/policy/options.js';
import type { PolicyLike } from '../../core/policy/policy.js';
import { installed } from '../../drivers/parts.js';
import type { RetrierLike } from '../../kernel/retrier.js';
import { retrierForFetch } from '../../parts/all.js';
import { type AnyFetch, type RetryingFetch, type Wrapped, wrapFetch } from './wrap.js';

export type { AnyFetch, RetryInit, RetryingFetch } from './wrap.js';

/**
 * Wraps a fetch so that its requests are retried: `withRetry(globalThis.fetch, { maxRetries: 3 })`. It takes options, a
 * policy or a retrier. Without a fetch to wrap, `globalThis.fetch` is looked up at each call, so a later replacement is
 * used. To replace the global fetch, wrap it: `globalThis.fetch = withRetry(globalThis.fetch)`.
 */
export function withRetry<F extends AnyFetch>(
  fetch: F,
  policy?: PolicyOptions | PolicyLike | RetrierLike,
): RetryingFetch<F>;
export function withRetry<F extends AnyFetch | undefined = undefined>(
  fetch?: F,
  policy?: PolicyOptions | PolicyLike | RetrierLike,
): RetryingFetch<Wrapped<F>>;
export function withRetry(
  fetch?: AnyFetch,
  policy?: PolicyOptions | PolicyLike | RetrierLike,
): RetryingFetch<AnyFetch> {
  return wrapFetch(fetch, () => installed(retrierForFetch(policy)));
}
