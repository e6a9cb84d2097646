/** Describes a value that was found where something else belongs: safe to show, whatever it is. */

/** Longer strings are cut: they may be secrets, or very long. */
export const longestQuote = 60;

/** Stands for a value that could not be read. */
export const unreadable: unique symbol = Symbol('unreadable');

/** A value in words; for an object only that it is one. */
export function found(value: unknown): string {
  if (value === unreadable) return 'a getter that throws';
  switch (typeof value) {
    case 'string':
      return `a string ${quote(value)}`;
    case 'number':
      return Number.isFinite(value) ? `the number ${value}` : String(value);
    case 'bigint':
      return `the bigint ${cut(String(value))}n`;
    case 'boolean':
      return String(value);
    case 'undefined':
      return 'nothing';
    case 'object':
      return foundObject(value);
    default:
      return `a ${typeof value}`;
  }
}

function foundObject(value: object | null): string {
  if (value === null) return 'null';
  try {
    Reflect.ownKeys(value);
    if (Array.isArray(value)) return listOf(value.length);
    return isPlain(value) ? 'an object' : 'an instance of a class';
  } catch {
    return unreadableObject;
  }
}

export const unreadableObject: string = 'an object that cannot be read';

function listOf(length: unknown): string {
  if (!isLength(length)) return unreadableObject;
  return length === 0 ? 'an empty list' : 'a list';
}

/** A proxy can return anything. */
export function isLength(length: unknown): length is number {
  return Number.isInteger(length) && (length as number) >= 0;
}

/** In any realm (`vm`, a test runner's): its prototype, if any, has none itself. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

export function quote(text: string): string {
  return JSON.stringify(cut(text));
}

export function cut(text: string): string {
  return text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text;
}
