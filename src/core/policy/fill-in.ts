/** Options -> settings: expands shorthands, fills in nested objects, and inherits everything else. */

import { fillSchedule } from '../decide/schedule.js';
import type { AskedFirst } from '../limits/all.js';
import { fillBucket } from '../limits/budget/setting.js';
import { defaultOptions, usualDefaults } from './defaults.js';
import type { IdempotencyKey, SettingsOptions } from './options.js';
import type { Filling, Parts } from './parts.js';
import type { Compiled, Settings, Statuses } from './settings.js';
import { switched } from './switched.js';

type Compilers = {
  readonly [K in Exclude<
    keyof SettingsOptions & keyof Compiled,
    AskedFirst | 'credentials' | 'hedge' | 'streamStart'
  >]: (option: NonNullable<SettingsOptions[K]>, parts: Parts) => Compiled[K];
};

/** From the written form to the form that is read, where they differ. Parts have those of their own settings. */
const compilers: Compilers = {
  statuses: compileStatuses,
  methods: (names) => new Set(names.map((name) => name.toUpperCase())),
  idempotencyKey: keyOf,
  schedule: (schedule) => fillSchedule(schedule),
  throttledSchedule: (schedule) => fillSchedule(schedule, usualDefaults.throttledSchedule),
  hints: readerOf,
  attemptTimeoutMs: (timeout) => (typeof timeout === 'number' ? timeout : timeout.maxMs),
  budget: budgetOf,
  attemptHeader: headerOf,
};

/** A copy of the inherited settings, overlaid with the written ones: one shape for all, since every request reads them. */
export function fillIn(options: SettingsOptions, inherited: Settings, parts: Parts): Settings {
  const filled: Record<string, unknown> & Settings = { ...inherited, failures: parts.failures.read };
  if (options.retry === false) Object.assign(filled, { maxRetries: 0 });
  for (const [key, option] of Object.entries(options)) {
    if (option !== undefined && Object.hasOwn(inherited, key)) filled[key] = compiled(key, option, parts);
  }
  Object.assign(filled, { repeatsGet: filled.methods.has('GET') });
  for (const { settled } of Object.values(parts) as readonly Filling[]) {
    Object.assign(filled, settled?.(filled, options, inherited, parts));
  }
  return Object.freeze(filled);
}

function compiled(key: string, option: unknown, parts: Parts): unknown {
  // The check has made sure that the value is one that its compiler accepts. Without the part, the setting is off.
  const fill = (parts[key as keyof Parts] as Filling | undefined)?.fill;
  const compiler = fill ?? (compilers as Readonly<Record<string, Filling['fill']>>)[key];
  return compiler === undefined ? option : compiler(option as never, parts);
}

// The last two belong to the policy; bodyHintBytes follows from the hints, unless it is set.
const said = /* @__PURE__ */ (() => {
  const { bodyHintBytes: _, maxScopes: __, scopeIdleMs: ___, ...rest } = defaultOptions;
  return rest;
})();

/** Has a key for each setting, with no value yet, but for those that are always filled in. */
const blank = /* @__PURE__ */ (() => ({
  ...said,
  ...{ retryIf: undefined, beforeRetry: undefined, observe: undefined },
  ...{
    hintedSuccesses: [],
    bodyHintBytes: defaultOptions.bodyHintBytes,
    givenBodyHintBytes: undefined,
    bodies: undefined,
    needsAdmission: false,
    awaitsBody: false,
    keepsUntilWhole: false,
    tail: undefined,
    forbids: undefined,
    goesAgain: undefined,
  },
}))();

/** The settings of an empty policy. Without the part for streams, none is kept unless the policy asks for it, which is a problem then. */
export function defaultSettings(parts: Parts): Settings {
  const known = defaultsOf.get(parts);
  if (known !== undefined) return known;
  const bufferBodyBytes = parts.streams === undefined ? 0 : said.bufferBodyBytes;
  const options = { ...(said as SettingsOptions), bufferBodyBytes };
  const made = fillIn(options, blank as unknown as Settings, parts);
  defaultsOf.set(parts, made);
  return made;
}

/** Each new override is checked with them, and programs write the time that is left into one for each request. */
const defaultsOf: WeakMap<Parts, Settings> = /* @__PURE__ */ new WeakMap();

/** `5xx` is 500 to 599 literally, and what is negated is never retried. */
function compileStatuses(list: NonNullable<SettingsOptions['statuses']>): Statuses {
  const listed = new Set(list.map(String));
  const retried = new Set<number>();
  const never = new Set<number>();
  for (let status = 100; status < 600; status += 1) {
    const names = [`${status}`, `${Math.floor(status / 100)}xx`];
    if (names.some((name) => listed.has(`!${name}`))) never.add(status);
    else if (names.some((name) => listed.has(name))) retried.add(status);
  }
  return { retried, never, lowest: Math.min(...retried) };
}

function keyOf(option: NonNullable<SettingsOptions['idempotencyKey']>): IdempotencyKey | false {
  const key = switched<IdempotencyKey>(option, usualDefaults.idempotencyKey);
  return key && Object.freeze({ ...key, header: key.header.toLowerCase() });
}

function budgetOf(
  option: NonNullable<SettingsOptions['budget']>,
  { slidingWindow }: Parts,
): Settings['budget'] {
  if (option === false) return false;
  return option.kind === 'window' ? (slidingWindow?.fill(option) ?? false) : fillBucket(option);
}

// ---------------------------------------------------------------- headers and hints

function headerOf(option: boolean | string): string | false {
  if (option === true) return usualDefaults.attemptHeader;
  return option === false ? false : option.toLowerCase();
}

function readerOf(
  option: NonNullable<SettingsOptions['hints']>,
  { hints: { sets, compile } }: Parts,
): Compiled['hints'] {
  const names = option === false ? [] : [option].flat();
  return names.length === 0 ? undefined : compile(names, sets);
}
