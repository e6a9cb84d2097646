/** What a body says: JSON, looked into without trusting its shape. */

/** Lists in a body are looked at so far. */
const longestList = 64;

/** No code in a body is longer. */
const longestText = 256;

/** In place of a body that nobody here can read: a coding that is not known, a stream that is the caller's alone. */
export const unreadable: unique symbol = Symbol('unreadable');

/** A body as a value: text is parsed where it can be an object or a list, anything else is ignored. */
export function parseContent(body: unknown): unknown {
  if (typeof body !== 'string') return body;
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

/** The value at a path; undefined where something on the way is not an object (or its getter throws). */
export function property(value: unknown, ...path: readonly string[]): unknown {
  let at = value;
  try {
    for (const key of path) {
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
      at = (at as Readonly<Record<string, unknown>>)[key];
    }
    return at;
  } catch {
    return undefined;
  }
}

/** Of an XML document, the text of the first element with this name that has nothing but text. */
export function elementText(body: unknown, name: string): string {
  if (typeof body !== 'string' || !/^\s*</.test(body)) return '';
  const [start, end] = [`<${name}>`, `</${name}>`];
  const from = body.indexOf(start);
  if (from === -1) return '';
  const text = body.slice(from + start.length, from + start.length + longestText);
  const to = text.indexOf(end);
  return to === -1 ? '' : text.slice(0, to);
}

/** The text at a path, or nothing. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = property(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** The members of the list at a path, or none. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = property(value, ...path);
  try {
    return Array.isArray(found) ? found.slice(0, longestList) : [];
  } catch {
    return [];
  }
}
