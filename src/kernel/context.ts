/** The context that follows a request through its promises, on platforms that have `AsyncLocalStorage`. */

import type { RequestFacts } from '../core/types.js';
import { builtinModule } from './builtin-module.js';
import { shared } from './shared.js';

/** An attempt of an outer layer while it is under way. */
export interface Enclosure {
  /** Undefined: every request that is sent within belongs to this attempt. */
  readonly request: RequestFacts | undefined;
  isOver: boolean;
}

/**
 * Requests that are sent within are not retried: with `true`, none of them; otherwise, those that belong to the
 * enclosing attempt.
 */
export type Suppression = true | Enclosure;

interface ContextStorage {
  run<T>(store: Suppression, work: () => T): T;
  getStore(): Suppression | undefined;
}

/** A global symbol, so that another copy of this package in the process finds the same storage. */
const storageKey: unique symbol = Symbol.for('undaunted.suppression');

type NewStorage = new () => ContextStorage;

const host: { [storageKey]?: ContextStorage | undefined } = /* @__PURE__ */ (() => {
  const host = shared as { [storageKey]?: ContextStorage | undefined };
  // Nearly every process is without a storage, and a property that exists is read much faster than one that does not.
  host[storageKey] ??= undefined;
  return host;
})();

/** What the context says about requests that are made here. */
export function suppressionInContext(): Suppression | undefined {
  return host[storageKey]?.getStore();
}

/** Undefined: the platform has no such storage, as in browsers. */
export function contextStorage(): ContextStorage | undefined {
  host[storageKey] ??= newStorage();
  return host[storageKey];
}

function newStorage(): ContextStorage | undefined {
  const hooks = builtinModule<{ readonly AsyncLocalStorage: NewStorage }>('node:async_hooks');
  // Edge runtimes that have the class have it as a global.
  const edge = globalThis as { readonly AsyncLocalStorage?: NewStorage };
  const AsyncLocalStorage = hooks?.AsyncLocalStorage ?? edge.AsyncLocalStorage;
  return AsyncLocalStorage === undefined ? undefined : new AsyncLocalStorage();
}
