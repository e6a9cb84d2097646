/**
 * Times in the wrong unit, most likely seconds: `deadlineMs: 30`. Such a policy is valid, and there is no warning at run
 * time: these are remarks of the command `check`.
 */

import type { Remark } from '../../errors.js';
import { timeText } from '../../time-text.js';
import type { PolicyOptions, SettingsOptions } from '../options.js';
import { pathTo } from './wording.js';

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

/** In a policy that has been checked. */
export function implausibleTimes({ rules = [], ...top }: PolicyOptions): readonly Remark[] {
  return [
    ...remarksOn('', top),
    ...rules.flatMap((rule, index) => remarksOn(`${pathTo('rules', index)}.`, rule)),
  ];
}

function remarksOn(before: string, options: SettingsOptions): readonly Remark[] {
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
