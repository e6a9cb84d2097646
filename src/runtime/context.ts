/** What follows a request through its promises, where the platform can tell: `AsyncLocalStorage`. */

import type { RequestFacts } from '../core/types.js';
import { builtinModule } from './builtin-module.js';

/** An attempt of an outer layer, while it is being served. */
export interface Enclosure {
  /** Undefined: nothing else is sent within. */
  readonly request: RequestFacts | undefined;
  isOver: boolean;
}

/** What is sent within is not retried. `true`: whatever it is. */
export type Suppression = true | Enclosure;

export interface ContextStorage {
  run<T>(store: Suppression, work: () => T): T;
  getStore(): Suppression | undefined;
}

/** Of the whole process, so that another copy of this package knows it, too. */
const storageKey: unique symbol = Symbol.for('undaunted.suppression');

/** Edge runtimes that have the class have it in the open. */
const host = globalThis as {
  [storageKey]?: ContextStorage | undefined;
  AsyncLocalStorage?: NewStorage;
};

type NewStorage = new () => ContextStorage;

/** What follows the request that is being made here. */
export function suppressionInContext(): Suppression | undefined {
  return host[storageKey]?.getStore();
}

/** Undefined: there is none in this place, as in browsers. */
export function contextStorage(): ContextStorage | undefined {
  host[storageKey] ??= newStorage();
  return host[storageKey];
}

function newStorage(): ContextStorage | undefined {
  const hooks = builtinModule<{ readonly AsyncLocalStorage: NewStorage }>('node:async_hooks');
  const AsyncLocalStorage = hooks?.AsyncLocalStorage ?? host.AsyncLocalStorage;
  return AsyncLocalStorage === undefined ? undefined : new AsyncLocalStorage();
}
