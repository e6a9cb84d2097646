/**
 * What the caller's functions return, whatever their types say: what is neither yes nor no must not become one of them
 * by accident, and a promise is always a yes.
 */

import { found } from './found.js';

/** True, false, or nothing, which is no opinion. */
export function truthReturned(name: string, value: unknown): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  throw wrongReturn(name, value, 'true, false or undefined');
}

/** Tells a promise from other mistakes; how it ends is nobody's business any more. */
export function wrongReturn(name: string, value: unknown, allowed: string): TypeError {
  const isLater = isPromise(value);
  if (isLater) value.then(undefined, () => undefined);
  const what = isLater ? 'a promise' : found(value);
  const advice = isLater ? ', and cannot be async' : '';
  return new TypeError(`undaunted: ${name} returned ${what}; it must return ${allowed}${advice}`);
}

/** By what `await` goes by: a function may have a `then`, too, and what is no object has none of its own. */
export function isPromise<T = unknown>(value: unknown): value is PromiseLike<T> {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject && 'then' in value && typeof value.then === 'function';
}
