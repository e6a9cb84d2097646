/** A list or an object in parts: every value is read once, since getters and proxies may return another one later. */

import { isLength, isPlain, unreadable } from '../../found.js';

export type Entries = ReadonlyMap<string | symbol, unknown>;

export interface ListParts {
  readonly kind: 'list';
  /** Undefined: it has holes. */
  readonly items: readonly unknown[] | undefined;
}

interface ObjectParts {
  readonly kind: 'object';
  readonly entries: Entries;
}

/** The content of a list or a plain object, each value read once; undefined: it is neither, or unreadable. */
export function partsOf(value: unknown): ListParts | ObjectParts | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    if (Array.isArray(value)) return { kind: 'list', items: itemsOf(value) };
    if (!isPlain(value)) return undefined;
    const entries = new Map(Reflect.ownKeys(value).map((key) => [key, read(value, key)]));
    return { kind: 'object', entries };
  } catch {
    // A proxy may throw on everything.
    return undefined;
  }
}

/** A proxy that claims a length of a billion without having the items is not iterated over. */
function itemsOf(list: readonly unknown[]): readonly unknown[] | undefined {
  const most = Reflect.ownKeys(list).length - 1;
  const length: unknown = Reflect.get(list, 'length');
  if (!isLength(length)) throw new TypeError('A list without a length');
  return length > most ? undefined : Array.from({ length }, (_, index) => read(list, index));
}

function read(from: object, key: string | symbol | number): unknown {
  try {
    return Reflect.get(from, key);
  } catch {
    return unreadable;
  }
}
