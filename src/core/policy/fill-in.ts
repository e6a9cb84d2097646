/** Options -> settings: shorthands spelled out, nested objects filled in, everything else inherited. */

import { fillSchedule } from '../decide/schedule.js';
import { bodyBytesOf, successesOf } from '../hints/compile.js';
import { compileHints } from '../hints/read-hint.js';
import { defaults } from './defaults.js';
import type { BucketBudget, Budget, Cost } from './limits.js';
import type { BudgetOptions, CostOptions, SettingsOptions } from './options.js';
import type { IdempotencyKey, Settings, Statuses } from './settings.js';

/** What a policy that says nothing amounts to. */
export const defaultSettings: Settings = Object.freeze({
  maxRetries: defaults.maxRetries,
  deadlineMs: defaults.deadlineMs,
  deadlineCovers: defaults.deadlineCovers,
  attemptTimeoutMs: defaults.attemptTimeoutMs,
  statuses: compileStatuses(defaults.statuses),
  methods: new Set(defaults.methods),
  idempotent: defaults.idempotent,
  unsafeMethods: defaults.unsafeMethods,
  idempotencyKey: false,
  schedule: defaults.schedule,
  throttledSchedule: defaults.throttledSchedule,
  ...hintsOf(defaults.hints),
  bodyHintBytesSaid: undefined,
  maxHintMs: defaults.maxHintMs,
  hintJitter: defaults.hintJitter,
  budget: defaults.budget,
  gate: false,
  hold: false,
  scope: defaults.scope,
  bufferBodyBytes: defaults.bufferBodyBytes,
  resume: defaults.resume,
  unref: defaults.unref,
  attemptHeader: false,
  retryIf: undefined,
  beforeRetry: undefined,
  observe: undefined,
});

/** One shape for all, key by key: `decide` and the adapters read it on every request. */
export function fillIn(options: SettingsOptions, inherited: Settings): Settings {
  const { statuses, methods, schedule, throttledSchedule, hints, budget } = options;
  const hinted = hints === undefined ? inherited : hintsOf(hints);
  const bytesSaid = options.bodyHintBytes ?? inherited.bodyHintBytesSaid;
  return Object.freeze({
    maxRetries: options.maxRetries ?? (options.retry === false ? 0 : inherited.maxRetries),
    deadlineMs: options.deadlineMs ?? inherited.deadlineMs,
    deadlineCovers: options.deadlineCovers ?? inherited.deadlineCovers,
    attemptTimeoutMs: options.attemptTimeoutMs ?? inherited.attemptTimeoutMs,
    statuses: statuses === undefined ? inherited.statuses : compileStatuses(statuses),
    methods: methods === undefined ? inherited.methods : new Set(methods.map((name) => name.toUpperCase())),
    idempotent: options.idempotent ?? inherited.idempotent,
    unsafeMethods: options.unsafeMethods ?? inherited.unsafeMethods,
    idempotencyKey: keyOf(options.idempotencyKey) ?? inherited.idempotencyKey,
    schedule: schedule === undefined ? inherited.schedule : fillSchedule(schedule),
    throttledSchedule:
      throttledSchedule === undefined
        ? inherited.throttledSchedule
        : fillSchedule(throttledSchedule, defaults.throttledSchedule),
    hints: hinted.hints,
    hintedSuccesses: hinted.hintedSuccesses,
    bodyHintBytes: bytesSaid ?? hinted.bodyHintBytes,
    bodyHintBytesSaid: bytesSaid,
    maxHintMs: options.maxHintMs ?? inherited.maxHintMs,
    hintJitter: options.hintJitter ?? inherited.hintJitter,
    budget: budget === undefined ? inherited.budget : fillBudget(budget),
    gate: switched(options.gate, defaults.gate) ?? inherited.gate,
    hold: switched(options.hold, defaults.hold) ?? inherited.hold,
    scope: options.scope ?? inherited.scope,
    bufferBodyBytes: options.bufferBodyBytes ?? inherited.bufferBodyBytes,
    resume: options.resume ?? inherited.resume,
    unref: options.unref ?? inherited.unref,
    attemptHeader: headerOf(options.attemptHeader) ?? inherited.attemptHeader,
    retryIf: options.retryIf ?? inherited.retryIf,
    beforeRetry: options.beforeRetry ?? inherited.beforeRetry,
    observe: options.observe ?? inherited.observe,
  });
}

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

/** Whoever makes the bucket smaller than the default price of a timeout wants one retried all the same. */
function costWithin({ capacity, floor, charge }: Omit<BucketBudget, 'cost'>): Cost {
  const { transient, throttled, timeout } = defaults.budget.cost;
  const most = charge === 'retry' ? capacity - floor : transient;
  return { transient, throttled, timeout: Math.max(transient, Math.min(timeout, most)) };
}

function keyOf(option: SettingsOptions['idempotencyKey']): IdempotencyKey | false | undefined {
  const key = switched<IdempotencyKey>(option, defaults.idempotencyKey);
  return key ? Object.freeze({ ...key, header: key.header.toLowerCase() }) : key;
}

/** `true` means the defaults, an object lies over them, `false` is off, undefined says nothing. */
function switched<T extends object>(option: boolean | Partial<T> | undefined, on: T): T | false | undefined {
  if (option === undefined || option === false) return option;
  return option === true ? on : Object.freeze({ ...on, ...option });
}

type Hinted = Pick<Settings, 'hints' | 'hintedSuccesses' | 'bodyHintBytes'>;

function hintsOf(option: NonNullable<SettingsOptions['hints']>): Hinted {
  const names = option === false ? [] : [option].flat();
  return {
    hints: names.length === 0 ? undefined : compileHints(names),
    hintedSuccesses: successesOf(names),
    bodyHintBytes: bodyBytesOf(names),
  };
}

function headerOf(option: boolean | string | undefined): string | false | undefined {
  if (option === true) return defaults.attemptHeader;
  return typeof option === 'string' ? option.toLowerCase() : option;
}
