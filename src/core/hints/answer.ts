/** A response as hints see it: header fields by name, a body that is parsed once and only if asked. */

import type { HeadersLike } from '../types.js';
import { parseContent } from './content.js';
import { parseDecimal } from './decimal.js';
import { parseDate } from './http-date.js';
import { type Field, linesOf, valuesOf } from './values.js';

/** A field is a singleton, or a short list: nobody honest sends more lines. */
export const mostLines = 64;

/** Names that are looked through when a field is known by the beginning of its name only. */
const mostNames = 1_000;

type HeaderRecord = Readonly<Record<string, unknown>>;

export class Answer {
  readonly status: number;
  /** The client's wall clock at the receipt of the head. */
  readonly date: number;
  private readonly headers: HeaderRecord;
  private readonly hasGet: boolean;
  /** As it was given: text, or what was parsed from JSON. */
  readonly body: unknown;
  private parsed = false;
  private parsedContent: unknown;

  constructor(status: number, headers: HeadersLike | undefined, body: unknown, date: number) {
    this.status = status;
    this.date = date;
    this.body = body;
    const given: HeaderRecord = isObject(headers) ? headers : {};
    this.hasGet = typeof given['get'] === 'function';
    this.headers = this.hasGet ? given : inLowerCase(given);
  }

  /** By lower-case name. What is no text is not there: proxies and getters may throw or lie. */
  field(name: string): Field | undefined {
    const { headers } = this;
    if (!this.hasGet) return fieldOf(headers, name);
    try {
      return toField((headers as { get(name: string): unknown }).get(name));
    } catch {
      return undefined;
    }
  }

  /** The names that begin so, where the headers can be listed at all. */
  namesStartingWith(prefix: string): readonly string[] {
    const found: string[] = [];
    try {
      let seen = 0;
      for (const name of namesOf(this.headers)) {
        if (seen++ === mostNames) break;
        const lower = String(name).toLowerCase();
        if (lower.startsWith(prefix)) found.push(lower);
      }
    } catch {
      // What was found until then is as good as any.
    }
    return found;
  }

  /** The body's value, or undefined when there is none that can be read. */
  content(): unknown {
    if (!this.parsed) {
      this.parsed = true;
      this.parsedContent = parseContent(this.body);
    }
    return this.parsedContent;
  }

  /**
   * From when a date in this answer counts: the server's own clock where it says what that is, so
   * that a wrong clock here does not matter. A stored answer (Age) or an ambiguous Date says nothing.
   */
  sentAt(): number {
    const date = this.field('date');
    if (typeof date !== 'string' || this.field('age') !== undefined) return this.date;
    return parseDate(date, this.date)?.at ?? this.date;
  }

  /** A cache answered: what it says of a quota is of another time. */
  isStored(): boolean {
    const age = this.field('age');
    return age !== undefined && valuesOf(age).some((value) => (parseDecimal(value, 1000) ?? 0) > 0);
  }
}

function isObject(value: unknown): value is HeaderRecord {
  return typeof value === 'object' && value !== null;
}

function fieldOf(headers: HeaderRecord, name: string): Field | undefined {
  try {
    return toField(headers[name]);
  } catch {
    return undefined;
  }
}

function toField(value: unknown): Field | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (!Array.isArray(value)) return undefined;
  const lines = value.slice(0, mostLines).flatMap((line: unknown) => {
    if (typeof line === 'string') return line;
    return typeof line === 'number' ? String(line) : [];
  });
  return lines.length > 1 ? lines : lines[0];
}

/** Clients give lower-case records, and those are used as they are; others are copied. */
function inLowerCase(headers: HeaderRecord): HeaderRecord {
  for (const name in headers) if (hasUpperCase(name)) return copyInLowerCase(headers);
  return headers;
}

/** On the path of every read: this makes no string, as a comparison with `toLowerCase()` may. */
function hasUpperCase(name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    if (code >= 65 && code <= 90) return true;
  }
  return false;
}

function copyInLowerCase(headers: HeaderRecord): HeaderRecord {
  const copy: Record<string, readonly string[]> = Object.create(null);
  for (const name in headers) {
    const lower = name.toLowerCase();
    const field = fieldOf(headers, name);
    if (field !== undefined) copy[lower] = [...(copy[lower] ?? []), ...linesOf(field)].slice(0, mostLines);
  }
  return copy;
}

/** `Headers` and `Map` list their names; other objects with `get` keep them as properties. */
function namesOf(headers: HeaderRecord): Iterable<unknown> {
  const { keys } = headers;
  return typeof keys === 'function' ? (keys.call(headers) as Iterable<unknown>) : Object.keys(headers);
}
