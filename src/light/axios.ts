/** Retry for axios with only those parts that a program names: `attachRetry(axios.create(), { hold: true }, [hold])`. */

import { type AttachableInstance, attachTo } from '../adapters/axios/attach.js';
import type { Part } from '../core/policy/parts.js';
import type { PolicyLike } from '../core/policy/policy.js';
import { installed } from '../drivers/parts.js';
import type { RetrierLike } from '../kernel/retrier.js';
import { retrierWith } from './chosen.js';
import type { PolicyWith } from './options.js';

export type { AttachableInstance } from '../adapters/axios/attach.js';

/**
 * Retries the requests of this instance, with the parts in the list. It takes options, or a policy or a retrier, which have
 * their parts already, and returns a function that detaches it; requests under way finish as they began.
 */
export function attachRetry(instance: AttachableInstance, policy: PolicyLike | RetrierLike): () => void;
export function attachRetry<const List extends readonly Part[] = readonly []>(
  instance: AttachableInstance,
  policy?: PolicyWith<List>,
  parts?: List,
): () => void;
export function attachRetry(
  instance: AttachableInstance,
  policy?: object,
  parts: readonly Part[] = [],
): () => void {
  return attachTo(instance, () => installed(retrierWith(policy, parts)));
}
