/** From what the caller got back to how it came about, without a mark on the caller's objects. */

import type { History } from '../core/types.js';

interface Owner {
  readonly history: History;
}

/** A constructor that returns what it is given lets a class put its private field on any object. */
class Given {
  constructor(target: object) {
    // biome-ignore lint/correctness/noConstructorReturn: that is the point of it.
    return target;
  }
}

/**
 * A mark that no other code can see, list, copy or take away. A WeakMap would be slower by far: on axios's hot path it
 * costs more than everything else that is done there.
 */
class Marked extends Given {
  /** Undefined: several requests share the object, so that no history is its own. */
  #owner: Owner | undefined;

  private constructor(target: object, owner: Owner) {
    super(target);
    this.#owner = owner;
  }

  static add(target: object, owner: Owner): void {
    if (!(#owner in target)) Marked.mark(target, owner);
    else if (target.#owner !== owner) target.#owner = undefined;
  }

  private static mark(target: object, owner: Owner): void {
    try {
      new Marked(target, owner);
    } catch {
      // An engine may refuse to do that to an object that cannot be extended.
    }
  }

  static ownerOf(target: object): Owner | undefined {
    return #owner in target ? target.#owner : undefined;
  }
}

/** Adapters say so of each response and error that they hand over. */
export function remember(target: unknown, owner: Owner): void {
  if ((typeof target !== 'object' && typeof target !== 'function') || target === null) return;
  Marked.add(target, owner);
}

/** An object of ours that reaches the caller with a response that is not ours to know, or a copy of it. */
export interface Traceable {
  readonly undaunted: { readonly attempts: History } | undefined;
}

/** Every attempt of the request that ended with this response or error; undefined where that is not known. */
export function historyOf(target: unknown): History | undefined {
  if (typeof target !== 'object' || target === null) return undefined;
  return (
    Marked.ownerOf(target)?.history ??
    tracedHistory('context' in target ? target.context : target) ??
    ('config' in target ? ownHistory(target.config) : undefined)
  );
}

/** axios makes errors out of our hands, but with the configuration that was there. */
function ownHistory(config: unknown): History | undefined {
  return typeof config === 'object' && config !== null ? Marked.ownerOf(config)?.history : undefined;
}

function tracedHistory(target: unknown): History | undefined {
  const isTraceable = typeof target === 'object' && target !== null && 'undaunted' in target;
  return isTraceable ? (target as Traceable).undaunted?.attempts : undefined;
}
