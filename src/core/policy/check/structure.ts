/**
 * An interpreter of the few keywords that our schemas use. It reports every problem precisely, also in unions, survives
 * whatever JavaScript can put into an object, and reads each value once: it returns a copy.
 */

import type { Problem } from '../../errors.js';
import { found, isLength, isPlain, unreadable } from '../../found.js';
import { isObject } from '../../is-object.js';
import type { JsonSchema } from './json-schema.js';
import { didYouMean, kindOf, mayBeFunction, unknownKey } from './known-keys.js';
import { adviceOnHeader } from './taken-headers.js';
import { allowed, oneOf, pathTo, problem } from './wording.js';

/** More problems of one policy are not looked for: no one reads them, and a hostile policy may have a million. */
export const mostProblems = 100;

export interface Structure {
  /** `mostProblems` at most: then the rest was not looked at. */
  readonly problems: readonly Problem[];
  /** A plain copy of the valid parts. Invalid ones are left out, or undefined in a list. */
  readonly sound: unknown;
}

/** Compares a value with a schema whose references point into its own `$defs`. */
export function checkStructure(schema: JsonSchema, value: unknown): Structure {
  const problems: Problem[] = [];
  const sound = visit({ definitions: schema.$defs ?? {}, problems }, schema, value, '');
  return { problems, sound };
}

interface Check {
  readonly definitions: Readonly<Record<string, JsonSchema>>;
  readonly problems: Problem[];
}

/** A copy of the value, or undefined if the schema does not allow it here. */
function visit(check: Check, schema: JsonSchema, value: unknown, path: string): unknown {
  if (isFull(check)) return undefined;
  if (typeof value === 'function' && mayBeFunction(path)) return value;
  const { title } = resolved(check, schema);
  const alternatives = alternativesOf(check, schema);
  const parts = partsOf(value);
  if (parts?.kind === 'list') {
    const list = alternatives.find(({ type }) => type === 'array');
    if (list !== undefined) return visitList(check, list, parts, path);
  } else if (parts?.kind === 'object') {
    const objects = alternatives.filter(({ type }) => type === 'object');
    if (objects.length > 0) return visitObject(check, objects, parts.entries, path);
  } else if (alternatives.some((alternative) => isScalarOf(alternative, value))) {
    return value;
  }
  const names = alternatives.flatMap((alternative) => alternative.enum ?? []);
  const advice = adviceOnShorthand(value, path) ?? adviceOnHeader(value, path) ?? didYouMean(value, names);
  const words = title === undefined ? allowed(alternatives, advice !== undefined) : [title];
  const all = mayBeFunction(path) ? [...words, 'a function'] : words;
  check.problems.push(problem(path, found(value), oneOf(all), advice));
  return undefined;
}

function isFull({ problems }: Check): boolean {
  return problems.length >= mostProblems;
}

/** `anyOf`, flattened. */
function alternativesOf(check: Check, schema: JsonSchema): readonly JsonSchema[] {
  const form = resolved(check, schema);
  return form.anyOf?.flatMap((part) => alternativesOf(check, part)) ?? [form];
}

function resolved({ definitions }: Check, schema: JsonSchema): JsonSchema {
  // Stryker disable next-line StringLiteral: neither text is the name of a definition.
  return definitions[schema.$ref?.slice('#/$defs/'.length) ?? ''] ?? schema;
}

function isScalarOf(schema: JsonSchema, value: unknown): boolean {
  if (schema.const !== undefined) return value === schema.const;
  if (schema.enum !== undefined) return schema.enum.some((name) => name === value);
  switch (schema.type) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'string':
      return typeof value === 'string' && new RegExp(schema.pattern ?? '').test(value);
    case 'integer':
      return Number.isInteger(value) && isInRange(schema, value as number);
    case 'number':
      return Number.isFinite(value) && isInRange(schema, value as number);
    // Stryker disable next-line ConditionalExpression: without it, undefined is as false.
    default:
      return false;
  }
}

function isInRange(schema: JsonSchema, value: number): boolean {
  const { minimum = value, maximum = value } = schema;
  return value >= minimum && value <= maximum;
}

function visitList(check: Check, schema: JsonSchema, { items }: ListParts, path: string): unknown {
  const { items: item = {}, minItems = 0 } = schema;
  if (items === undefined || items.length < minItems) {
    const what = items === undefined ? 'a list with holes' : found(items);
    check.problems.push(problem(path, what, oneOf(allowed([schema]))));
    return undefined;
  }
  return items.map((part, index) => visit(check, item, part, pathTo(path, index)));
}

// ---------------------------------------------------------------- objects

function visitObject(check: Check, schemas: readonly JsonSchema[], entries: Entries, path: string): unknown {
  const schema = schemas.length === 1 ? schemas[0] : schemaOfKind(check, schemas, entries.get('kind'), path);
  if (schema === undefined) return undefined;
  // Stryker disable next-line ArrayDeclaration: a key that is not known is not missed.
  const { properties = {}, required = [] } = schema;
  const copy: Record<string, unknown> = {};
  for (const [key, part] of entries) {
    if (isFull(check)) return undefined;
    const property = propertyOf(properties, key, path);
    if (property === undefined) check.problems.push(unknownKey(key, path, schema, schemas));
    // Undefined is the same as absent, as anywhere in JavaScript.
    else if (part !== undefined) copy[String(key)] = visit(check, property, part, pathTo(path, key));
  }
  for (const key of required) {
    if (entries.get(key) === undefined) visit(check, properties[key] ?? {}, undefined, pathTo(path, key));
  }
  const present = [...entries.values()].filter((part) => part !== undefined);
  countKeys(check, schema, Object.keys(copy).length, present.length, path);
  return copy;
}

/** If there are several kinds of object, the key `kind` selects one; without it, the one that does not require it. */
function schemaOfKind(
  check: Check,
  schemas: readonly JsonSchema[],
  kind: unknown,
  path: string,
): JsonSchema | undefined {
  const chosen = schemas.find((schema) =>
    // Stryker disable next-line OptionalChaining: each of several kinds has its list.
    kind === undefined ? !schema.required?.includes('kind') : kindOf(schema) === kind,
  );
  if (chosen === undefined) {
    const kinds = schemas.map(kindOf);
    const words = oneOf(allowed([{ enum: kinds }]));
    check.problems.push(problem(pathTo(path, 'kind'), found(kind), words, didYouMean(kind, kinds)));
  }
  return chosen;
}

/** Accepts no data at all. */
const onlyFunction: JsonSchema = { anyOf: [] };

function propertyOf(
  properties: Readonly<Record<string, JsonSchema>>,
  key: string | symbol,
  path: string,
): JsonSchema | undefined {
  // Own ones only: `constructor` and `__proto__` are as unknown as any other name.
  // Stryker disable next-line ConditionalExpression: no property has a symbol for a name.
  if (typeof key === 'string' && Object.hasOwn(properties, key)) return properties[key];
  return mayBeFunction(pathTo(path, key)) ? onlyFunction : undefined;
}

/** Only a choice of one (`maxProperties: 1`) counts. Unknown keys have been reported and are not missed. */
function countKeys(check: Check, schema: JsonSchema, known: number, all: number, path: string): void {
  if (schema.maxProperties === undefined || known === 1 || (known === 0 && all > 0)) return;
  check.problems.push(problem(path, `an object with ${known} of them`, oneOf(allowed([schema]))));
}

// ---------------------------------------------------------------- a list or an object in parts

// Every value is read once, since getters and proxies may return another one later.

type Entries = ReadonlyMap<string | symbol, unknown>;

interface ListParts {
  readonly kind: 'list';
  /** Undefined: it has holes. */
  readonly items: readonly unknown[] | undefined;
}

interface ObjectParts {
  readonly kind: 'object';
  readonly entries: Entries;
}

/** The content of a list or a plain object, each value read once; undefined: it is neither, or unreadable. */
function partsOf(value: unknown): ListParts | ObjectParts | undefined {
  if (!isObject(value)) return undefined;
  try {
    if (Array.isArray(value)) return { kind: 'list', items: itemsOf(value) };
    if (!isPlain(value)) return undefined;
    const entries = new Map(Reflect.ownKeys(value).map((key) => [key, read(value, key)]));
    return { kind: 'object', entries };
  } catch {
    // A proxy may throw on everything.
    return undefined;
  }
}

/** A proxy that claims a length of a billion without having the items is not iterated over. */
function itemsOf(list: readonly unknown[]): readonly unknown[] | undefined {
  const most = Reflect.ownKeys(list).length - 1;
  const length: unknown = Reflect.get(list, 'length');
  if (!isLength(length)) throw new TypeError('A list without a length');
  if (length > most) return undefined;
  // Not `Array.from({ length })`, which would be empty while Object.prototype has an iterator.
  return new Array<unknown>(length).fill(undefined).map((_, index) => read(list, index));
}

function read(from: object, key: string | symbol | number): unknown {
  try {
    return Reflect.get(from, key);
  } catch {
    return unreadable;
  }
}

// ---------------------------------------------------------------- values that other libraries take

/** How to write here what they probably mean; `place` is the path of the value. It is short, since a page carries it. */
function adviceOnShorthand(value: unknown, place: string): string | undefined {
  if (typeof value === 'number' && place.endsWith('chedule')) return 'Write { kind: "fixed", waitMs: … }.';
  if (typeof value !== 'string' || !place.endsWith('Ms')) return undefined;
  const [, number, unit] = /^(\d+)(s|ms)?$/.exec(value) ?? [];
  return number === undefined ? undefined : `Write ${Number(number) * (unit === 's' ? 1_000 : 1)}.`;
}
