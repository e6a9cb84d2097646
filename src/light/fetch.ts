/** Retry for fetch with only those parts that a program names: `withRetry(fetch, { hold: true }, [hold])`. */

import { type AnyFetch, type RetryingFetch, type Wrapped, wrapFetch } from '../adapters/fetch/wrap.js';
import type { Part } from '../core/policy/parts.js';
import type { PolicyLike } from '../core/policy/policy.js';
import { installed } from '../drivers/parts.js';
import type { RetrierLike } from '../kernel/retrier.js';
import { retrierWith } from './chosen.js';
import type { MakingWith, OverrideWith, PolicyWith } from './options.js';

export type { AnyFetch, RetryInit, RetryingFetch } from '../adapters/fetch/wrap.js';

/**
 * Wraps a fetch so that its requests are retried, with the parts in the list: `withRetry(fetch, { hold: true }, [hold])`.
 * It takes options, or a policy or a retrier, which have their parts already. Without a fetch to wrap, `globalThis.fetch`
 * is looked up at each call.
 */
export function withRetry(
  fetch: undefined,
  policy: PolicyLike | RetrierLike,
): RetryingFetch<typeof globalThis.fetch>;
export function withRetry<F extends AnyFetch>(fetch: F, policy: PolicyLike | RetrierLike): RetryingFetch<F>;
export function withRetry<F extends AnyFetch, const List extends readonly Part[] = readonly []>(
  fetch: F,
  policy?: PolicyWith<List>,
  parts?: List,
): RetryingFetch<F, OverrideWith<List>, MakingWith<List>>;
export function withRetry<
  F extends AnyFetch | undefined = undefined,
  const List extends readonly Part[] = readonly [],
>(
  fetch?: F,
  policy?: PolicyWith<List>,
  parts?: List,
): RetryingFetch<Wrapped<F>, OverrideWith<List>, MakingWith<List>>;
export function withRetry(
  fetch?: AnyFetch,
  policy?: object,
  parts: readonly Part[] = [],
): RetryingFetch<AnyFetch> {
  return wrapFetch(fetch, () => installed(retrierWith(policy, parts)));
}
