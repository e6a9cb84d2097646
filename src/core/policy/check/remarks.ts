/**
 * Remarks: parts of a policy that are valid but may be mistakes, or choices; so only the command `check` tells them. All are
 * about policies that have been checked.
 */

import type { Remark } from '../../errors.js';
import { quote } from '../../found.js';
import { allHintSets } from '../../hints/all-sets.js';
import type { HintSetOption } from '../../hints/own.js';
import { bodyBytesOf } from '../../hints/worth-reading.js';
import { isObject } from '../../is-object.js';
import { plausibleTimes } from '../../limits/checks.js';
import { timeText } from '../../time-text.js';
import type { PolicyOptions, SettingsOptions } from '../options.js';
import { day, hour, oneOf, type PlausibleTimes, pathTo } from './wording.js';

// ---------------------------------------------------------------- hedged methods with effects

// The server may carry out both attempts at the same time, which can be fine.

/** RFC 9110 9.2.1, and QUERY by its own specification. */
const onlyRead: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);

export function hedgedWrites({ rules = [], ...top }: PolicyOptions): readonly Remark[] {
  return [
    ...hedgedWrite('', top),
    ...rules.flatMap((rule, index) => hedgedWrite(`${pathTo('rules', index)}.`, rule)),
  ];
}

function hedgedWrite(before: string, { hedge }: SettingsOptions): readonly Remark[] {
  const methods = (typeof hedge === 'object' && hedge.methods) || [];
  const writes = methods.map((method) => method.toUpperCase()).filter((method) => !onlyRead.has(method));
  if (writes.length === 0) return [];
  const which = writes.length === 1 ? 'it' : 'them';
  return [
    {
      path: `${before}hedge.methods`,
      says: `a hedge of ${oneOf(writes)} may be carried out at the same time as the first attempt`,
      advice: `Leave ${which} out, unless the server carries out only one of two such requests and gives both the same answer.`,
    },
  ];
}

// ---------------------------------------------------------------- hint sets that read bodies, where `bodyHintBytes` is 0

export function unreadBodies({ rules = [], ...top }: PolicyOptions): readonly Remark[] {
  return [
    ...unreadBody('', top, top),
    ...rules.flatMap((rule, index) =>
      rule.hints === undefined && rule.bodyHintBytes === undefined
        ? []
        : unreadBody(pathTo('rules', index), rule, { ...top, ...withoutUndefined(rule) }),
    ),
  ];
}

/** `own` is what is written here, `all` what applies. */
function unreadBody(path: string, own: SettingsOptions, all: SettingsOptions): readonly Remark[] {
  const names = all.hints === undefined || all.hints === false ? [] : [all.hints].flat();
  const deaf = names.filter((set: HintSetOption) => bodyBytesOf([set], allHintSets) > 0);
  if (all.bodyHintBytes !== 0 || deaf.length === 0) return [];
  const key = own.bodyHintBytes === undefined ? 'hints' : 'bodyHintBytes';
  const sets = deaf.map((set) => quote(typeof set === 'string' ? set : set.name)).join(' and ');
  return [
    {
      path: path === '' ? key : `${path}.${key}`,
      says: `bodyHintBytes is 0, so ${sets} ${deaf.length === 1 ? 'does' : 'do'} not read response bodies`,
      advice: `Leave bodyHintBytes out to read up to ${bodyBytesOf(deaf, allHintSets)} bytes.`,
    },
  ];
}

function withoutUndefined(options: SettingsOptions): SettingsOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

// ---------------------------------------------------------------- answers that wait for their bodies

// A policy does not say which fetch will be wrapped.

export function wholeBodies({ rules = [], ...top }: PolicyOptions): readonly Remark[] {
  return [
    ...wholeBody('', top, top),
    ...rules.flatMap((rule, index) =>
      wholeBody(`${pathTo('rules', index)}.`, rule, { ...top, ...withoutUndefined(rule) }),
    ),
  ];
}

/** `own` is what is written here, `all` what applies. */
function wholeBody(before: string, own: SettingsOptions, all: SettingsOptions): readonly Remark[] {
  const { wholeBodyBytes = 0 } = all;
  if (own.wholeBodyMs !== undefined && wholeBodyBytes === 0 && !looksIntoSuccesses(all)) {
    return [
      {
        path: `${before}wholeBodyMs`,
        says: 'no answer waits for its body, because wholeBodyBytes is 0',
        advice: 'Set wholeBodyBytes, such as 262144, or leave wholeBodyMs out.',
      },
    ];
  }
  if (own.wholeBodyBytes === undefined || wholeBodyBytes === 0) return [];
  return [
    {
      path: `${before}wholeBodyBytes`,
      says: "in fetch, this applies to the platform's own answers and undici's; those of other packages, such as node-fetch, are handed over at once",
      advice: 'Wrap the global fetch, if bodies that break off should be fetched again.',
    },
  ];
}

/** Whether hints of one's own wait for the bodies of successes. */
function looksIntoSuccesses({ hints }: SettingsOptions): boolean {
  return [hints || []]
    .flat()
    .some(
      (set) =>
        typeof set === 'object' && set.body !== undefined && set.statuses?.some((status) => status < 300),
    );
}

// ---------------------------------------------------------------- streams that wait for their first event

export function streamStarts({ rules = [], ...top }: PolicyOptions): readonly Remark[] {
  return [
    ...lateStart('', top, top),
    ...rules.flatMap((rule, index) =>
      lateStart(`${pathTo('rules', index)}.`, rule, { ...top, ...withoutUndefined(rule) }),
    ),
  ];
}

/** `own` is what is written here, `all` what applies. */
function lateStart(before: string, own: SettingsOptions, all: SettingsOptions): readonly Remark[] {
  const { streamStart = false, attemptTimeoutMs, retry, maxRetries, hedge = false } = all;
  if (streamStart === false) return [];
  if (own.streamStart !== undefined && (retry === false || maxRetries === 0) && hedge === false) {
    return [
      {
        path: `${before}streamStart`,
        says: 'no stream waits for its first event, because nothing is retried here',
        advice: 'Leave streamStart out, or allow a retry.',
      },
    ];
  }
  const longestMs = typeof attemptTimeoutMs === 'object' ? attemptTimeoutMs.maxMs : attemptTimeoutMs;
  const { maxMs } = streamStart;
  const isWritten = own.streamStart !== undefined || own.attemptTimeoutMs !== undefined;
  if (!isWritten || maxMs === undefined || longestMs === undefined || maxMs <= longestMs) return [];
  return [
    {
      path: `${before}${own.streamStart === undefined ? 'attemptTimeoutMs' : 'streamStart.maxMs'}`,
      says: `a stream is handed over after ${timeText(longestMs)} (attemptTimeoutMs), not after ${timeText(maxMs)} (streamStart.maxMs)`,
      advice: 'Raise attemptTimeoutMs, if a stream should wait for as long as that.',
    },
  ];
}

// ---------------------------------------------------------------- times in the wrong unit, most likely seconds: `deadlineMs: 30`

const implausible: PlausibleTimes = /* @__PURE__ */ (() => ({
  // Shorter than the first wait.
  deadlineMs: [100, day],
  attemptTimeoutMs: [61, 12 * hour],
  'attemptTimeoutMs.maxMs': [61, 12 * hour],
  wholeBodyMs: [5, hour],
  'streamStart.maxMs': [61, hour],
  // Answers within one network may take a few milliseconds.
  'hedge.afterMs': [5, hour],
  // Retry-After counts in whole seconds: none would be obeyed.
  maxHintMs: [1_000, 30 * day],
  scopeIdleMs: [1_000, 365 * day],
  // AWS begins with 5 ms.
  'schedule.firstMs': [5, hour],
  'schedule.waitMs': [5, day],
  'schedule.maxMs': [100, 7 * day],
  'schedule.waitsMs': [61, 7 * day],
}))();

export function implausibleTimes({ rules = [], ...top }: PolicyOptions): readonly Remark[] {
  return [
    ...implausibleTimesOf('', top),
    ...rules.flatMap((rule, index) => implausibleTimesOf(`${pathTo('rules', index)}.`, rule)),
  ];
}

function implausibleTimesOf(before: string, options: SettingsOptions): readonly Remark[] {
  return Object.entries(options).flatMap(([key, value]: [string, unknown]) => {
    const isNested = isObject(value);
    const times = isNested
      ? Object.entries(value).map(([inner, part]) => [`${key}.${inner}`, part] as const)
      : [[key, value] as const];
    return times.flatMap(([path, time]) => remarkOn(`${before}${path}`, limitsOf(path), time));
  });
}

function limitsOf(path: string): PlausibleTimes[string] | undefined {
  return implausible[path.replace('throttledSchedule', 'schedule')] ?? plausibleTimes(path);
}

function remarkOn(
  path: string,
  limits: PlausibleTimes[string] | undefined,
  written: unknown,
): readonly Remark[] {
  if (limits === undefined) return [];
  const [below, from] = limits;
  // The longest wait of a table, since the first ones may be 0.
  const isTable = Array.isArray(written);
  const ms = isTable ? Math.max(...(written as readonly number[])) : written;
  if (typeof ms !== 'number' || ms === 0 || (ms >= below && ms < from)) return [];
  // Ethernet's slots are fractions of a millisecond, on purpose.
  if (!Number.isInteger(ms)) return [];
  const [how, meant] = ms < below ? ['short', ms * 1_000] : ['long', ms / 1_000];
  return [
    {
      path,
      says: `${isTable ? 'a longest wait of ' : ''}${timeText(ms)} is very ${how}`,
      advice: `Did you mean ${timeText(meant)}? Times are in milliseconds: ${timeText(meant)} is ${meant}.`,
    },
  ];
}
