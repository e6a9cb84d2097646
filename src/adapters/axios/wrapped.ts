/**
 * Around the adapter is the place where a request is whole: transformed, and seen by every interceptor.
 */

import { warn } from '../../runtime/warning.js';
import { type Installation, sendWithRetries } from './exchange.js';
import { isCanceled } from './outcome.js';
import type { Adapter, RequestConfig } from './shapes.js';

/** So that another copy of this package knows it, too. */
const mark: unique symbol = Symbol.for('undaunted.axios');

type Wrapper = Adapter & { [mark]?: true };

export function wrapped(installation: Installation, config: RequestConfig): RequestConfig {
  const { adapter, data, transitional } = config;
  if (typeof adapter === 'function' && mark in adapter) return config;
  // axios does not call an adapter then, and shows the configuration as it is.
  if (isCanceled(config)) return config;
  const body = typeof data === 'function' ? data : undefined;
  const wrapper =
    body === undefined ? commonWrapper(installation, adapter) : wrapperOf(installation, adapter, body);
  if (transitional?.legacyInterceptorReqResOrdering === false)
    stayAround(installation, config, wrapper, body);
  else config.adapter = wrapper;
  return config;
}

/** Nearly all requests of an instance have the same adapter. */
function commonWrapper(installation: Installation, adapter: unknown): Adapter {
  if (typeof adapter !== 'function') return wrapperOf(installation, adapter, undefined);
  if (installation.last?.adapter !== adapter)
    installation.last = { adapter, wrapper: wrapperOf(installation, adapter, undefined) };
  return installation.last.wrapper;
}

/** `body`: a function that makes it, which axios's own transform takes for JSON. */
function wrapperOf(installation: Installation, adapter: unknown, body: unknown): Adapter {
  const send = typeof adapter === 'function' ? (adapter as Adapter) : installation.named.send;
  const wrapper: Wrapper = (config) => {
    // The caller's configuration shows the caller's adapter.
    if (adapter === undefined) delete config.adapter;
    else config.adapter = adapter;
    if (body !== undefined && config.data === undefined) config.data = body;
    return sendWithRetries(installation, config, send);
  };
  wrapper[mark] = true;
  return wrapper;
}

// ---------------------------------------------------------------- in the order of registration

/** Of those who were warned. */
const warned: WeakSet<Installation> = new WeakSet();

/**
 * With `legacyInterceptorReqResOrdering: false`, the interceptors that were registered later run later. An adapter
 * that one of them names is wrapped like one that was there. A function takes the place of ours: it may be a cache's.
 */
function stayAround(installation: Installation, config: RequestConfig, first: Adapter, body: unknown): void {
  let adapter = first;
  let isKnown = false;
  Object.defineProperty(config, 'adapter', {
    configurable: true,
    enumerable: true,
    get: () => {
      isKnown = true;
      return shown(adapter);
    },
    set: (next: unknown) => {
      if (typeof next !== 'function') adapter = wrapperOf(installation, next, body);
      else {
        adapter = next as Adapter;
        // Who has asked for ours before calls it, in all probability.
        if (!isKnown) warnOf(installation);
      }
    },
  });
}

/** Older versions of axios hand on the configuration itself, with what was put into it here. */
function shown(adapter: Adapter): Adapter {
  if (!(mark in adapter)) return adapter;
  const wrapper: Wrapper = (config) => {
    delete config.adapter;
    return adapter(config);
  };
  wrapper[mark] = true;
  return wrapper;
}

function warnOf(installation: Installation): void {
  if (warned.has(installation)) return;
  warned.add(installation);
  warn(
    new Error(
      'undaunted: an interceptor that runs after attachRetry() has put a function into config.adapter, so that its requests are not retried; unless it is a cache, register it before attachRetry() is called',
    ),
  );
}
