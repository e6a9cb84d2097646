/**
 * Remarks: parts of a policy that are valid but may be mistakes. The first kind is told wherever a policy is made; the
 * others can be choices, so they are told by the command `check` alone. All are about policies that have been checked.
 */

import type { Remark } from '../../errors.js';
import { quote } from '../../found.js';
import { bodyBytesOf } from '../../hints/compile.js';
import type { HintSetName } from '../../hints/sets.js';
import { timeText } from '../../time-text.js';
import type { PolicyOptions, RuleOptions, SettingsOptions } from '../options.js';
import { partsOf } from '../routes/patterns.js';
import { oneOf, pathTo } from './wording.js';

// ---------------------------------------------------------------- a path without its slash

export function remarksOn(rules: readonly Pick<RuleOptions, 'match'>[]): readonly Remark[] {
  return rules.flatMap(({ match }, index) => {
    const host = typeof match === 'string' ? forgottenSlash(match) : undefined;
    return host === undefined ? [] : [{ ...host, path: pathTo(pathTo('rules', index), 'match') }];
  });
}

/** `users/*` means a host, like `docker/*` in a container network. A host on purpose can be written as an object. */
function forgottenSlash(match: string): Omit<Remark, 'path'> | undefined {
  const { methods, host, path } = partsOf(match);
  if (host === undefined || path === undefined || /[.:[]|^localhost$/i.test(host)) return undefined;
  const before = methods === undefined ? '' : `${methods} `;
  const object = JSON.stringify({
    ...(methods !== undefined && { methods: methods.split(',') }),
    host,
    path,
  });
  return {
    says: `${quote(match)} means the path ${quote(path)} on a host named ${quote(host)}`,
    advice: `Write ${quote(`${before}/${host}${path}`)} for a path, or ${object} for that host.`,
  };
}

// ---------------------------------------------------------------- holds whose requests have no deadline

// The queue is bounded all the same, but what it is bounded by has nothing to do with how long the callers are willing to
// wait.

export function endlessQueues({ rules = [], ...top }: PolicyOptions): readonly Remark[] {
  return [
    ...endlessQueue('', top, top),
    ...rules.flatMap((rule, index) => {
      return endlessQueue(`${pathTo('rules', index)}.`, rule, { deadlineMs: top.deadlineMs, ...rule });
    }),
  ];
}

function endlessQueue(
  before: string,
  { hold }: SettingsOptions,
  { deadlineMs }: { readonly deadlineMs?: number | undefined },
): readonly Remark[] {
  const hasQueue = hold === true || (typeof hold === 'object' && hold.maxQueueMs === undefined);
  if (!hasQueue || deadlineMs !== undefined) return [];
  return [
    {
      path: `${before}hold`,
      says: 'without a deadlineMs, a request may queue for 30 s, and then be refused',
      advice: 'Set deadlineMs, of which a request queues for half at most, or hold.maxQueueMs.',
    },
  ];
}

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

// ---------------------------------------------------------------- long polls at an origin that has a gate

// The time limit of each poll is a failure for the gate.

/** A segment by which APIs with long polls name them: Telegram, CouchDB, Matrix, Dropbox, Kubernetes and others. */
const polls = /(^|[/_-])(long-?poll(ing)?|poll(ing)?|getupdates|_changes|sync|watch|subscribe)([/_-]|$)/i;

export function longPolls({ rules = [], ...top }: PolicyOptions): readonly Remark[] {
  return rules.flatMap(({ match, ...rule }, index) => {
    const { gate, attemptTimeoutMs } = { ...top, ...rule };
    const path = pathOf(match);
    const isTimed = attemptTimeoutMs !== undefined || (rule.deadlineMs ?? top.deadlineMs) !== undefined;
    if (!isOn(gate) || !isTimed || path === undefined || !polls.test(path)) return [];
    // It has a gate of its own.
    if (rule.scope !== undefined && rule.scope !== top.scope) return [];
    return [
      {
        path: pathTo(pathTo('rules', index), 'match'),
        says: `${quote(path)} looks like a long poll: each one that waits until its time limit is a failure for the gate`,
        advice: 'If it is one, set "gate": false in this rule, so that its failures do not count.',
      },
    ];
  });
}

function isOn(gate: PolicyOptions['gate']): boolean {
  return gate !== undefined && gate !== false;
}

function pathOf(match: RuleOptions['match']): string | undefined {
  if (typeof match === 'string') return match;
  return match.path;
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
  const deaf = names.filter((name: HintSetName) => bodyBytesOf([name]) > 0);
  if (all.bodyHintBytes !== 0 || deaf.length === 0) return [];
  const key = own.bodyHintBytes === undefined ? 'hints' : 'bodyHintBytes';
  const sets = deaf.map(quote).join(' and ');
  return [
    {
      path: path === '' ? key : `${path}.${key}`,
      says: `bodyHintBytes is 0, so ${sets} ${deaf.length === 1 ? 'does' : 'do'} not read response bodies`,
      advice: `Leave bodyHintBytes out to read up to ${bodyBytesOf(deaf)} bytes.`,
    },
  ];
}

function withoutUndefined(options: SettingsOptions): SettingsOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

// ---------------------------------------------------------------- times in the wrong unit, most likely seconds: `deadlineMs: 30`

const hour = 3_600_000;
const day = 24 * hour;

/** Values below the first number (except 0) and from the second one on are implausible. */
const implausible: Readonly<Record<string, readonly [below: number, from: number]>> = {
  // Shorter than the first wait.
  deadlineMs: [100, day],
  attemptTimeoutMs: [61, 12 * hour],
  'attemptTimeoutMs.maxMs': [61, 12 * hour],
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
  'budget.windowMs': [100, day],
  'gate.deadForMs': [61, hour],
  'gate.probeMs': [61, hour],
  'gate.rampMs': [61, hour],
  'hold.minMs': [61, hour],
  'hold.maxQueueMs': [61, hour],
};

export function implausibleTimes({ rules = [], ...top }: PolicyOptions): readonly Remark[] {
  return [
    ...implausibleTimesOf('', top),
    ...rules.flatMap((rule, index) => implausibleTimesOf(`${pathTo('rules', index)}.`, rule)),
  ];
}

function implausibleTimesOf(before: string, options: SettingsOptions): readonly Remark[] {
  return Object.entries(options).flatMap(([key, value]: [string, unknown]) => {
    const isNested = typeof value === 'object' && value !== null;
    const times = isNested
      ? Object.entries(value).map(([inner, part]) => [`${key}.${inner}`, part] as const)
      : [[key, value] as const];
    return times.flatMap(([path, time]) => remarkOn(`${before}${path}`, limitsOf(path), time));
  });
}

function limitsOf(path: string): readonly [number, number] | undefined {
  return implausible[path.replace('throttledSchedule', 'schedule')];
}

function remarkOn(
  path: string,
  limits: readonly [number, number] | undefined,
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
