/**
 * Layers that retry must not multiply: what a server sends while it serves a retry is not retried again, nor what
 * one layer sends while it serves the attempt of another. Costs next to nothing until it is used.
 */

import { defaults } from '../core/policy/defaults.js';
import type { HeadersLike } from '../core/types.js';
import { retryNumberIn } from './attempt-header.js';
import { builtinModule } from './builtin-module.js';
import type { Enclosure } from './layers.js';

/** `true`: whatever is sent. */
export type Suppression = true | Enclosure;

export interface ContextStorage {
  run<T>(store: Suppression, work: () => T): T;
  getStore(): Suppression | undefined;
}

/** Of the whole process, so that another copy of this package knows it, too. */
const storageKey: unique symbol = Symbol.for('undaunted.suppression');

const host = globalThis as { [storageKey]?: ContextStorage | undefined };

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

/** What follows the request that is being made here, through its promises. */
export function suppressionInContext(): Suppression | undefined {
  return host[storageKey]?.getStore();
}

/** Undefined: there is none in this place, as in browsers. */
export function contextStorage(): ContextStorage | undefined {
  host[storageKey] ??= newStorage();
  return host[storageKey];
}

function headerIn(headers: HeadersLike, name: string): unknown {
  const { get } = headers;
  if (typeof get === 'function') return get.call(headers, name);
  // Node's are in lower case; those of gateways and functions may be as they came.
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

function newStorage(): ContextStorage | undefined {
  const asyncHooks = builtinModule<{ readonly AsyncLocalStorage: new () => ContextStorage }>(
    'node:async_hooks',
  );
  return asyncHooks === undefined ? undefined : new asyncHooks.AsyncLocalStorage();
}
