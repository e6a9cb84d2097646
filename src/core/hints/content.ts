/** Looks into a JSON body without trusting its shape. */

import { isObject } from '../is-object.js';

/** Lists in a body are read up to this length. */
const longestList = 64;

/** No error code in a body is longer than this. */
const longestText = 256;

/**
 * Stands for a body that cannot be read: its content coding is unknown, or it is a stream that only the caller may
 * read.
 */
export const unreadable: unique symbol = Symbol('unreadable');

const parsed = new WeakMap<object, unknown>();

/** The body of an answer as a value, parsed once; undefined if there is none that can be read. */
export function contentOf(answer: { readonly body: unknown }): unknown {
  if (typeof answer.body !== 'string') return answer.body;
  if (!parsed.has(answer)) parsed.set(answer, parseContent(answer.body));
  return parsed.get(answer);
}

/** Text is parsed if it may be a JSON object or list; other text gives undefined. */
function parseContent(body: string): unknown {
  if (!startsLikeJson(body)) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function startsLikeJson(text: string): boolean {
  let at = 0;
  while (isJsonSpace(text.charCodeAt(at))) at++;
  return text[at] === '{' || text[at] === '[';
}

function isJsonSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

/** The value at a path; undefined if something on the way is not an object, or if its getter throws. */
export function property(value: unknown, ...path: readonly string[]): unknown {
  let at = value;
  try {
    for (const key of path) {
      if (!isObject(at) || !Object.hasOwn(at, key)) return undefined;
      at = (at as Readonly<Record<string, unknown>>)[key];
    }
    return at;
  } catch {
    return undefined;
  }
}

/** The text of the first element with this name in an XML document, if it has no child elements. */
export function elementText(body: unknown, name: string): string {
  if (typeof body !== 'string' || !/^\s*</.test(body)) return '';
  const [start, end] = [`<${name}>`, `</${name}>`];
  const from = body.indexOf(start);
  if (from === -1) return '';
  const text = body.slice(from + start.length, from + start.length + longestText);
  const to = text.indexOf(end);
  return to === -1 ? '' : text.slice(0, to);
}

/** The text at a path, or an empty string. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = property(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** The members of the list at a path, or an empty list. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = property(value, ...path);
  try {
    return Array.isArray(found) ? found.slice(0, longestList) : [];
  } catch {
    return [];
  }
}
