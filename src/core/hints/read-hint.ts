/** Reads what the server asks for, from a response and a hint set. Never throws, whatever the server sent. */

import type { HeadersLike, Hint } from '../types.js';
import { Answer } from './answer.js';
import { readReset, readWait } from './fields.js';
import type { HintSet, Reader } from './hint-set.js';
import type { HintSetOption } from './own.js';
import { isWait } from './reading.js';
import { datesKey, type HintSets, rowOf } from './rows.js';
import { readRuling } from './rulings.js';
import { isHintStatus } from './statuses.js';

export interface HintReader {
  /** `body`: text, a value parsed from JSON, or `unreadable`; `date`: the client's wall clock in ms. */
  (status: number, headers: HeadersLike | undefined, body: unknown, date: number): Hint | undefined;
  /** Whether the reason of a hint means "rate limited", also if the status is not 429. */
  throttles(reason: string): boolean;
  /** Whether the body of a response with this status may hold a hint. Without it, none does. */
  readsBodyOf?(status: number): boolean;
  /** What the first events of a stream mean: `EventRows`, whose types are not public. */
  readonly events?: readonly object[];
}

/** Makes the reader of these sets. Without names, nothing is read. */
export type CompileHints = (names: readonly HintSetOption[], sets: HintSets) => HintReader;

/** Of sets that belong to no vendor, whose rows are regular and look at heads only. */
export const compileBases: CompileHints = (names, sets) => {
  const { rulings, signals, waits, quotas, ...rest } = mergedRows(rowsOf(names, sets));
  const set = { ...rest, rulings: [...rulings, ...signals], sources: [...waits, ...quotas] };
  const lenient = sets[datesKey];
  return Object.assign(
    (status: number, headers: HeadersLike | undefined, _: unknown, date: number) =>
      read(set, new Answer(status, headers, undefined, date, lenient)),
    { throttles: (reason: string) => set.throttles.has(reason) },
  );
};

/** `common` includes `standard`, and every other set includes `common`. Each set is listed once, the bases first. */
export function rowsOf(names: readonly HintSetOption[], sets: HintSets): readonly HintSet[] {
  const bases: readonly HintSetOption[] = names.every((name) => name === 'standard')
    ? ['standard']
    : ['standard', 'common'];
  return names.length === 0 ? [] : unique([...bases, ...names]).map((name) => rowOf(name, sets));
}

export interface CompiledSet {
  readonly rulings: readonly Reader[];
  /** Every reader of a wait, the most reliable first. */
  readonly sources: readonly Reader[];
  /** All headers that the set reads, to tell whether an answer has any of them. */
  readonly headers: readonly string[];
  /** The reasons that mean "rate limited", also if the status is not 429. */
  readonly throttles: ReadonlySet<string>;
  /** Statuses at which waits are read as they are at the usual ones. */
  readonly waitStatuses?: readonly number[];
}

/** What is regular in the rows of several sets, as lists of readers, in order of precedence. */
interface MergedRows extends Pick<CompiledSet, 'rulings' | 'headers' | 'throttles'> {
  readonly signals: readonly Reader[];
  readonly waits: readonly Reader[];
  readonly quotas: readonly Reader[];
}

export function mergedRows(rows: readonly HintSet[]): MergedRows {
  const rulings = unique(rows.flatMap((row) => row.rulings ?? []));
  const waits = rows.flatMap((row) => row.waits ?? []).sort((a, b) => a.rank - b.rank);
  const rateLimits = rows.flatMap((row) => row.rateLimit ?? []);
  const resets = rows.flatMap((row) => row.resets ?? []);
  return {
    rulings: rulings.map(
      (header): Reader =>
        (answer) =>
          answer.status >= 400 ? readRuling(header, answer) : undefined,
    ),
    signals: rows.flatMap((row) => row.signals ?? []),
    waits: waits.map(
      (row): Reader =>
        (answer) =>
          readWait(row, answer),
    ),
    quotas: [
      ...rateLimits,
      ...resets.map(
        (row): Reader =>
          (answer) =>
            readReset(row, answer),
      ),
    ],
    headers: unique([
      ...rulings,
      ...waits.map(({ header }) => header),
      ...rateLimits.map(() => 'ratelimit'),
      ...resets.flatMap(({ quotas }) => quotas.map(({ reset }) => reset)),
    ]),
    throttles: new Set([
      ...rows.flatMap((row) => row.throttles ?? []),
      // A reset is only read if its quota is exhausted.
      ...resets.flatMap(({ reason }) => (typeof reason === 'string' ? reason : Object.values(reason))),
    ]),
  };
}

export function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

// ---------------------------------------------------------------- an answer

const notRetryable: Hint = /* @__PURE__ */ Object.freeze({ delayMs: null, reason: 'not-retryable-status' });

export function read(set: CompiledSet, answer: Answer): Hint | undefined {
  const { status } = answer;
  const ruling = readRulings(set, answer);
  if (ruling?.retry === false) return ruling;
  if (ruling?.means === 'final') return ruling;
  if (ruling?.retry !== true && !isHintStatus(status) && !set.waitStatuses?.includes(status)) {
    return unread(set, answer);
  }
  return join(ruling, readWaits(set, answer), set.throttles);
}

/** The answer has known fields, but on a status where they say nothing about a retry of the same request. */
export function unread(set: CompiledSet, answer: Answer): Hint | undefined {
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
