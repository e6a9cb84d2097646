/** Retry for axios: `attachRetry(axios.create())`. */

import type {} from 'axios';
import { found } from '../../core/found.js';
import type { PolicyOptions } from '../../core/policy/options.js';
import type { PolicyLike } from '../../core/policy/policy.js';
import { countLayer } from '../../runtime/layers.js';
import type { RetrierLike } from '../../runtime/retrier.js';
import { retrierFor } from '../../runtime/retrier.js';
import { Child } from './child.js';
import type { RequestOverride } from './commonjs.cjs';
import type { Installation } from './exchange.js';
import { NamedAdapters } from './named.js';
import type { AttachableInstance, InstanceShape, RequestConfig } from './shapes.js';
import { wrapped } from './wrapped.js';

export type { AttachableInstance };

declare module 'axios' {
  interface AxiosRequestConfig {
    /** What this one request says for itself; lies over the rule that it matches. */
    retry?: RequestOverride;
  }
}

function checkInstance(given: Partial<InstanceShape> | null | undefined): void {
  if (typeof given?.interceptors?.request?.use === 'function') return;
  throw new TypeError(
    `undaunted: attachRetry() needs an axios instance first, but got ${found(given)}: write attachRetry(axios.create(config), policy)`,
  );
}

/** What is attached to an instance, in order: another wrapper around the adapter would hide a mark from us. */
const attached: WeakMap<InstanceShape, Installation[]> = new WeakMap();

/**
 * Requests of this instance are retried, until what it returns is called; requests under way finish as they
 * began. Attached twice, the last one acts.
 */
export function attachRetry(
  instance: AttachableInstance,
  given?: PolicyOptions | PolicyLike | RetrierLike,
): () => void {
  const shape = instance as unknown as InstanceShape;
  checkInstance(shape);
  const child = new Child(shape);
  const installation: Installation = {
    retrier: retrierFor(given),
    child,
    named: new NamedAdapters(shape, child),
  };
  countLayer('instances');
  const installations = attached.get(shape) ?? [];
  attached.set(shape, installations);
  installations.push(installation);
  const { request } = shape.interceptors;
  const intercept = (config: RequestConfig): RequestConfig =>
    installations.at(-1) === installation ? wrapped(installation, config) : config;
  // Synchronous, or axios would make every other interceptor wait a turn.
  const id = request.use(intercept, null, { synchronous: true });
  return () => {
    request.eject(id);
    const at = installations.indexOf(installation);
    if (at !== -1) installations.splice(at, 1);
  };
}
