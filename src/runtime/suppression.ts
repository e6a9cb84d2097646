/**
 * Layers that retry must not multiply: what a server sends while it serves a retry is not retried again. Costs
 * nothing until it is used, and then only requests whose first attempt failed.
 */

import { defaults } from '../core/defaults.js';
import type { HeadersLike } from '../core/types.js';
import { retryNumberIn } from './attempt-header.js';
import { builtinModule } from './builtin-module.js';

interface ContextStorage {
  run<T>(store: true, work: () => T): T;
  getStore(): true | undefined;
}

let storage: ContextStorage | undefined;

/**
 * Requests that `work` makes, also after it has waited, are sent once: a failure is handed over with the reason
 * `retries-suppressed`. Listeners of emitters that were there before run outside of it.
 */
export function suppressRetries<T>(work: () => T): T {
  storage ??= newStorage();
  return storage.run(true, work);
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

export function areRetriesSuppressed(): true | undefined {
  return storage?.getStore();
}

function headerIn(headers: HeadersLike, name: string): unknown {
  const { get } = headers;
  return typeof get === 'function' ? get.call(headers, name) : (headers as Record<string, unknown>)[name];
}

function newStorage(): ContextStorage {
  const asyncHooks = builtinModule<{ readonly AsyncLocalStorage: new () => ContextStorage }>(
    'node:async_hooks',
  );
  if (asyncHooks !== undefined) return new asyncHooks.AsyncLocalStorage();
  throw new Error(
    'undaunted: suppressRetries needs AsyncLocalStorage, which is not here; it is for servers, in Node.js and its like',
  );
}
