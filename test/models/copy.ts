/** Copies a graph of objects with their classes, except those that it shares with others. */

type Fields = { [key: string]: unknown };

export function copyOfGraph<T>(root: T, shared: ReadonlySet<unknown>): T {
  const copies = new Map<unknown, unknown>();
  const copy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || shared.has(value) || Object.isFrozen(value))
      return value;
    const known = copies.get(value);
    if (known !== undefined) return known;
    const made: Fields = Array.isArray(value) ? [] : Object.create(Object.getPrototypeOf(value));
    copies.set(value, made);
    for (const key of Object.keys(value)) made[key] = copy((value as Fields)[key]);
    return made;
  };
  return copy(root) as T;
}
