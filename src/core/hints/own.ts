/** Hints of an API of your own, as data: rows of the same engine that reads the vendors'. */

import { isObject } from '../is-object.js';
import type { Evidence, Hint } from '../types.js';
import type { Answer } from './answer.js';
import { contentOf, property } from './content.js';
import { decimalText } from './decimal.js';
import { goDuration } from './duration.js';
import { byMagnitude, deltaMs, deltaS, epochMs, epochS, readEncoded } from './fields.js';
import type { Encoding, EventRows, HintSet, Reader } from './hint-set.js';
import { date } from './lenient-date.js';
import { isWait, longest } from './reading.js';
import type { HintSetName, HintUnit } from './sets.js';

export type { HintUnit } from './sets.js';

const encodings: Readonly<Record<HintUnit, Encoding>> = {
  s: deltaS,
  ms: deltaMs,
  'epoch-s': epochS,
  'epoch-ms': epochMs,
  date,
  'go-duration': goDuration,
  'by-magnitude': byMagnitude,
};

/** A header that says how long to wait. */
export interface OwnHeaderHint {
  /**
   * The name of the header.
   * @default none
   */
  readonly name: string;
  /**
   * How the wait is written: `'s'` and `'ms'` count from now, `'epoch-s'` and `'epoch-ms'` from 1970; `'date'`,
   * `'go-duration'` (`6m0s`), and `'by-magnitude'` for a number that may be any of them.
   * @default none
   */
  readonly unit: HintUnit;
}

/** A value in the body of an answer: how long to wait, or what the answer means. */
export interface OwnBodyHint {
  /**
   * Where it is in the JSON: a pointer such as `'/errors/0/code'`, with `*` for any element of a list or an object.
   * @default none
   */
  readonly at: string;
  /**
   * The values that count, compared exactly. Without it, any value does but `null`, `false`, 0 and what is empty.
   * @default none
   */
  readonly is?: readonly (string | number | boolean)[];
  /**
   * How the wait is written that stands there, as of a header.
   * @default none
   */
  readonly unit?: HintUnit;
  /**
   * What the answer means then: `'throttled'` or `'transient'` (a retry is worth it), `'final'` (it is not), or `'never'`,
   * which no other hint overrules.
   * @default none
   */
  readonly means?: 'throttled' | 'transient' | 'final' | 'never';
  /**
   * What it proves: with `'refused'`, the server did not do what was asked, so a POST is sent again, too.
   * @default 'unknown'
   */
  readonly evidence?: Extract<Evidence, 'refused' | 'unknown'>;
  /**
   * Whether it counts also beside a `data` that is not null. In GraphQL, some of the mutations may be done then.
   * @default false
   */
  readonly evenWithData?: boolean;
}

/** What an event at the beginning of a stream means: as a value in a body does, and whether it is content at all. */
export interface OwnEventHint extends Omit<OwnBodyHint, 'at' | 'means'> {
  /**
   * The name of the event (`event:`). Without it, any.
   * @default none
   */
  readonly event?: string;
  /**
   * Where the value is in the JSON of the event, as in a body: `'/type'`. Without it, the name alone tells.
   * @default none
   */
  readonly at?: string;
  /**
   * What the event means then: as in a body, or `'pending'`: it is no content yet.
   * @default none
   */
  readonly means?: NonNullable<OwnBodyHint['means']> | 'pending';
}

/** Where an API of your own says how long to wait, and what its answers mean. */
export interface OwnHints {
  /**
   * A name for events and messages: not that of a set.
   * @default none
   */
  readonly name: string;
  /**
   * Statuses whose answers are read, in addition to the usual ones (408, 413, 421, 425, 429 and most 5xx): `[200, 403]`.
   * @default none
   */
  readonly statuses?: readonly number[];
  /**
   * Headers that say how long to wait.
   * @default none
   */
  readonly headers?: readonly OwnHeaderHint[];
  /**
   * Values in the body that say how long to wait, or what the answer means. The first that applies counts, and `'never'`
   * before all.
   * @default none
   */
  readonly body?: readonly OwnBodyHint[];
  /**
   * What the first events of a stream mean, where `streamStart` looks at them. The first that applies counts, and
   * `'never'` before all.
   * @default none
   */
  readonly events?: readonly OwnEventHint[];
}

/** A set by its name, or hints of your own. */
export type HintSetOption = HintSetName | OwnHints;

/** The row of such a set. Waits are read at its statuses as they are at the usual ones. */
export function ownRow({ name, statuses = [], headers = [], body = [], events = [] }: OwnHints): HintSet {
  const verdicts = body.flatMap(verdictOf(name));
  return {
    statuses: statuses.filter((status) => status >= 400),
    successes: statuses
      .filter((status) => status < 300)
      .map((status) => ({ status, readsBody: body.length > 0 })),
    waitsToo: true,
    ...(body.length > 0 && { readsBody: true }),
    ...(verdicts.length > 0 && { verdicts: [(answer) => readVerdicts(verdicts, answer)] }),
    waits: headers.map((row) => {
      const header = row.name.toLowerCase();
      return { header, as: encodingOf(row.unit), reason: `${name}:${header}`, rank: -1, isOwn: true };
    }),
    readers: body.flatMap(waitIn(name)),
    ...(events.length > 0 && { events: eventRows(name, events) }),
  };
}

function eventRows(name: string, rows: readonly OwnEventHint[]): EventRows {
  const pending = rows.filter(({ means }) => means === 'pending').flatMap(verdictOf(name));
  const verdicts = rows.filter(({ means }) => means !== 'pending').flatMap(verdictOf(name));
  const waits = rows.flatMap(waitIn(name));
  return {
    isPending: (answer, event) => pending.some(({ isIn }) => isIn(contentOf(answer), answer, event)),
    read: (answer, event) => readVerdicts(verdicts, answer, event),
    readWait: (answer) => waits.map((read) => read(answer)).find(isWait),
  };
}

function encodingOf(unit: HintUnit): Encoding {
  const encoding = Object.hasOwn(encodings, unit) ? encodings[unit] : undefined;
  if (encoding === undefined) throw new RangeError(`There is no unit of hints named ${JSON.stringify(unit)}`);
  return encoding;
}

// ---------------------------------------------------------------- waits

function waitIn(name: string): (row: OwnBodyHint | OwnEventHint) => readonly Reader[] {
  return ({ at, unit }) => {
    if (unit === undefined || at === undefined) return [];
    const encoding = encodingOf(unit);
    const path = pathOf(at);
    const reason = `${name}:${at}`;
    return [(answer) => readWaits(answer, path, encoding, reason)];
  };
}

function readWaits(
  answer: Answer,
  path: readonly string[],
  encoding: Encoding,
  reason: string,
): Hint | undefined {
  let hint: Hint | undefined;
  for (const value of valuesAt(contentOf(answer), path)) {
    const text = decimalText(value);
    if (text === undefined) continue;
    hint = longest(hint, readEncoded([text], encoding, answer, answer.sentAt(), reason));
  }
  return hint;
}

// ---------------------------------------------------------------- verdicts

interface Verdict {
  /** `event`: the name of an event. */
  readonly isIn: (content: unknown, answer: Answer, event?: string) => boolean;
  readonly evenWithData: boolean;
  readonly hint: Hint;
}

function verdictOf(name: string): (row: OwnBodyHint | OwnEventHint) => readonly Verdict[] {
  return (row) => {
    const { at, unit, means, evidence, evenWithData = false } = row;
    if (means === undefined) return [];
    const named = 'event' in row ? row.event : undefined;
    const reason = `${name}:${at ?? named}`;
    const says = at === undefined ? () => true : valueSays(at, row, unit && encodingOf(unit), reason);
    return [
      {
        isIn: (content, answer, event) => (named === undefined || named === event) && says(content, answer),
        evenWithData: evenWithData || means === 'final' || means === 'never' || means === 'pending',
        hint: Object.freeze({
          delayMs: null,
          ...(means !== 'final' && { retry: means !== 'never' }),
          ...(means !== 'never' && means !== 'pending' && { means }),
          ...(evidence === 'refused' && { evidence }),
          reason,
        }),
      },
    ];
  };
}

function valueSays(
  at: string,
  { is }: Pick<OwnBodyHint, 'is'>,
  wait: Encoding | undefined,
  reason: string,
): (content: unknown, answer: Answer) => boolean {
  const path = pathOf(at);
  const says = (value: unknown): boolean => (is === undefined ? isSaid(value) : is.includes(value as string));
  return (content, answer) =>
    wait === undefined ? valuesAt(content, path).some(says) : isWait(readWaits(answer, path, wait, reason));
}

/** The first that applies, and a veto before all. */
function readVerdicts(verdicts: readonly Verdict[], answer: Answer, event?: string): Hint | undefined {
  const content = contentOf(answer);
  if (content === undefined && event === undefined) return undefined;
  const withData = hasData(content);
  const given = verdicts.filter(
    ({ isIn, evenWithData }) => (evenWithData || !withData) && isIn(content, answer, event),
  );
  return (given.find(({ hint }) => hint.retry === false) ?? given[0])?.hint;
}

/** Whether a part of what was asked may be done: the answer has data, or one of a batch has. */
function hasData(content: unknown): boolean {
  const answers = Array.isArray(content) ? content : [content];
  return answers.some((answer) => (property(answer, 'data') ?? null) !== null);
}

export function isSaid(value: unknown): boolean {
  if (isObject(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

// ---------------------------------------------------------------- JSON pointers (RFC 6901), with `*` for any element

/** More are not looked at, whatever the server sent. */
const mostValues = 256;

/** The check has made sure of the pointer. */
function pathOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function valuesAt(content: unknown, path: readonly string[]): readonly unknown[] {
  let values: readonly unknown[] = [content];
  for (const part of path) {
    values = values.flatMap((value) => (part === '*' ? elementsOf(value) : memberOf(value, part)));
    if (values.length > mostValues) values = values.slice(0, mostValues);
  }
  return values;
}

function memberOf(value: unknown, name: string): readonly unknown[] {
  const member = property(value, name);
  // A list has a length, and its JSON has no such member.
  return member === undefined || (name === 'length' && Array.isArray(value)) ? [] : [member];
}

function elementsOf(value: unknown): readonly unknown[] {
  try {
    return isObject(value) ? Object.values(value) : [];
  } catch {
    // A getter threw: the client gave something else than parsed JSON.
    return [];
  }
}
