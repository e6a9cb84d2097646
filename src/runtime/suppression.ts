/**
 * Layers that retry must not multiply: what a server sends while it serves a retry is not retried again, nor what
 * one layer sends while it serves the attempt of another. Costs next to nothing until it is used.
 */

import { defaults } from '../core/policy/defaults.js';
import type { HeadersLike } from '../core/types.js';
import { retryNumberIn } from './attempt-header.js';
import { contextStorage } from './context.js';

/**
 * Requests that `work` makes, also after it has waited, are sent once: a failure is handed over with the reason
 * `retries-suppressed`. Listeners of emitters that were there before run outside of it.
 */
export function suppressRetries<T>(work: () => T): T {
  const storage = contextStorage();
  if (storage !== undefined) return storage.run(true, work);
  throw new Error(
    'undaunted: suppressRetries needs AsyncLocalStorage, which is not here; it is for servers, in Node.js and its like',
  );
}

/** Serves an incoming request; if that is a retry of its sender's, without retries of our own. */
export function suppressWhenRetried<T>(
  { headers }: { readonly headers: HeadersLike },
  serve: () => T,
  attemptHeader: string = defaults.attemptHeader,
): T {
  const isRetry = retryNumberIn(headerIn(headers, attemptHeader.toLowerCase())) !== undefined;
  return isRetry ? suppressRetries(serve) : serve();
}

function headerIn(headers: HeadersLike, name: string): unknown {
  const { get } = headers;
  if (typeof get === 'function') return get.call(headers, name);
  // Node's are in lower case; those of gateways and functions may be as they came.
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}
