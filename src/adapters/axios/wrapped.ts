/** Wraps the adapter, since it gets the request in its final form: transformed, and seen by every interceptor. */

import { copyWith } from '../../drivers/sent-by-axios.js';
import { type Installation, sendWithRetries } from './exchange.js';
import { isCanceled } from './outcome.js';
import type { Adapter, RequestConfig } from './shapes.js';

/** A registered symbol, so that another copy of this package recognises the mark. */
const mark: unique symbol = Symbol.for('undaunted.axios');

type Wrapper = Adapter & { [mark]?: true };

export function wrapped(installation: Installation, given: RequestConfig): RequestConfig {
  const { adapter, data, transitional } = given;
  if (typeof adapter === 'function' && mark in adapter) return given;
  // axios does not call the adapter of a cancelled request, and shows the configuration as it is.
  if (isCanceled(given)) return given;
  const config = changeable(given);
  const body = typeof data === 'function' ? data : undefined;
  const wrapper =
    body === undefined ? commonWrapper(installation, adapter) : wrapperOf(installation, adapter, body);
  if (transitional?.legacyInterceptorReqResOrdering === false)
    stayAround(installation, config, wrapper, body);
  else config.adapter = wrapper;
  return config;
}

/** An interceptor may have frozen the configuration, as tools for immutable data do. */
function changeable(config: RequestConfig): RequestConfig {
  return Object.isExtensible(config) ? config : copyWith(config);
}

/** Keeps the wrapper of the last adapter: nearly all requests of an instance have the same one. */
function commonWrapper(installation: Installation, adapter: unknown): Adapter {
  if (typeof adapter !== 'function') return wrapperOf(installation, adapter, undefined);
  if (installation.last?.adapter !== adapter)
    installation.last = { adapter, wrapper: wrapperOf(installation, adapter, undefined) };
  return installation.last.wrapper;
}

/** `body` is a function that makes the body; axios's own transform would try to turn it into JSON. */
function wrapperOf(installation: Installation, adapter: unknown, body: unknown): Adapter {
  const send = typeof adapter === 'function' ? (adapter as Adapter) : installation.child.send;
  const wrapper: Wrapper = (config) => {
    // The caller sees its own adapter in the configuration.
    if (adapter === undefined) delete config.adapter;
    else config.adapter = adapter;
    if (body !== undefined && config.data === undefined) config.data = body;
    installation.parts.advice?.noticeOthers(installation, config);
    return sendWithRetries(installation, config, send);
  };
  wrapper[mark] = true;
  return wrapper;
}

// ---------------------------------------------------------------- in the order of registration

/**
 * With `legacyInterceptorReqResOrdering: false`, interceptors that were registered later run later. If one of them sets
 * an adapter by name, that adapter is wrapped, too. If one of them sets a function, it replaces our wrapper: it may be
 * a cache.
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
        // An interceptor that has read our wrapper before most likely calls it.
        if (!isKnown) installation.parts.advice?.noticeReplaced(installation);
      }
    },
  });
}

/** Older versions of axios pass on the configuration itself, with this property still in it. */
function shown(adapter: Adapter): Adapter {
  if (!(mark in adapter)) return adapter;
  const wrapper: Wrapper = (config) => {
    delete config.adapter;
    return adapter(config);
  };
  wrapper[mark] = true;
  return wrapper;
}
