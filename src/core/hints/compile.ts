/** Hint sets of vendors and of one's own, merged with the others: they have rows that are not regular, and look into bodies. */

import { isObject } from '../is-object.js';
import type { HeadersLike, Hint } from '../types.js';
import { Answer } from './answer.js';
import { quotaRank } from './bases.js';
import { unreadable } from './content.js';
import { readQuota, sourceIn } from './fields.js';
import type { EventRows, HintSet, Quota, Reader, ResetField, Source } from './hint-set.js';
import type { HintSetOption } from './own.js';
import {
  baseOf,
  type CompiledSet,
  type CompileHints,
  compiledSet,
  type HintReader,
  join,
  read,
  unread,
} from './read-hint.js';
import { isWait, longest, malformed, notExhausted } from './reading.js';
import { readRetryAfter } from './retry-after.js';
import { datesKey, type HintSets, rowOf, unique } from './rows.js';
import { isHintStatus, isRedirect } from './statuses.js';

/** More than a program has different lists of sets. The settings of a policy keep their own reader, so it outlives this. */
const mostReaders = 50;

/** By the names, each once. */
const allReaders = new WeakMap<HintSets, Map<string, HintReader>>();

/** Merges the sets once, so that reading is only a lookup. */
export const compileHints: CompileHints = (names, sets) => {
  const readers = allReaders.get(sets) ?? new Map<string, HintReader>();
  allReaders.set(sets, readers);
  // Hints of one's own by their content, since their objects may change.
  const key = JSON.stringify(unique(names));
  const known = readers.get(key);
  if (known !== undefined) return known;
  const reader = readerFor(names, sets);
  const [oldest] = readers.keys();
  if (readers.size >= mostReaders && oldest !== undefined) readers.delete(oldest);
  readers.set(key, reader);
  return reader;
};

function readerFor(names: readonly HintSetOption[], sets: HintSets): HintReader {
  const set = compileSets(names, sets);
  const isPlain = names.every((name) => name === 'standard' || name === 'common');
  const lenient = sets[datesKey];
  const known = namesToLookFor(set);
  const reader = (status: number, headers: HeadersLike | undefined, body: unknown, date: number) =>
    isPlain && body === undefined && status !== 408 && isSilent(known, headers)
      ? undefined
      : (readWhole(set, new Answer(status, headers, body, date, lenient)) ??
        (body === unreadable ? bodyUnreadable : undefined));
  return Object.assign(reader, {
    events: set.events,
    readsBodyOf: (status: number) => isHintStatus(status) || set.statuses.includes(status),
    throttles: (reason: string) => set.throttles.has(reason),
  });
}

const bodyUnreadable: Hint = /* @__PURE__ */ Object.freeze({ delayMs: null, reason: 'body-unreadable' });

function readWhole(set: CompiledSet, answer: Answer): Hint | undefined {
  return isRedirect(answer.status) ? readRedirect(set, answer) : read(set, answer);
}

function readRedirect(set: CompiledSet, answer: Answer): Hint | undefined {
  const hint = set.headers.includes('retry-after') ? readRetryAfter(answer) : undefined;
  if (hint === undefined) return unread(set, answer);
  return isWait(hint) ? { ...hint, reason: 'redirect-min-wait' } : hint;
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
  if (!isObject(headers)) return false;
  if (typeof headers['get'] === 'function') return isSilentAsListed(names, headers);
  for (const name in headers) {
    if (lengths[name.length] === true && names.has(name.toLowerCase())) return false;
  }
  return true;
}

/** One pass takes less time than a question for each name, but only the platform's own class lists all that it has. */
function isSilentAsListed(names: KnownNames['names'], headers: object): boolean {
  if (typeof Headers !== 'function' || (headers as Headers).get !== Headers.prototype.get) return false;
  try {
    for (const name of (headers as Headers).keys()) if (names.has(name)) return false;
    return true;
  } catch {
    // It only looks like one.
    return false;
  }
}

// ---------------------------------------------------------------- rows

interface WholeSet extends CompiledSet {
  /** Statuses that are read in addition to the usual ones. */
  readonly statuses: readonly number[];
  readonly events: readonly EventRows[];
}

export function compileSets(names: readonly HintSetOption[], sets: HintSets): WholeSet {
  const more = unique(names.filter((name) => name !== 'standard' && name !== 'common'));
  const rows: readonly HintSet[] = [baseOf(names, sets), ...more.map((name) => rowOf(name, sets))];
  const set = compiledSet({
    rulings: unique(rows.flatMap((row) => row.rulings ?? [])),
    signals: rows.flatMap((row) => readAtStatuses(row.signals, row)),
    sources: sourcesOf(rows),
    throttles: rows.flatMap(throttlesOf),
  });
  return {
    ...set,
    join: (ruling, wait) => joinThrottling(ruling, wait, set.throttles),
    rulings: [...rows.flatMap((row) => readAtStatuses(row.verdicts, row)), ...set.rulings],
    statuses: unique(rows.flatMap((row) => row.statuses ?? [])),
    waitStatuses: rows.flatMap(({ waitsToo, statuses }) => (waitsToo && statuses) || []),
    events: rows.flatMap((row) => row.events ?? []),
  };
}

/**
 * A ruling of a vendor's may have a wait of its own, which comes first. A reason that means "rate limited" must not get lost
 * behind a plain Retry-After.
 */
function joinThrottling(
  ruling: Hint | undefined,
  wait: Hint | undefined,
  throttles: ReadonlySet<string>,
): Hint | undefined {
  const isThrottling = ruling !== undefined && throttles.has(ruling.reason);
  if (ruling === undefined || (ruling.retry !== true && !isThrottling)) return join(ruling, wait);
  if (!isWait(wait)) return ruling;
  if (isWait(ruling) && (ruling.delayMs > 0 || wait.delayMs === 0)) return ruling;
  const reason = isThrottling && !throttles.has(wait.reason) ? ruling.reason : wait.reason;
  return { ...ruling, delayMs: wait.delayMs, reason };
}

/** Behind all headers that say how long to wait, whatever is left of a quota. */
const bodyRank = 6;

function sourcesOf(rows: readonly HintSet[]): readonly Source[] {
  const waits = rows.flatMap((row) => row.waits ?? []);
  const own = new Set(waits.flatMap(({ header, isOwn }) => (isOwn ? header : [])));
  const readers = rows.flatMap((row) => row.readers ?? []);
  const resets = rows.flatMap((row) => row.resets ?? []);
  // A header that one's own hints read is read by no other row.
  const isLeft = ({ headers, rank }: Source): boolean =>
    rank >= bodyRank || !headers.some((header) => own.has(header));
  return [
    ...rows.flatMap((row) => row.sources ?? []).filter(isLeft),
    ...waits.filter(({ header, isOwn }) => isOwn || !own.has(header)).map(sourceIn),
    ...readers.map((read) => ({ headers: [], rank: bodyRank, read })),
    ...resets.map((row) => ({
      headers: row.quotas.map(({ reset }) => reset),
      rank: quotaRank,
      read: (answer: Answer) => readReset(row, answer),
    })),
  ].sort((a, b) => a.rank - b.rank);
}

/** The longest wait among the quotas that are exhausted. */
function readReset(row: ResetField, answer: Answer): Hint | undefined {
  if (row.only !== undefined && !row.only.includes(answer.status)) return undefined;
  let hint: Hint | undefined;
  for (const quota of row.quotas) {
    const next = readResetOf(quota, row, answer);
    if (next !== undefined) hint = hint === notExhausted ? next : longest(hint, next);
  }
  return hint;
}

function readResetOf(quota: Quota, row: ResetField, answer: Answer): Hint | undefined {
  const { as, reason, fromServerDate, single, plusMs = 0 } = row;
  const hint = readQuota(answer, quota, as, reason, fromServerDate ? answer.sentAt() : undefined);
  if (!isWait(hint)) return hint;
  if (single && (answer.values(quota.reset)?.length ?? 0) > 1) return malformed;
  return plusMs > 0 ? { ...hint, delayMs: hint.delayMs + plusMs } : hint;
}

/** A reset is only read if its quota is exhausted. */
function throttlesOf({ throttles = [], resets = [] }: HintSet): readonly string[] {
  return [...throttles, ...resets.flatMap(({ reason }) => (typeof reason === 'string' ? reason : []))];
}

/** The signals of a row are read on the usual statuses and on those that the row adds. */
function readAtStatuses(
  signals: readonly Reader[] = [],
  { statuses = [], successes = [] }: HintSet,
): readonly Reader[] {
  const own = [...statuses, ...successes.map(({ status }) => status)];
  return signals.map((signal): Reader => {
    return (answer) =>
      isHintStatus(answer.status) || own.includes(answer.status) ? signal(answer) : undefined;
  });
}
