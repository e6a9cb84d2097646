/** Retry for axios: `attachRetry(axios.create())`. */

import type {} from 'axios';
import type { PolicyOptions } from '../../core/options.js';
import type { Policy } from '../../core/policy.js';
import { countLayer } from '../../runtime/layers.js';
import type { Retrier } from '../../runtime/retrier.js';
import { retrierFor } from '../../runtime/retrier.js';
import { type Line, sendWithRetries } from './call.js';
import { Child } from './child.js';
import type { RequestOverride } from './commonjs.cjs';
import { NamedAdapters } from './named.js';
import { isCanceled } from './outcome.js';
import type { Adapter, AttachableInstance, InstanceShape, RequestConfig } from './shapes.js';

export type { AttachableInstance };

declare module 'axios' {
  interface AxiosRequestConfig {
    /** What this one request says for itself; lies over the rule that it matches. */
    retry?: RequestOverride;
  }
}

/** So that another copy of this package knows it, too. */
const mark: unique symbol = Symbol.for('undaunted.axios');

/** What is attached to an instance, in order: somebody's wrapper around the adapter would hide a mark from us. */
const attached: WeakMap<InstanceShape, Line[]> = new WeakMap();

/**
 * Requests of this instance are retried, until what it returns is called; requests under way finish as they
 * began. Attached twice, the last one acts.
 */
export function attachRetry(
  instance: AttachableInstance,
  given?: PolicyOptions | Policy | Retrier,
): () => void {
  const shape = instance as unknown as InstanceShape;
  const child = new Child(shape);
  const line: Line = { retrier: retrierFor(given), child, named: new NamedAdapters(shape, child) };
  countLayer('instances');
  const lines = attached.get(shape) ?? [];
  attached.set(shape, lines);
  lines.push(line);
  const { request } = shape.interceptors;
  const intercept = (config: RequestConfig): RequestConfig =>
    lines.at(-1) === line ? wrapped(line, config) : config;
  // Synchronous, or axios would make every other interceptor wait a turn.
  const id = request.use(intercept, null, { synchronous: true });
  return () => {
    request.eject(id);
    const at = lines.indexOf(line);
    if (at !== -1) lines.splice(at, 1);
  };
}

/** Around the adapter is the place where a request is whole: transformed, and seen by every interceptor. */
function wrapped(line: Line, config: RequestConfig): RequestConfig {
  const { adapter, data } = config;
  if (typeof adapter === 'function' && mark in adapter) return config;
  // axios does not call an adapter then, and shows the configuration as it is.
  if (isCanceled(config)) return config;
  config.adapter = typeof data === 'function' ? wrapperOf(line, adapter, data) : commonWrapper(line, adapter);
  return config;
}

/** Nearly all requests of an instance have the same adapter. */
function commonWrapper(line: Line, adapter: unknown): Adapter {
  if (typeof adapter !== 'function') return wrapperOf(line, adapter, undefined);
  if (line.last?.adapter !== adapter) line.last = { adapter, wrapper: wrapperOf(line, adapter, undefined) };
  return line.last.wrapper;
}

/** `body`: a function that makes it, which axios's own transform takes for JSON. */
function wrapperOf(line: Line, adapter: unknown, body: unknown): Adapter {
  const send = typeof adapter === 'function' ? (adapter as Adapter) : line.named.send;
  const wrapper: Adapter & { [mark]?: true } = (config) => {
    // The caller's configuration shows the caller's adapter.
    if (adapter === undefined) delete config.adapter;
    else config.adapter = adapter;
    if (body !== undefined && config.data === undefined) config.data = body;
    return sendWithRetries(line, config, send);
  };
  wrapper[mark] = true;
  return wrapper;
}
