/**
 * Checks what the caller's functions return, whatever their types say: a value that is neither true nor false must not
 * count as one of them, and a promise would always count as true.
 */

import { found } from './found.js';
import { isObject } from './is-object.js';

/** True, false, or undefined for no opinion. */
export function truthReturned(name: string, value: unknown): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  throw wrongReturn(name, value, 'true, false or undefined');
}

/** For a promise, it says that the function cannot be async; its rejection is handled, so that it is not reported. */
export function wrongReturn(name: string, value: unknown, allowed: string): TypeError {
  const isLater = isPromise(value);
  if (isLater) asPromise(value).catch(() => undefined);
  const what = isLater ? 'a promise' : found(value);
  const advice = isLater ? ', and cannot be async' : '';
  return new TypeError(`undaunted: ${name} returned ${what}; it must return ${allowed}${advice}`);
}

/** Like `await`: any object or function with a `then`, and one whose `then` cannot be read, which rejects with that error. */
export function isPromise<T = unknown>(value: unknown): value is PromiseLike<T> {
  const mayHave = isObject(value) || typeof value === 'function';
  try {
    return mayHave && 'then' in value && typeof value.then === 'function';
  } catch {
    return true;
  }
}

/**
 * A promise of the platform. The `then` of a caller's own may throw, call both callbacks, call them twice or resolve with
 * another promise; only the first of these counts.
 */
export function asPromise<T>(value: PromiseLike<T>): Promise<T> {
  return new Promise((resolve) => resolve(value));
}
