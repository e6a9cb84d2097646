/** Counts the hops of an attempt through axios's adapter `fetch`, which follows redirects without telling. */

import { Hops } from '../../drivers/hops.js';
import { platformFetch } from '../../drivers/platform-fetch.js';
import { withConfig } from './child.js';
import type { Adapter, RequestConfig, ResponseShape } from './shapes.js';

/** Undefined: this attempt's hops cannot be counted, or something else counts them. */
export function hopsFor({ env, fetchOptions }: RequestConfig): Hops | undefined {
  const fetch = env?.fetch ?? (globalThis as { readonly fetch?: unknown }).fetch;
  return platformFetch(fetch) === 'undici' ? Hops.to(fetchOptions?.dispatcher) : undefined;
}

/** Sends a copy, so that the caller does not see our dispatcher in its configuration. */
export async function sendCounted(
  adapter: Adapter,
  config: RequestConfig,
  hops: Hops,
): Promise<ResponseShape> {
  const copy: RequestConfig = Object.create(Object.getPrototypeOf(config));
  Object.assign(copy, config, { fetchOptions: { ...config.fetchOptions, dispatcher: hops } });
  try {
    return withConfig(await adapter(copy), copy, config);
  } catch (error) {
    throw withConfig(error, copy, config);
  }
}
