/** Options -> settings: expands shorthands, fills in nested objects, and inherits everything else. */

import { fillSchedule } from '../decide/schedule.js';
import { atFirstUse } from '../freeze.js';
import type { HintedSuccess } from '../hints/hint-set.js';
import { compileHints } from '../hints/read-hint.js';
import { awaitsBody, type LimitName, limitNames, needsAdmission } from '../limits/all.js';
import { limitFills } from '../limits/settings.js';
import { defaultOptions, defaults } from './defaults.js';
import { hedgeOf, tailOf } from './fill-in-tail.js';
import type { IdempotencyKey, SettingsOptions } from './options.js';
import { essentials, type Parts } from './parts.js';
import type { Compiled, Settings, Statuses } from './settings.js';
import { switched } from './switched.js';

type Compilers = {
  readonly [K in Exclude<keyof SettingsOptions & keyof Compiled, 'hints' | LimitName>]: (
    option: NonNullable<SettingsOptions[K]>,
  ) => Compiled[K];
};

/** From the written form to the form that is read, where they differ. */
const compilers: Compilers = {
  statuses: compileStatuses,
  methods: (names) => new Set(names.map((name) => name.toUpperCase())),
  idempotencyKey: keyOf,
  streamStart: (option) => switched(option, defaults.streamStart),
  credentials: (option) => option && Object.freeze({ ...defaults.credentials, ...option }),
  schedule: (schedule) => fillSchedule(schedule),
  throttledSchedule: (schedule) => fillSchedule(schedule, defaults.throttledSchedule),
  attemptTimeoutMs: (timeout) => (typeof timeout === 'number' ? timeout : timeout.maxMs),
  hedge: hedgeOf,
  attemptHeader: headerOf,
};

/** A copy of the inherited settings, overlaid with the written ones: one shape for all, since every request reads them. */
export function fillIn(
  options: SettingsOptions,
  inherited: Settings,
  parts: Pick<Parts, 'hints' | 'bodyHints' | 'failures'>,
): Settings {
  const off = options.retry === false ? { maxRetries: 0 } : undefined;
  const own = Object.entries(options).flatMap(([key, option]: [string, unknown]) =>
    option !== undefined && Object.hasOwn(inherited, key) ? [[key, compiled(key, option)]] : [],
  );
  const filled: Settings = {
    ...inherited,
    ...off,
    ...Object.fromEntries(own),
    ...hintsOf(options, inherited, parts),
    bodies: parts.bodyHints?.bodies,
    failures: parts.failures.read,
  };
  return Object.freeze({
    ...filled,
    needsAdmission: needsAdmission(filled),
    awaitsBody: awaitsBody(filled),
    keepsUntilWhole: filled.wholeBodyBytes > 0 || filled.hintedSuccesses.some(readsWhole),
    tail: tailOf(options, filled, inherited),
  });
}

function readsWhole({ readsBody }: HintedSuccess): boolean {
  return readsBody === true;
}

function compiled(key: string, option: unknown): unknown {
  // The check has made sure that the value is one that its compiler accepts.
  if (isLimit(key)) return limitFills[key](option as never);
  const compiler = (compilers as Readonly<Record<string, (option: never) => unknown>>)[key];
  return compiler === undefined ? option : compiler(option as never);
}

function isLimit(key: string): key is LimitName {
  return limitNames.some((name) => name === key);
}

// The last two belong to the policy; bodyHintBytes follows from the hints, unless it is set.
const said = /* @__PURE__ */ (() => {
  const { bodyHintBytes: _, maxScopes: __, scopeIdleMs: ___, ...rest } = defaultOptions;
  return rest;
})();

/** Has a key for each setting, with no value yet. */
const blank = /* @__PURE__ */ (() => ({
  ...said,
  ...{ retryIf: undefined, beforeRetry: undefined, observe: undefined },
  ...{
    hintedSuccesses: [],
    bodyHintBytes: defaultOptions.bodyHintBytes,
    bodyHintBytesSaid: undefined,
    bodies: undefined,
    needsAdmission: false,
    awaitsBody: false,
    keepsUntilWhole: false,
    tail: undefined,
    failures: undefined,
  },
}))();

/** The settings of an empty policy. */
export const defaultSettings: () => Settings = /* @__PURE__ */ atFirstUse(() =>
  fillIn(said as SettingsOptions, blank as unknown as Settings, essentials),
);

function compileStatuses(list: NonNullable<SettingsOptions['statuses']>): Statuses {
  const listed = new Set<number>();
  const never = new Set<number>();
  for (const entry of list.map(String)) {
    const negated = entry.startsWith('!');
    for (const status of statusesIn(negated ? entry.slice(1) : entry)) (negated ? never : listed).add(status);
  }
  return { retried: new Set([...listed].filter((status) => !never.has(status))), never };
}

/** `503` or `5xx`, which is 500 to 599 literally. */
function statusesIn(entry: string): number[] {
  if (!entry.endsWith('xx')) return [Number(entry)];
  const first = Number(entry.slice(0, -2)) * 100;
  return Array.from({ length: 100 }, (_, index) => first + index);
}

function keyOf(option: NonNullable<SettingsOptions['idempotencyKey']>): IdempotencyKey | false {
  const key = switched<IdempotencyKey>(option, defaults.idempotencyKey);
  return key && Object.freeze({ ...key, header: key.header.toLowerCase() });
}

// ---------------------------------------------------------------- headers and hints

function headerOf(option: boolean | string): string | false {
  if (option === true) return defaults.attemptHeader;
  return option === false ? false : option.toLowerCase();
}

type Reading = Pick<Parts, 'hints' | 'bodyHints'>;

type Hinted = Pick<Settings, 'hints' | 'hintedSuccesses' | 'bodyHintBytes' | 'bodyHintBytesSaid'>;

/** `bodyHintBytes` follows from the sets, unless it is set. */
function hintsOf(options: SettingsOptions, inherited: Settings, parts: Reading): Hinted {
  const { hints, hintedSuccesses, bodyHintBytes } =
    options.hints === undefined ? inherited : readersOf(options.hints, parts);
  const bodyHintBytesSaid = options.bodyHintBytes ?? inherited.bodyHintBytesSaid;
  return { hints, hintedSuccesses, bodyHintBytes: bodyHintBytesSaid ?? bodyHintBytes, bodyHintBytesSaid };
}

function readersOf(
  option: NonNullable<SettingsOptions['hints']>,
  { hints: { sets }, bodyHints }: Reading,
): Omit<Hinted, 'bodyHintBytesSaid'> {
  const names = option === false ? [] : [option].flat();
  return {
    hints: names.length === 0 ? undefined : compileHints(names, sets),
    hintedSuccesses: bodyHints?.bodies.successesOf(names, sets) ?? [],
    bodyHintBytes: bodyHints?.bodies.bodyBytesOf(names, sets) ?? 0,
  };
}
