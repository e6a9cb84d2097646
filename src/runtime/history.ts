/** From what the caller got back to how it came about, without a mark on the caller's objects. */

import type { History } from '../core/types.js';

/** Undefined: several requests share the object, so that no history is its own. */
const histories = new WeakMap<object, { readonly history: History } | undefined>();

/** Adapters say so of each response and error that they hand over. */
export function remember(target: unknown, owner: { readonly history: History }): void {
  if ((typeof target !== 'object' && typeof target !== 'function') || target === null) return;
  const known = histories.get(target);
  const isShared = histories.has(target) && known !== owner;
  histories.set(target, isShared ? undefined : owner);
}

/** An object of ours that reaches the caller with a response that is not ours to know, or a copy of it. */
export interface Traceable {
  readonly undaunted: { readonly attempts: History } | undefined;
}

/** Every attempt of the request that ended with this response or error; undefined where that is not known. */
export function historyOf(target: unknown): History | undefined {
  if (typeof target !== 'object' || target === null) return undefined;
  return histories.get(target)?.history ?? tracedHistory('context' in target ? target.context : target);
}

function tracedHistory(target: unknown): History | undefined {
  const isTraceable = typeof target === 'object' && target !== null && 'undaunted' in target;
  return isTraceable ? (target as Traceable).undaunted?.attempts : undefined;
}
