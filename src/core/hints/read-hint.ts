/** A response and a hint set: what the server asks. Never throws, whatever the server sent. */

import type { HeadersLike, Hint } from '../types.js';
import { Answer } from './answer.js';
import { type CompiledSet, compileSets } from './compile.js';
import { unreadable } from './content.js';
import { isWait } from './reading.js';
import { readRetryAfter } from './retry-after.js';
import type { HintSetName } from './sets.js';
import { isHintStatus, isRedirect } from './statuses.js';
import { isThrottlingReason } from './throttling.js';

/** The response as clients have it; a body that is given is read. */
export interface HintedResponse {
  readonly status: number;
  readonly headers?: HeadersLike | undefined;
  readonly body?: unknown;
  readonly method?: string;
}

export interface HintOptions {
  readonly hints: HintSetName | readonly HintSetName[];
  /** The client's wall clock in ms, at the receipt of the head. */
  readonly date: number;
}

export interface HintReader {
  /** `body`: text, what was parsed from JSON, or `unreadable`; `date`: the client's wall clock in ms. */
  (status: number, headers: HeadersLike | undefined, body: unknown, date: number): Hint | undefined;
  /** Whether a body can say something on this status. */
  readsBodyOf(status: number): boolean;
}

/** Undefined only where no field that the set knows was there. */
export function readHint(response: HintedResponse, options: HintOptions): Hint | undefined {
  const { status, headers, body } = response;
  return compileHints([options.hints].flat())(status, headers, body, options.date);
}

const readers = new Map<string, HintReader>();

/** Merges the sets once, so that reading is looking up. No names: nothing is read. */
export function compileHints(names: readonly HintSetName[]): HintReader {
  const key = names.join();
  const known = readers.get(key);
  if (known !== undefined) return known;
  const reader = readerFor(names);
  readers.set(key, reader);
  return reader;
}

function readerFor(names: readonly HintSetName[]): HintReader {
  const set = compileSets(names);
  const isPlain = names.every((name) => name === 'standard' || name === 'common');
  const known = namesToLookFor(set);
  const reader = (status: number, headers: HeadersLike | undefined, body: unknown, date: number) =>
    isPlain && body === undefined && status !== 408 && isSilent(known, headers)
      ? undefined
      : (read(set, new Answer(status, headers, body, date)) ??
        unreadIf(names.length > 0 && body === unreadable));
  return Object.assign(reader, {
    readsBodyOf: (status: number) => isHintStatus(status) || set.statuses.includes(status),
  });
}

const bodyUnreadable: Hint = Object.freeze({ delayMs: null, reason: 'body-unreadable' });

function unreadIf(isUnreadable: boolean): Hint | undefined {
  return isUnreadable ? bodyUnreadable : undefined;
}

// ---------------------------------------------------------------- most answers say nothing

interface KnownNames {
  readonly names: ReadonlySet<string>;
  /** By length: true where a known name is as long. Few other headers are. */
  readonly lengths: readonly boolean[];
}

function namesToLookFor({ headers }: CompiledSet): KnownNames {
  const lengths: boolean[] = [];
  for (const name of headers) lengths[name.length] = true;
  return { names: new Set(headers), lengths };
}

/** Found out in one pass and without making anything, since this is asked of every failure. */
function isSilent({ names, lengths }: KnownNames, headers: HeadersLike | undefined): boolean {
  if (typeof headers !== 'object' || headers === null || typeof headers['get'] === 'function') return false;
  for (const name in headers) {
    if (lengths[name.length] === true && names.has(name.toLowerCase())) return false;
  }
  return true;
}

// ---------------------------------------------------------------- the others

const notRetryable: Hint = Object.freeze({ delayMs: null, reason: 'not-retryable-status' });

function read(set: CompiledSet, answer: Answer): Hint | undefined {
  const { status } = answer;
  if (isRedirect(status)) return readRedirect(set, answer);
  const ruling = readRulings(set, answer);
  if (ruling?.retry === false) return ruling;
  if (ruling?.retry !== true && !isHintStatus(status)) return unread(set, answer);
  return join(ruling, readWaits(set, answer));
}

function readRedirect(set: CompiledSet, answer: Answer): Hint | undefined {
  const hint = set.waits.some(({ as }) => as === 'retry-after') ? readRetryAfter(answer) : undefined;
  if (hint === undefined) return unread(set, answer);
  return isWait(hint) ? { ...hint, reason: 'redirect-min-wait' } : hint;
}

/** Fields that are known, on a status where they mean nothing for the same request. */
function unread(set: CompiledSet, answer: Answer): Hint | undefined {
  return set.headers.some((header) => answer.field(header) !== undefined) ? notRetryable : undefined;
}

/** A veto wins; of several that ask for a retry the first; without any, why the first says nothing. */
function readRulings(set: CompiledSet, answer: Answer): Hint | undefined {
  let ruling: Hint | undefined;
  for (const reader of set.rulings) {
    const next = reader(answer);
    if (next?.retry === false) return next;
    if (ruling === undefined || (ruling.retry === undefined && next !== undefined)) ruling = next;
  }
  return ruling;
}

/**
 * The first source with a positive wait, in the order of precedence. One that says 0, lies in the
 * past or cannot be read does not hide what the next one says.
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

/** A ruling may have a wait of its own, which is the first source; otherwise the sources say how long. */
function join(ruling: Hint | undefined, wait: Hint | undefined): Hint | undefined {
  if (ruling === undefined) return wait;
  // That it was too much must not get lost behind a plain Retry-After.
  const isThrottling = isThrottlingReason(ruling.reason);
  if (ruling.retry !== true && !isThrottling) return wait ?? ruling;
  if (!isWait(wait)) return ruling;
  if (isWait(ruling) && (ruling.delayMs > 0 || wait.delayMs === 0)) return ruling;
  const reason = isThrottling && !isThrottlingReason(wait.reason) ? ruling.reason : wait.reason;
  return { ...ruling, delayMs: wait.delayMs, reason };
}
