/** Several hint sets as one: their rows merged into lists of readers, in the order of precedence. */

import type { Answer } from './answer.js';
import { bases } from './bases.js';
import { readBodyField, readReset, readWait } from './fields.js';
import type { HintedSuccess, HintSet, Reader, WaitField } from './hint-set.js';
import { readRateLimit } from './ratelimit.js';
import { rowOf } from './rows.js';
import { readRuling } from './rulings.js';
import type { HintSetName } from './sets.js';
import { isHintStatus } from './statuses.js';

export interface CompiledSet {
  readonly rulings: readonly Reader[];
  readonly waits: readonly WaitField[];
  /** Everything that says how long, most telling first. */
  readonly sources: readonly Reader[];
  /** The headers that say something: whether one was there at all. */
  readonly headers: readonly string[];
  /** Where something is read beside the usual statuses. */
  readonly statuses: readonly number[];
}

/** Of the headers that say how long: finer before coarser, the plain name before the `x-` one. */
const precedence = [
  'retry-after-ms',
  'x-ms-retry-after-ms',
  'x-amz-retry-after',
  'retry-after',
  'x-retry-after',
  'x-ratelimit-retry-after',
];

export function compileSets(names: readonly HintSetName[]): CompiledSet {
  const rows = withBases(names).map(rowOf);
  const rulings = unique(rows.flatMap((row) => row.rulings ?? []));
  const waits = rows
    .flatMap((row) => row.waits ?? [])
    .sort((a, b) => precedence.indexOf(a.header) - precedence.indexOf(b.header));
  const resets = rows.flatMap((row) => row.resets ?? []);
  const rateLimit = rows.includes(bases.common);
  return {
    rulings: [...rulings.map(headerRuling), ...rows.flatMap(signalsOf)],
    waits,
    sources: [
      ...waits.map(
        (row): Reader =>
          (answer) =>
            readWait(row, answer),
      ),
      ...rows
        .flatMap((row) => row.bodies ?? [])
        .map(
          (row): Reader =>
            (answer) =>
              readBodyField(row, answer),
        ),
      ...rows.flatMap((row) => row.readers ?? []),
      ...(rateLimit ? [readRateLimit] : []),
      ...resets.map(
        (row): Reader =>
          (answer) =>
            readReset(row, answer),
      ),
    ],
    headers: unique([
      ...rulings,
      ...waits.map(({ header }) => header),
      ...(rateLimit ? ['ratelimit'] : []),
      ...resets.flatMap(({ quotas }) => quotas.map(({ reset }) => reset)),
    ]),
    statuses: unique(rows.flatMap((row) => row.statuses ?? [])),
  };
}

/** `common` has `standard` in it, and every other set has `common`. Each once, the bases first. */
function withBases(names: readonly HintSetName[]): readonly HintSetName[] {
  if (names.length === 0) return [];
  const bases: readonly HintSetName[] = names.every((name) => name === 'standard')
    ? ['standard']
    : ['standard', 'common'];
  return unique([...bases, ...names]);
}

function headerRuling(header: string): Reader {
  return (answer: Answer) => (answer.status >= 400 ? readRuling(header, answer) : undefined);
}

/** A row's own signals mean something on the usual statuses and on those that the row adds. */
function signalsOf({ signals = [], statuses = [], successes = [] }: HintSet): readonly Reader[] {
  const own = [...statuses, ...successes.map(({ status }) => status)];
  return signals.map((signal): Reader => {
    return (answer) =>
      isHintStatus(answer.status) || own.includes(answer.status) ? signal(answer) : undefined;
  });
}

/** The successes that the sets read: every other one is a success. */
export function successesOf(names: readonly HintSetName[]): readonly HintedSuccess[] {
  return unique(names.flatMap((name) => rowOf(name).successes ?? []));
}

/** Errors are short: a body that is longer has no hint in it, and is not waited for. */
const namedBodyBytes = 16_384;

/** How much of a body the sets look into, unless a policy says. */
export function bodyBytesOf(names: readonly HintSetName[]): number {
  const readBodies = names.some((name) => rowOf(name).readsBody ?? rowOf(name).bodies !== undefined);
  return readBodies ? namedBodyBytes : 0;
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
