/** Retry for axios: `attachRetry(axios.create())`. */

import type { PolicyOptions } from '../../core/policy/options.js';
import type { PolicyLike } from '../../core/policy/policy.js';
import { installed } from '../../drivers/parts.js';
import type { RetrierLike } from '../../kernel/retrier.js';
import { retrierForAxios } from '../../parts/all.js';
import { type AttachableInstance, attachTo } from './attach.js';
import { NamedAdapters } from './named.js';

export type { AttachableInstance } from './attach.js';

/**
 * Retries the requests of this instance: `attachRetry(axios.create(), { maxRetries: 3 })`. It takes options, a policy or
 * a retrier, and returns a function that detaches it; requests under way finish as they began. If it is attached twice,
 * only the last one acts.
 */
export function attachRetry(
  instance: AttachableInstance,
  policy?: PolicyOptions | PolicyLike | RetrierLike,
): () => void {
  return attachTo(
    instance,
    () => installed(retrierForAxios(policy)),
    (parent) => new NamedAdapters(parent),
  );
}
