/** A response as the hint readers see it: header fields by name. */

import { isObject } from '../is-object.js';
import { headerText } from '../told.js';
import type { HeadersLike } from '../types.js';
import { decimalText, parseDecimal } from './decimal.js';
import { type DateParser, type ParsedDate, parseDate } from './http-date.js';
import { type Field, valuesOf } from './values.js';

/** A field has one line or a few. More lines than this come only from a faulty or hostile server. */
export const mostLines = 64;

type HeaderRecord = Readonly<Record<string, unknown>>;

/** How each name is spelled, by the name in lower case. */
type Spellings = Readonly<Record<string, readonly string[]>>;

export class Answer {
  readonly status: number;
  /** The client's wall clock at the receipt of the head. */
  readonly date: number;
  readonly headers: HeaderRecord;
  private readonly spellings: Spellings | undefined;
  private readonly hasGet: boolean;
  /** The body as it was given: text, or a value parsed from JSON. */
  readonly body: unknown;
  /** For dates that are not exactly as the grammar has them. */
  private readonly lenient: DateParser | undefined;

  constructor(
    status: number,
    headers: HeadersLike | undefined,
    body?: unknown,
    date: number = 0,
    lenient?: DateParser,
  ) {
    this.status = status;
    this.date = date;
    this.body = body;
    this.lenient = lenient;
    const given: HeaderRecord = isObject(headers) ? headers : {};
    this.hasGet = typeof given['get'] === 'function';
    this.headers = given;
    this.spellings = this.hasGet ? undefined : spellingsIn(given);
  }

  /** A field by its lower-case name. Values that are not text count as absent; a getter that throws does, too. */
  field(name: string): Field | undefined {
    const { headers, spellings } = this;
    try {
      if (this.hasGet) return toField((headers as { get(name: string): unknown }).get(name));
      return toField(spellings === undefined ? headers[name] : valuesIn(headers, spellings[name]));
    } catch {
      return undefined;
    }
  }

  /** Those of a field, each for itself; undefined if it is absent. */
  values(name: string): readonly string[] | undefined {
    const field = this.field(name);
    return field === undefined ? undefined : valuesOf(field);
  }

  dateIn(text: string): ParsedDate | undefined {
    return parseDate(text, this.date) ?? this.lenient?.(text, this.date);
  }

  /**
   * The time that a date in this answer is counted from: the server's own clock (`Date`), so that a wrong clock here
   * does not matter. If the answer was stored by a cache (`Age`), or if its `Date` is missing or ambiguous, our own
   * clock is used.
   */
  sentAt(): number {
    const date = this.field('date');
    if (typeof date !== 'string' || this.field('age') !== undefined) return this.date;
    return this.dateIn(date)?.at ?? this.date;
  }

  /** Whether a cache answered: what such an answer says about a quota is out of date. */
  isStored(): boolean {
    return this.values('age')?.some((value) => (parseDecimal(value, 1000) ?? 0) > 0) === true;
  }
}

/** What functions of the caller's find as `header(name)`: the name may be in any case. */
export function headerReader(headers: HeadersLike | undefined): (name: string) => string | undefined {
  return (name) => headerText(new Answer(0, headers).field(String(name).toLowerCase()));
}

function toField(value: unknown): Field | undefined {
  // By far the most frequent case is one line.
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return decimalText(value);
  const lines = value.slice(0, mostLines).flatMap((line) => decimalText(line) ?? []);
  return lines.length > 1 ? lines : lines[0];
}

/** Clients give records in lower case, which are read as they are: undefined. */
function spellingsIn(headers: HeaderRecord): Spellings | undefined {
  for (const name in headers) if (hasUpperCase(name)) return everySpelling(headers);
  return undefined;
}

function valuesIn(headers: HeaderRecord, spellings: readonly string[] = []): readonly unknown[] {
  return spellings.flatMap((spelling) => headers[spelling]);
}

/** Every read comes through here, so no string is made, as a comparison with `toLowerCase()` might do. */
function hasUpperCase(name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    if (code >= 65 && code <= 90) return true;
  }
  return false;
}

function everySpelling(headers: HeaderRecord): Spellings {
  const spellings: Record<string, string[]> = Object.create(null);
  for (const name in headers) {
    const lower = name.toLowerCase();
    spellings[lower] = [...(spellings[lower] ?? []), name];
  }
  return spellings;
}
