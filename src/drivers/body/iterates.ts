import { isStream, isWebStream } from './stream-like.js';

/**
 * Whether the value itself is iterable. An iterator that was added to Object.prototype, which every object has, does
 * not count.
 */
export function iterates(value: object, by: typeof Symbol.iterator | typeof Symbol.asyncIterator): boolean {
  return by in value && Reflect.get(value, by) !== Reflect.get(Object.prototype, by);
}

/** A web stream, a Node stream or an async iterable. */
export function isReadOnce(body: object): boolean {
  return isWebStream(body) || isStream(body) || iterates(body, Symbol.asyncIterator);
}
