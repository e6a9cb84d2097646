/**
 * What objects remember, so that a machine can go back to any of its states. The objects stay the same, and what changes
 * in place is written back: their fields, and those of their parts. Everything else is a value that never changes.
 */

type Fields = Readonly<Record<string, unknown>>;

/** Of each object its fields, of each list and map what is in it. */
export type Memory = ReadonlyMap<object, Fields | readonly unknown[] | ReadonlyMap<unknown, unknown>>;

/** `others` have a memory of their own. */
export function memoryOf(root: object, others: ReadonlySet<object> = new Set()): Memory {
  const memory = new Map<object, Fields | unknown[] | Map<unknown, unknown>>();
  const visit = (part: object): void => {
    if (memory.has(part) || others.has(part)) return;
    if (Array.isArray(part)) {
      memory.set(part, [...part]);
      return;
    }
    const copy = part instanceof Map ? new Map(part) : { ...part };
    memory.set(part, copy);
    const inside: Iterable<[unknown, unknown]> = copy instanceof Map ? copy : Object.entries(copy);
    for (const [key, value] of inside) if (isChanged(key, value)) visit(value);
  };
  visit(root);
  return memory;
}

export function restore(memory: Memory): void {
  for (const [part, before] of memory) {
    if (part instanceof Map) fill(part, before as ReadonlyMap<unknown, unknown>);
    else if (Array.isArray(part)) part.splice(0, part.length, ...(before as readonly unknown[]));
    else rewrite(part as Record<string, unknown>, before as Fields);
  }
}

function fill(map: Map<unknown, unknown>, before: ReadonlyMap<unknown, unknown>): void {
  map.clear();
  for (const [key, value] of before) map.set(key, value);
}

function rewrite(object: Record<string, unknown>, before: Fields): void {
  for (const key of Object.keys(object)) if (!(key in before)) delete object[key];
  for (const key of Object.keys(before)) {
    if (object[key] !== before[key]) object[key] = before[key];
  }
}

/** Plain objects that are changed in place, by the names under which they are kept. All others are values. */
const changing: ReadonlySet<unknown> = new Set([
  'timing',
  'permit',
  'past',
  'attempts',
  'refused',
  'first',
  'second',
  'deciding',
]);

function isChanged(key: unknown, value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  // Losers are kept by the numbers of their attempts.
  if (changing.has(key) || typeof key === 'number' || value instanceof Map) return true;
  const made: unknown = Object.getPrototypeOf(value)?.constructor;
  const isOurs = made !== Object && made !== Array && made !== undefined;
  // What is learnt by rule.
  return isOurs ? !Object.isFrozen(value) : typeof key === 'object' && 'state' in value;
}
