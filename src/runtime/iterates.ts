/**
 * Whether it can be iterated in a way of its own. What every object has, since it was added to Object.prototype,
 * says nothing about this one.
 */
export function iterates(value: object, by: typeof Symbol.iterator | typeof Symbol.asyncIterator): boolean {
  return by in value && Reflect.get(value, by) !== Reflect.get(Object.prototype, by);
}
