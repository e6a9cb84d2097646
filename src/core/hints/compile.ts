/** Merges the rows of several hint sets into lists of readers, in order of precedence. */

import type { Answer } from './answer.js';
import { readReset, readWait } from './fields.js';
import type { EventRows, HintSet, Reader, WaitField } from './hint-set.js';
import type { HintSetOption } from './own.js';
import { type HintSets, rowOf } from './rows.js';
import { readRuling } from './rulings.js';
import { isHintStatus } from './statuses.js';

export interface CompiledSet {
  readonly rulings: readonly Reader[];
  readonly waits: readonly WaitField[];
  /** Every reader of a wait, the most reliable first. */
  readonly sources: readonly Reader[];
  /** All headers that the set reads, to tell whether an answer has any of them. */
  readonly headers: readonly string[];
  /** Statuses that are read in addition to the usual ones. */
  readonly statuses: readonly number[];
  /** The reasons that mean "rate limited", also if the status is not 429. */
  readonly throttles: ReadonlySet<string>;
  /** Those of them at which waits are read as they are at the usual ones. */
  readonly waitStatuses: readonly number[];
  readonly events: readonly EventRows[];
}

export function compileSets(names: readonly HintSetOption[], sets: HintSets): CompiledSet {
  const rows = withBases(names).map((name) => rowOf(name, sets));
  const rulings = unique(rows.flatMap((row) => row.rulings ?? []));
  const waits = withoutReplaced(rows.flatMap((row) => row.waits ?? [])).sort((a, b) => a.rank - b.rank);
  const resets = rows.flatMap((row) => row.resets ?? []);
  const rateLimits = rows.flatMap((row) => row.rateLimit ?? []);
  return {
    rulings: [...rows.flatMap(verdictsOf), ...rulings.map(headerRuling), ...rows.flatMap(signalsOf)],
    waits,
    sources: [
      ...waits.map(
        (row): Reader =>
          (answer) =>
            readWait(row, answer),
      ),
      ...rows.flatMap((row) => row.bodies ?? []),
      ...rows.flatMap((row) => row.readers ?? []),
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
    statuses: unique(rows.flatMap((row) => row.statuses ?? [])),
    throttles: new Set([
      ...rows.flatMap((row) => row.throttles ?? []),
      // A reset is only read if its quota is exhausted.
      ...resets.flatMap(({ reason }) => (typeof reason === 'string' ? reason : Object.values(reason))),
    ]),
    waitStatuses: rows.flatMap(({ waitsToo, statuses }) => (waitsToo && statuses) || []),
    events: rows.flatMap((row) => row.events ?? []),
  };
}

function withoutReplaced(waits: readonly WaitField[]): WaitField[] {
  const own = new Set(waits.flatMap(({ header, isOwn }) => (isOwn ? header : [])));
  return waits.filter(({ header, isOwn }) => isOwn || !own.has(header));
}

/** `common` includes `standard`, and every other set includes `common`. Each set is listed once, the bases first. */
function withBases(names: readonly HintSetOption[]): readonly HintSetOption[] {
  if (names.length === 0) return [];
  const bases: readonly HintSetOption[] = names.every((name) => name === 'standard')
    ? ['standard']
    : ['standard', 'common'];
  return unique([...bases, ...names]);
}

function headerRuling(header: string): Reader {
  return (answer: Answer) => (answer.status >= 400 ? readRuling(header, answer) : undefined);
}

/** The signals of a row are read on the usual statuses and on those that the row adds. */
function signalsOf({ signals = [], ...row }: HintSet): readonly Reader[] {
  return readAtStatuses(signals, row);
}

function verdictsOf({ verdicts = [], ...row }: HintSet): readonly Reader[] {
  return readAtStatuses(verdicts, row);
}

function readAtStatuses(
  signals: readonly Reader[],
  { statuses = [], successes = [] }: HintSet,
): readonly Reader[] {
  const own = [...statuses, ...successes.map(({ status }) => status)];
  return signals.map((signal): Reader => {
    return (answer) =>
      isHintStatus(answer.status) || own.includes(answer.status) ? signal(answer) : undefined;
  });
}

export function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
