/** Finds the history that belongs to a response or an error, without a visible mark on the caller's objects. */

import type { History } from '../core/types.js';

interface Owner {
  readonly history: History;
}

/** The constructor returns the object that it is given, so that a subclass puts its private field on that object. */
class Given {
  constructor(target: object) {
    // biome-ignore lint/correctness/noConstructorReturn: that is the point of it.
    return target;
  }
}

/**
 * A mark that no other code can see, list, copy or remove. A WeakMap would be much slower: on axios's hot path it would
 * cost more than everything else that the adapter does.
 */
class Marked extends Given {
  /** Undefined: several requests share the object, so it has no history of its own. */
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
      // An engine may refuse to add a private field to an object that is not extensible.
    }
  }

  static has(target: object): boolean {
    return #owner in target;
  }

  static ownerOf(target: object): Owner | undefined {
    return #owner in target ? target.#owner : undefined;
  }
}

/** Adapters call this for each response and error that they hand over. */
export function remember(target: unknown, owner: Owner): void {
  if ((typeof target !== 'object' && typeof target !== 'function') || target === null) return;
  Marked.add(target, owner);
}

/** An object of ours that reaches the caller with a response which is unknown to us, or with a copy of it. */
export interface Traceable {
  readonly undaunted: { readonly attempts: History } | undefined;
}

/** More objects are not looked at: an error that a library has wrapped often enough to have more has lost its cause. */
const mostLinks = 20;

/**
 * Every attempt of the request that ended with this response or error; undefined if that is not known. An error that an SDK
 * or another library has made of it counts as well, if it has it as its `cause` or has its `response`.
 */
export function historyOf(target: unknown): History | undefined {
  const links = [target];
  for (let index = 0; index < links.length && index < mostLinks; index += 1) {
    const link = links[index];
    if (typeof link !== 'object' || link === null) continue;
    try {
      const history = historyOfThis(link);
      // Several requests share it: what is behind it may belong to any of them.
      if (history !== undefined || Marked.has(link)) return history;
      for (const next of linksOf(link)) if (!links.includes(next)) links.push(next);
    } catch {
      // A getter or a proxy that throws.
    }
  }
  return undefined;
}

function historyOfThis(target: object): History | undefined {
  return (
    Marked.ownerOf(target)?.history ??
    tracedHistory('context' in target ? target.context : target) ??
    ('config' in target ? ownHistory(target.config) : undefined)
  );
}

function linksOf({ cause, response }: { readonly cause?: unknown; readonly response?: unknown }): unknown[] {
  return [response, cause];
}

/** axios makes some errors after our code has run, but they carry the request's `config`. */
function ownHistory(config: unknown): History | undefined {
  return typeof config === 'object' && config !== null ? Marked.ownerOf(config)?.history : undefined;
}

function tracedHistory(target: unknown): History | undefined {
  const isTraceable = typeof target === 'object' && target !== null && 'undaunted' in target;
  return isTraceable ? (target as Traceable).undaunted?.attempts : undefined;
}
