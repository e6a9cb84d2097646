/** Reads what the server asks for, from a response and a hint set. Never throws, whatever the server sent. */

import type { HeadersLike, Hint } from '../types.js';
import { Answer } from './answer.js';
import type { BaseSet, Reader, Source } from './hint-set.js';
import type { HintSetOption } from './own.js';
import { isWait } from './reading.js';
import { datesKey, type HintSets } from './rows.js';
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

/** Of `standard` and `common` alone. */
export const compileBases: CompileHints = (names, sets) => {
  const set = compiledSet(baseOf(names, sets));
  const lenient = sets[datesKey];
  return Object.assign(
    (status: number, headers: HeadersLike | undefined, _: unknown, date: number) =>
      read(set, new Answer(status, headers, undefined, date, lenient)),
    { throttles: (reason: string) => set.throttles.has(reason) },
  );
};

/** `common` includes `standard`, and every other set includes `common`. */
export function baseOf(names: readonly HintSetOption[], sets: HintSets): BaseSet {
  return names.every((name) => name === 'standard') ? sets.standard : sets.common;
}

export interface CompiledSet {
  readonly rulings: readonly Reader[];
  /** Every source of a wait, the most reliable first. */
  readonly sources: readonly Source[];
  /** All headers that the set reads, to tell whether an answer has any of them. */
  readonly headers: readonly string[];
  /** The reasons that mean "rate limited", also if the status is not 429. */
  readonly throttles: ReadonlySet<string>;
  /** Joins a ruling and a wait. */
  readonly join: typeof join;
  /** Statuses at which waits are read as they are at the usual ones. */
  readonly waitStatuses?: readonly number[];
}

export function compiledSet({ rulings, signals, sources, throttles }: BaseSet): CompiledSet {
  const rulingIn =
    (header: string): Reader =>
    (answer) =>
      readRuling(answer, header);
  return {
    rulings: [...rulings.map(rulingIn), ...signals],
    sources,
    headers: [...rulings, ...sources.flatMap(({ headers }) => headers)],
    throttles: new Set(throttles),
    join,
  };
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
  return set.join(ruling, readWaits(set, answer));
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
    const next = source.read(answer);
    if (next === undefined) continue;
    if (isWait(next) && next.delayMs > 0) return next;
    if (first === undefined || (isWait(next) && !isWait(first))) first = next;
  }
  return first;
}

/** What asks for a retry says so beside the wait. */
export function join(ruling: Hint | undefined, wait: Hint | undefined): Hint | undefined {
  if (ruling?.retry !== true) return wait ?? ruling;
  return isWait(wait) ? { ...ruling, delayMs: wait.delayMs, reason: wait.reason } : ruling;
}
