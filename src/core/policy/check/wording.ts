/** The wording of problems: what is allowed, and where. */

import type { Problem } from '../../errors.js';
import { cut, longestQuote, quote } from '../../found.js';
import type { JsonSchema } from './json-schema.js';

/** More names than this cannot be read at a glance: they are in the manual. */
export const mostNames = 8;

/** A setting of ours, and what it is called elsewhere, in one string; the note is said after it. */
export type ForeignName = readonly [ours: string, theirs: string, note?: string];

export const hour = 3_600_000;
export const day = 86_400_000;

/** By path. Values below the first number (except 0) and from the second one on are implausible. */
export type PlausibleTimes = Readonly<Record<string, readonly [below: number, from: number]>>;

export function problem(path: string, found: string, allowed: string, advice?: string): Problem {
  return { path, found, allowed, ...(advice !== undefined && { advice }) };
}

/** `rules[2].schedule`, from its parts; names that are not identifiers go in brackets. */
export function pathTo(parent: string, key: string | symbol | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`;
  if (typeof key === 'symbol') return `${parent}[${cut(String(key))}]`;
  if (key.length > longestQuote || !/^[A-Za-z_$][\w$]*$/.test(key)) return `${parent}[${quote(key)}]`;
  return parent === '' ? key : `${parent}.${key}`;
}

/** What each of these schemas allows, for `oneOf`. `isMeant`: the advice already has the name that was meant. */
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
      return [`a whole number ${range(schema)}`];
    case 'number':
      return [`a number ${range(schema)}`];
    case 'array':
      return [schema.minItems === undefined ? 'a list' : 'a list that is not empty'];
    case 'object':
      return [allowedObject(schema)];
    default:
      return ['a string'];
  }
}

/** With separators, the same in every locale. */
function range({ minimum, maximum }: JsonSchema): string {
  return `from ${minimum} to ${maximum}`.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

function allowedNames(names: readonly string[], isMeant: boolean): string {
  return isMeant && names.length > mostNames ? 'a known name' : `one of ${quoted(names)}`;
}

/** As a list. */
export function quoted(names: readonly string[]): string {
  return names.map(quote).join(', ');
}

function allowedObject({ properties = {}, maxProperties }: JsonSchema): string {
  return maxProperties === undefined
    ? 'an object'
    : `an object with exactly one of ${quoted(Object.keys(properties))}`;
}
