/** An instance of axios whose requests are retried, whatever parts it has. */

import type {} from 'axios';
import { found } from '../../core/found.js';
import type { AxiosParts, Installed } from '../../drivers/parts.js';
import { Child } from './child.js';
import type { RequestOverride } from './commonjs.cjs';
import type { Installation } from './exchange.js';
import type { AttachableInstance, InstanceShape, RequestConfig } from './shapes.js';
import { wrapped } from './wrapped.js';

export type { AttachableInstance } from './shapes.js';

declare module 'axios' {
  interface AxiosRequestConfig {
    /** Settings for this request alone; they override those of the rule that it matches. */
    retry?: RequestOverride;
  }
}

function checkInstance(given: Partial<InstanceShape> | null | undefined): void {
  if (typeof given?.interceptors?.request?.use === 'function') return;
  throw new TypeError(
    `undaunted: attachRetry() needs an axios instance first, but got ${found(given)}: write attachRetry(axios.create(config), policy)`,
  );
}

/**
 * The installations of each instance, in order. They are kept here, since a mark on the adapter would be hidden if
 * another wrapper were put around it.
 */
const attached: WeakMap<InstanceShape, Installation[]> = new WeakMap();

/**
 * `installed` is asked once the instance is known to be one. Returns a function that detaches it. `childOf`: one that knows a
 * quicker way to adapters by name.
 */
export function attachTo(
  instance: AttachableInstance,
  installed: () => Installed<AxiosParts>,
  childOf: (instance: InstanceShape) => Child = (parent) => new Child(parent),
): () => void {
  const shape = instance as unknown as InstanceShape;
  checkInstance(shape);
  const installation: Installation = { ...installed(), child: childOf(shape) };
  installation.parts.layers?.of.countLayer('instances');
  const installations = attached.get(shape) ?? [];
  attached.set(shape, installations);
  installations.push(installation);
  const { request } = shape.interceptors;
  const intercept = (config: RequestConfig): RequestConfig =>
    installations.at(-1) === installation ? wrapped(installation, config) : config;
  // Synchronous, since axios would otherwise make every other interceptor wait a turn.
  const id = request.use(intercept, null, { synchronous: true });
  return () => {
    request.eject(id);
    const at = installations.indexOf(installation);
    if (at !== -1) installations.splice(at, 1);
  };
}
