/** Reads what the server asks for, from a response and a hint set. Never throws, whatever the server sent. */

import type { HeadersLike, Hint } from '../types.js';
import { Answer } from './answer.js';
import { type CompiledSet, compileSets } from './compile.js';
import { unreadable } from './content.js';
import type { HintSetOption } from './own.js';
import { isWait } from './reading.js';
import { readRetryAfter } from './retry-after.js';
import { datesKey, type HintSets } from './rows.js';
import { isHintStatus, isRedirect } from './statuses.js';

export interface HintReader {
  /** `body`: text, a value parsed from JSON, or `unreadable`; `date`: the client's wall clock in ms. */
  (status: number, headers: HeadersLike | undefined, body: unknown, date: number): Hint | undefined;
  /** Whether the body of a response with this status may hold a hint. */
  readsBodyOf(status: number): boolean;
  /** What the first events of a stream mean: `EventRows`, whose types are not public. */
  readonly events: readonly object[];
  /** Whether the reason of a hint means "rate limited", also if the status is not 429. */
  throttles(reason: string): boolean;
}

/** More than a program has different lists of sets. The settings of a policy keep their own reader, so it outlives this. */
const mostReaders = 50;

/** By the names, each once. */
const allReaders = new WeakMap<HintSets, Map<string, HintReader>>();

/** Merges the sets once, so that reading is only a lookup. Without names, nothing is read. */
export function compileHints(names: readonly HintSetOption[], sets: HintSets): HintReader {
  const readers = allReaders.get(sets) ?? new Map<string, HintReader>();
  allReaders.set(sets, readers);
  const key = keyOf(names);
  const known = readers.get(key);
  if (known !== undefined) return known;
  const reader = readerFor(names, sets);
  const [oldest] = readers.keys();
  if (readers.size >= mostReaders && oldest !== undefined) readers.delete(oldest);
  readers.set(key, reader);
  return reader;
}

/** Hints of one's own by their content, since their objects may change. */
function keyOf(names: readonly HintSetOption[]): string {
  if (names.some((name) => typeof name === 'object')) return JSON.stringify(names);
  return names.length > 1 ? [...new Set(names)].join() : String(names);
}

function readerFor(names: readonly HintSetOption[], sets: HintSets): HintReader {
  const set = compileSets(names, sets);
  const isPlain = names.every((name) => name === 'standard' || name === 'common');
  const lenient = sets[datesKey];
  const known = namesToLookFor(set);
  const reader = (status: number, headers: HeadersLike | undefined, body: unknown, date: number) =>
    isPlain && body === undefined && status !== 408 && isSilent(known, headers)
      ? undefined
      : (read(set, new Answer(status, headers, body, date, lenient)) ??
        unreadIf(names.length > 0 && body === unreadable));
  return Object.assign(reader, {
    events: set.events,
    readsBodyOf: (status: number) => isHintStatus(status) || set.statuses.includes(status),
    throttles: (reason: string) => set.throttles.has(reason),
  });
}

const bodyUnreadable: Hint = /* @__PURE__ */ Object.freeze({ delayMs: null, reason: 'body-unreadable' });

function unreadIf(isUnreadable: boolean): Hint | undefined {
  return isUnreadable ? bodyUnreadable : undefined;
}

// ---------------------------------------------------------------- most answers say nothing

interface KnownNames {
  readonly names: ReadonlySet<string>;
  /** Indexed by length: true if a known name has that length. Few other headers do. */
  readonly lengths: readonly boolean[];
}

function namesToLookFor({ headers }: CompiledSet): KnownNames {
  const lengths: boolean[] = [];
  for (const name of headers) lengths[name.length] = true;
  return { names: new Set(headers), lengths };
}

/**
 * Whether the answer has none of the known headers. Every failure is asked, so this takes one pass and allocates
 * nothing.
 */
function isSilent({ names, lengths }: KnownNames, headers: HeadersLike | undefined): boolean {
  if (typeof headers !== 'object' || headers === null || typeof headers['get'] === 'function') return false;
  for (const name in headers) {
    if (lengths[name.length] === true && names.has(name.toLowerCase())) return false;
  }
  return true;
}

// ---------------------------------------------------------------- the others

const notRetryable: Hint = /* @__PURE__ */ Object.freeze({ delayMs: null, reason: 'not-retryable-status' });

function read(set: CompiledSet, answer: Answer): Hint | undefined {
  const { status } = answer;
  if (isRedirect(status)) return readRedirect(set, answer);
  const ruling = readRulings(set, answer);
  if (ruling?.retry === false) return ruling;
  if (ruling?.means === 'final') return ruling;
  if (ruling?.retry !== true && !isHintStatus(status) && !set.waitStatuses.includes(status)) {
    return unread(set, answer);
  }
  return join(ruling, readWaits(set, answer), set.throttles);
}

function readRedirect(set: CompiledSet, answer: Answer): Hint | undefined {
  const hint = set.waits.some(({ as }) => as === 'retry-after') ? readRetryAfter(answer) : undefined;
  if (hint === undefined) return unread(set, answer);
  return isWait(hint) ? { ...hint, reason: 'redirect-min-wait' } : hint;
}

/** The answer has known fields, but on a status where they say nothing about a retry of the same request. */
function unread(set: CompiledSet, answer: Answer): Hint | undefined {
  return set.headers.some((header) => answer.field(header) !== undefined) ? notRetryable : undefined;
}

/**
 * A veto wins. Otherwise the first ruling that asks for a retry counts. Without any, the first reader says why it found
 * none.
 */
function readRulings(set: CompiledSet, answer: Answer): Hint | undefined {
  let ruling: Hint | undefined;
  for (const reader of set.rulings) {
    const next = reader(answer);
    if (next?.retry === false) return next;
    if (ruling === undefined || (saysNothing(ruling) && next !== undefined)) ruling = next;
  }
  return ruling;
}

function saysNothing({ retry, means }: Hint): boolean {
  return retry === undefined && means === undefined;
}

/**
 * The first source with a positive wait, in order of precedence. A source that says 0, lies in the past or cannot be
 * read does not hide the next one.
 */
function readWaits(set: CompiledSet, answer: Answer): Hint | undefined {
  let first: Hint | undefined;
  for (const source of set.sources) {
    const next = source(answer);
    if (next === undefined) continue;
    if (isWait(next) && next.delayMs > 0) return next;
    if (first === undefined || (isWait(next) && !isWait(first))) first = next;
  }
  return first;
}

/**
 * Joins a ruling and a wait. A ruling may have a wait of its own, which comes first; otherwise the sources say how
 * long.
 */
function join(
  ruling: Hint | undefined,
  wait: Hint | undefined,
  throttles: ReadonlySet<string>,
): Hint | undefined {
  if (ruling === undefined) return wait;
  // A reason that means "rate limited" must not get lost behind a plain Retry-After.
  const isThrottling = throttles.has(ruling.reason);
  if (ruling.retry !== true && !isThrottling) return wait ?? ruling;
  if (!isWait(wait)) return ruling;
  if (isWait(ruling) && (ruling.delayMs > 0 || wait.delayMs === 0)) return ruling;
  const reason = isThrottling && !throttles.has(wait.reason) ? ruling.reason : wait.reason;
  return { ...ruling, delayMs: wait.delayMs, reason };
}
