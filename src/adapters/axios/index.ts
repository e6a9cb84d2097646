/** Retry for axios: `attachRetry(axios.create())`. */

import type {} from 'axios';
import type { PolicyOptions } from '../../core/options.js';
import type { Policy } from '../../core/policy.js';
import type { Retrier } from '../../runtime/retrier.js';
import { retrierFor } from '../../runtime/retrier.js';
import { type Line, sendWithRetries } from './call.js';
import { Child } from './child.js';
import type { RequestOverride } from './commonjs.cjs';
import { NamedAdapters } from './named.js';
import type { Adapter, AttachableInstance, InstanceShape, RequestConfig } from './shapes.js';

export type { AttachableInstance };

declare module 'axios' {
  interface AxiosRequestConfig {
    /** What this one request says for itself; lies over the rule that it matches. */
    retry?: RequestOverride;
  }
}

/** So that another copy of this package knows it, too. */
const mark = Symbol.for('undaunted.axios');

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
  if (isMarked(adapter)) return config;
  const send = typeof adapter === 'function' ? (adapter as Adapter) : line.named.send;
  const retrying = (whole: RequestConfig) => {
    // The caller's configuration shows the caller's adapter.
    if (adapter === undefined) delete whole.adapter;
    else whole.adapter = adapter;
    // axios's own transform takes a function for JSON.
    if (typeof data === 'function' && whole.data === undefined) whole.data = data;
    return sendWithRetries(line, whole, send);
  };
  retrying[mark] = true;
  config.adapter = retrying;
  return config;
}

function isMarked(adapter: unknown): boolean {
  return typeof adapter === 'function' && mark in adapter;
}
