/** Words for problems: what was found, what is allowed, and where. */

import type { JsonSchema } from './schema.js';

/** So many names can be read at a glance; more of them are in the manual. */
export const mostNames = 8;

/** Longer strings are cut: a problem is read by people, and what was found may be a secret or a novel. */
const longestQuote = 60;

/** Stands for a value that could not be read. */
export const unreadable: unique symbol = Symbol('unreadable');

/** What was found, in words; of an object only that it is one. */
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

const unreadableObject = 'an object that cannot be read';

function listOf(length: unknown): string {
  if (!isLength(length)) return unreadableObject;
  return length === 0 ? 'an empty list' : 'a list';
}

/** A proxy may call it anything. */
export function isLength(length: unknown): length is number {
  return Number.isInteger(length) && (length as number) >= 0;
}

/** Of this realm or another (`vm`, a test runner's): a prototype, if any, that has none itself. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

export function quote(text: string): string {
  return JSON.stringify(cut(text));
}

function cut(text: string): string {
  return text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text;
}

/** `rules[2].schedule`, from its parts; names that are none in JavaScript go in brackets. */
export function pathTo(parent: string, key: string | symbol | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`;
  if (typeof key === 'symbol') return `${parent}[${cut(String(key))}]`;
  if (key.length > longestQuote || !/^[A-Za-z_$][\w$]*$/.test(key)) return `${parent}[${quote(key)}]`;
  return parent === '' ? key : `${parent}.${key}`;
}

/** What each of these schemas allows, for `oneOf`. `isMeant`: the name that was meant is told besides. */
export function allowed(schemas: readonly JsonSchema[], isMeant = false): readonly string[] {
  return [...new Set(schemas.flatMap((schema) => allowedBy(schema, isMeant)))];
}

/** `a`, `a or b`, `a, b or c`. */
export function oneOf(parts: readonly string[]): string {
  // Stryker disable next-line StringLiteral: there is always something that is allowed.
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} or ${last}`;
}

function allowedBy(schema: JsonSchema, isMeant: boolean): readonly string[] {
  if (schema.title !== undefined) return [schema.title];
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  if (schema.enum !== undefined) return [allowedNames(schema.enum, isMeant)];
  switch (schema.type) {
    case 'boolean':
      return ['true', 'false'];
    case 'integer':
      return [`a whole number from ${schema.minimum} to ${schema.maximum}`];
    case 'number':
      return [`a number from ${schema.minimum} to ${schema.maximum}`];
    case 'array':
      return [schema.minItems === undefined ? 'a list' : 'a list that is not empty'];
    case 'object':
      return [allowedObject(schema)];
    default:
      return ['a string'];
  }
}

function allowedNames(names: readonly string[], isMeant: boolean): string {
  return isMeant && names.length > mostNames ? 'a known name' : `one of ${names.map(quote).join(', ')}`;
}

function allowedObject({ properties = {}, maxProperties }: JsonSchema): string {
  return maxProperties === undefined
    ? 'an object'
    : `an object with exactly one of ${Object.keys(properties).map(quote).join(', ')}`;
}
