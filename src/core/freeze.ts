import { isObject } from './is-object.js';

/** Made at its first use and kept: a process that only loads the library does not pay for it. */
export function atFirstUse<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Freezes a tree of plain data, its branches first. */
export function freezeDeep<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object') freezeDeep(part);
  return Object.freeze(value);
}

/** A copy of plain data, frozen with all its branches. What is undefined is left out. */
export function frozenCopy<T>(value: T): T {
  if (!isObject(value)) return value;
  const copy = Array.isArray(value)
    ? value.map(frozenCopy)
    : Object.fromEntries(
        Object.entries(value).flatMap(([key, part]) => (part === undefined ? [] : [[key, frozenCopy(part)]])),
      );
  return Object.freeze(copy) as T;
}
