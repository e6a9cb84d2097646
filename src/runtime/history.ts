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

/** For clients whose responses are not ours to know: an object of ours that reaches the caller with one. */
export class Trace {
  readonly #owner: { readonly history: History };

  constructor(owner: { readonly history: History }) {
    this.#owner = owner;
  }

  static historyOf(target: unknown): History | undefined {
    return typeof target === 'object' && target !== null && #owner in target
      ? target.#owner.history
      : undefined;
  }
}

/** Every attempt of the request that ended with this response or error; undefined where that is not known. */
export function historyOf(target: unknown): History | undefined {
  if (typeof target !== 'object' || target === null) return undefined;
  return histories.get(target)?.history ?? Trace.historyOf('context' in target ? target.context : target);
}
