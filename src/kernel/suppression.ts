/**
 * Layers that retry must not multiply each other's attempts. Requests that a server makes while it serves a retry are
 * not retried again, nor are requests that one layer makes while it serves an attempt of another. This costs next to
 * nothing until it is used.
 */

import { defaults } from '../core/policy/defaults.js';
import type { HeadersLike } from '../core/types.js';
import { retryNumberIn } from './attempt-header.js';
import { contextStorage } from './context.js';

/**
 * Switches retries off for every request that `work` makes, also after it has awaited something: each is sent once, and
 * a failure has the reason `retries-suppressed`. Listeners that were added to emitters before run outside of it.
 */
export function suppressRetries<T>(work: () => T): T {
  const storage = contextStorage();
  if (storage !== undefined) return storage.run(true, work);
  throw new Error(
    'undaunted: suppressRetries needs AsyncLocalStorage, which this platform does not have; it is meant for servers, such as Node.js',
  );
}

/** Serves an incoming request. If that is itself a retry, the requests that `serve` makes are not retried. */
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
  // Node's headers are in lower case; those of API gateways and cloud functions may be spelled as the client sent them.
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}
