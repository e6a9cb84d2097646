/** Retry for axios: `attachRetry(axios.create())`. */

import type {} from 'axios';
import type { OverrideOptions, PolicyOptions } from '../../core/options.js';
import type { Policy } from '../../core/policy.js';
import type { Retrier } from '../../runtime/retrier.js';
import { retrierFor } from '../../runtime/retrier.js';
import { type Line, sendWithRetries } from './call.js';
import { Child } from './child.js';
import type { Adapter, AttachableInstance, InstanceShape, RequestConfig } from './shapes.js';

export type { AttachableInstance };

declare module 'axios' {
  interface AxiosRequestConfig {
    /** What this one request says for itself; lies over the rule that it matches. */
    retry?: OverrideOptions | false;
  }
}

/** So that another copy of this package knows it, too. */
const mark = Symbol.for('undaunted.axios');

/**
 * Requests of this instance are retried, until what it returns is called; requests under way finish as they
 * began. Attached twice, the one acts whose interceptor runs first.
 */
export function attachRetry(
  instance: AttachableInstance,
  given?: PolicyOptions | Policy | Retrier,
): () => void {
  const shape = instance as unknown as InstanceShape;
  const line: Line = { retrier: retrierFor(given), child: new Child(shape) };
  const { request } = shape.interceptors;
  // Synchronous, or axios would make every other interceptor wait a turn.
  const id = request.use((config: RequestConfig) => wrapped(line, config), null, { synchronous: true });
  return () => request.eject(id);
}

/** Around the adapter is the place where a request is whole: transformed, and seen by every interceptor. */
function wrapped(line: Line, config: RequestConfig): RequestConfig {
  const { adapter, data } = config;
  if (isMarked(adapter)) return config;
  const send = typeof adapter === 'function' ? (adapter as Adapter) : line.child.send;
  const retrying = (whole: RequestConfig) => {
    // The caller's configuration shows the caller's adapter.
    whole.adapter = adapter;
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
