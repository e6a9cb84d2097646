/** Options -> settings: expands shorthands, fills in nested objects, and inherits everything else. */

import { fillSchedule } from '../decide/schedule.js';
import { PolicyError } from '../errors.js';
import { found } from '../found.js';
import { bodyBytesOf, successesOf } from '../hints/compile.js';
import { compileHints } from '../hints/read-hint.js';
import { leftOut } from '../left-out.js';
import { defaultOptions, defaults } from './defaults.js';
import type { BucketBudget, Budget, Cost, Hedge, LearntTimeout, Tail } from './limits.js';
import type {
  BudgetOptions,
  CostOptions,
  IdempotencyKey,
  LearntTimeoutOptions,
  SettingsOptions,
} from './options.js';
import type { Compiled, Settings, Statuses } from './settings.js';

type Compilers = {
  readonly [K in Exclude<keyof SettingsOptions & keyof Compiled, 'hints'>]: (
    option: NonNullable<SettingsOptions[K]>,
  ) => Compiled[K];
};

/** From the written form to the form that is read, where they differ. */
const compilers: Compilers = {
  statuses: compileStatuses,
  methods: (names) => new Set(names.map((name) => name.toUpperCase())),
  idempotencyKey: keyOf,
  schedule: (schedule) => fillSchedule(schedule),
  throttledSchedule: (schedule) => fillSchedule(schedule, defaults.throttledSchedule),
  budget: fillBudget,
  gate: (gate) => switchedHere('gate', gate, defaults.gate),
  hold: (hold) => switchedHere('hold', hold, defaults.hold),
  attemptTimeoutMs: (limit) => (typeof limit === 'number' ? limit : limit.maxMs),
  hedge: hedgeOf,
  attemptHeader: headerOf,
};

/** A copy of the inherited settings, overlaid with the written ones: one shape for all, since every request reads them. */
export function fillIn(options: SettingsOptions, inherited: Settings): Settings {
  const off = options.retry === false ? { maxRetries: 0 } : undefined;
  const own = Object.entries(options).flatMap(([key, option]: [string, unknown]) =>
    option !== undefined && Object.hasOwn(inherited, key) ? [[key, compiled(key, option)]] : [],
  );
  const filled: Settings = {
    ...inherited,
    ...off,
    ...Object.fromEntries(own),
    ...hintsOf(options, inherited),
  };
  return Object.freeze({ ...filled, tail: tailOf(options, filled, inherited) });
}

function compiled(key: string, option: unknown): unknown {
  // The check has made sure that the value is one that its compiler accepts.
  const compiler = (compilers as Readonly<Record<string, (option: never) => unknown>>)[key];
  return compiler === undefined ? option : compiler(option as never);
}

// The last two belong to the policy; bodyHintBytes follows from the hints, unless it is set.
const { bodyHintBytes, maxScopes, scopeIdleMs, ...said } = defaultOptions;

/** Has a key for each setting, with no value yet. */
const blank = {
  ...said,
  ...{ retryIf: undefined, beforeRetry: undefined, observe: undefined },
  ...{ hintedSuccesses: [], bodyHintBytes, bodyHintBytesSaid: undefined, tail: undefined },
};

/** The settings of an empty policy. */
export const defaultSettings: Settings = fillIn(said as SettingsOptions, blank as unknown as Settings);

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

function fillBudget(options: false | BudgetOptions): Budget | false {
  if (options === false) return false;
  if (options.kind === 'window') {
    return Object.freeze({ ...defaults.windowBudget, ...options, cost: costOf(options.cost ?? 1) });
  }
  const bucket = { ...defaults.budget, ...options };
  return Object.freeze({
    ...bucket,
    cost: options.cost === undefined ? costWithin(bucket) : costOf(options.cost),
  });
}

function costOf(cost: CostOptions): Cost {
  return typeof cost === 'number'
    ? { transient: cost, throttled: cost, timeout: cost }
    : { ...cost, timeout: cost.timeout ?? cost.transient };
}

/** In a bucket that is smaller than the default cost of a timeout, a timeout costs less: it should be retried, too. */
function costWithin({ capacity, floor, charge }: Omit<BucketBudget, 'cost'>): Cost {
  const { transient, throttled, timeout } = defaults.budget.cost;
  const most = charge === 'retry' ? capacity - floor : transient;
  return { transient, throttled, timeout: Math.max(transient, Math.min(timeout, most)) };
}

function keyOf(option: NonNullable<SettingsOptions['idempotencyKey']>): IdempotencyKey | false {
  const key = switched<IdempotencyKey>(option, defaults.idempotencyKey);
  return key && Object.freeze({ ...key, header: key.header.toLowerCase() });
}

function hedgeOf(option: NonNullable<SettingsOptions['hedge']>): Hedge | false {
  const hedge = switched<Hedge>(option as boolean | Partial<Hedge>, defaults.hedge);
  return hedge && Object.freeze({ ...hedge, methods: hedge.methods.map((name) => name.toUpperCase()) });
}

/** The inherited object, unless something differs: requests with the same one share what is learnt. */
function tailOf(
  { attemptTimeoutMs, hedge: saidHedge }: SettingsOptions,
  { hedge }: Settings,
  inherited: Settings,
): Tail | undefined {
  if (attemptTimeoutMs === undefined && saidHedge === undefined) return inherited.tail;
  const timeout =
    attemptTimeoutMs === undefined ? inherited.tail?.timeout : learntTimeoutOf(attemptTimeoutMs);
  return hedge === false && timeout === undefined ? undefined : Object.freeze({ hedge, timeout });
}

function learntTimeoutOf(option: number | LearntTimeoutOptions): LearntTimeout | undefined {
  return typeof option === 'number' ? undefined : Object.freeze({ ...defaults.learntTimeout, ...option });
}

/** `true` means the defaults, an object lies over them, `false` is off. */
function switched<T extends object>(option: boolean | Partial<T>, on: T): T | false {
  if (option === false) return false;
  return option === true ? on : Object.freeze({ ...on, ...option });
}

/** The bundle may have been made without gate and hold (docs/runtimes.md). */
function switchedHere<T extends object>(path: string, option: boolean | Partial<T>, on: T): T | false {
  const isHere = typeof __UNDAUNTED_GATE_AND_HOLD__ === 'undefined' || __UNDAUNTED_GATE_AND_HOLD__;
  if (isHere || option === false) return switched(option, on);
  const allowed = `false${leftOut('gate and hold', 'GATE_AND_HOLD')}`;
  throw new PolicyError([{ path, found: found(option), allowed }]);
}

function headerOf(option: boolean | string): string | false {
  if (option === true) return defaults.attemptHeader;
  return option === false ? false : option.toLowerCase();
}

type Hinted = Pick<Settings, 'hints' | 'hintedSuccesses' | 'bodyHintBytes' | 'bodyHintBytesSaid'>;

/** `bodyHintBytes` follows from the sets, unless it is set. */
function hintsOf(options: SettingsOptions, inherited: Settings): Hinted {
  const { hints, hintedSuccesses, bodyHintBytes } =
    options.hints === undefined ? inherited : readersOf(options.hints);
  const bodyHintBytesSaid = options.bodyHintBytes ?? inherited.bodyHintBytesSaid;
  return { hints, hintedSuccesses, bodyHintBytes: bodyHintBytesSaid ?? bodyHintBytes, bodyHintBytesSaid };
}

function readersOf(option: NonNullable<SettingsOptions['hints']>): Omit<Hinted, 'bodyHintBytesSaid'> {
  const names = option === false ? [] : [option].flat();
  return {
    hints: names.length === 0 ? undefined : compileHints(names),
    hintedSuccesses: successesOf(names),
    bodyHintBytes: bodyBytesOf(names),
  };
}
