/** Headers in every form that undici takes and gives. The caller's own are only copied, never changed. */

import { iterates } from '../../drivers/body/iterates.js';
import { addTo } from '../../drivers/header-record.js';
import type { RawHeaders, ResponseHeaders } from './handlers.js';

// ---------------------------------------------------------------- request headers

type HeaderPairs = [name: string, value: unknown][];

/** Takes an object, a flat list of names and values, an iterable of pairs, or nothing. */
export function pairsOf(headers: unknown): HeaderPairs {
  if (Array.isArray(headers)) {
    // undici accepts a list of pairs wherever it accepts iterables.
    if (Array.isArray(headers[0])) return [...headers];
    return headers.flatMap((name, index) => (index % 2 === 0 ? [[String(name), headers[index + 1]]] : []));
  }
  if (typeof headers !== 'object' || headers === null) return [];
  if (iterates(headers, Symbol.iterator)) return [...(headers as Iterable<[string, unknown]>)];
  return Object.entries(headers);
}

/** All values of this name, which must be in lower case. */
export function valuesOf(headers: unknown, name: string): unknown[] {
  if (isRecordWithout(headers, name)) return [];
  return pairsOf(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? value : []));
}

/** Nearly every request that fails is asked for a header that it does not have. */
function isRecordWithout(headers: unknown, name: string): boolean {
  if (typeof headers !== 'object' || headers === null || iterates(headers, Symbol.iterator)) return false;
  for (const key of Object.keys(headers)) {
    if (key.length === name.length && key.toLowerCase() === name) return false;
  }
  return true;
}

/** The first value of this name, which must be in lower case. */
export function headerOf(headers: unknown, name: string): string | undefined {
  const [first] = valuesOf(headers, name);
  return first === undefined || first === null ? undefined : String(first);
}

/** A copy in the same form. */
export function copyOf(headers: object): object {
  if (Array.isArray(headers)) return headers.slice();
  if (headers instanceof Map) return new Map(headers);
  return headers instanceof Headers ? new Headers(headers) : { ...headers };
}

/** A copy with these headers set, whatever the case of their names was, and without those that are undefined. */
export function withHeaders(
  headers: unknown,
  changes: Readonly<Record<string, string | undefined>>,
): Record<string, unknown> | unknown[] {
  const kept = pairsOf(headers).filter(([name]) => !Object.hasOwn(changes, name.toLowerCase()));
  const added = Object.entries(changes).filter(([, value]) => value !== undefined);
  const pairs = [...kept, ...added];
  const names = new Set(pairs.map(([name]) => name));
  // An object cannot hold the same name twice.
  return names.size === pairs.length ? Object.fromEntries(pairs) : pairs.flat();
}

// ---------------------------------------------------------------- response headers

/** Parsed as undici does it: names in lower case, bytes as latin1, repeated names as a list. */
export function parseRaw(raw: RawHeaders | undefined): ResponseHeaders {
  if (!Array.isArray(raw)) return (raw ?? {}) as ResponseHeaders;
  const headers: ResponseHeaders = {};
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const value = raw[index + 1];
    const text = Array.isArray(value) ? value.map(textOf) : textOf(value);
    addTo(headers, inLowerCase(textOf(raw[index])), text);
  }
  return headers;
}

/** Names that servers use, which are few. To look one up takes less time than to make a new string for each answer. */
const known = new Map<string, string>();
const mostKnown = 1_000;
const longestKnown = 100;

function inLowerCase(name: string): string {
  const found = known.get(name);
  if (found !== undefined) return found;
  const made = name.toLowerCase();
  if (known.size < mostKnown && name.length <= longestKnown) known.set(name, made);
  return made;
}

/** Raw headers for callbacks of the first generation. Older 7.x give parsed headers only, and HTTP/2 gives a record. */
export function rawFrom(raw: RawHeaders | undefined, parsed: ResponseHeaders): RawHeaders {
  if (Array.isArray(raw)) return raw;
  const pairs: Buffer[] = [];
  for (const name of Object.keys(parsed)) {
    const value = parsed[name];
    if (value === undefined || value === null) continue;
    if (!Array.isArray(value)) pairs.push(bytesOf(name), bytesOf(value));
    else for (const one of value) pairs.push(bytesOf(name), bytesOf(one));
  }
  return pairs;
}

function bytesOf(text: unknown): Buffer {
  return Buffer.from(String(text), 'latin1');
}

/** The value of a response header that occurs exactly once. */
export function single(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

function textOf(part: unknown): string {
  return Buffer.isBuffer(part) ? part.toString('latin1') : String(part);
}
