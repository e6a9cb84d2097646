/** Copies a graph of objects with their classes, except those that it shares with others. */

export function copyOfGraph<T>(root: T, shared: ReadonlySet<unknown>): T {
  const copies = new Map<unknown, unknown>();
  const copy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || shared.has(value) || Object.isFrozen(value))
      return value;
    const known = copies.get(value);
    if (known !== undefined) return known;
    const made: object = Array.isArray(value) ? [] : Object.create(Object.getPrototypeOf(value));
    copies.set(value, made);
    for (const [key, part] of Object.entries(value)) Object.assign(made, { [key]: copy(part) });
    return made;
  };
  return copy(root) as T;
}
