/** All waits of one rule: after failures, and when it is rate limited. */

import type { Rule, Schedule } from '../../../index.js';
import { valueText, waitText } from '../../pages/numbers.js';
import type { Wait } from '../../pages/waits.js';
import { waitsOf } from '../../pages/waits.js';

export interface Plan {
  /** What the policy and the rule are called. */
  readonly title: string;
  readonly maxRetries: number;
  readonly deadlineMs: number | undefined;
  readonly parts: readonly Part[];
}

export interface Part {
  readonly key: 'schedule' | 'throttledSchedule';
  readonly title: string;
  /** As many as are shown. */
  readonly waits: readonly Wait[];
}

/** More rows would not be read. */
const mostRetries = 20;

export function planOf(title: string, { settings }: Rule): Plan {
  const { maxRetries, deadlineMs } = settings;
  const part = (key: Part['key'], after: string): Part => ({
    key,
    title: `${key}, after ${after}: ${scheduleText(settings[key])}`,
    waits: waitsOf(settings[key], Math.min(maxRetries, mostRetries)),
  });
  return {
    title,
    maxRetries,
    deadlineMs,
    parts: [part('schedule', 'failures'), part('throttledSchedule', '429 and other rate limits')],
  };
}

export function scheduleText(schedule: Schedule): string {
  if (typeof schedule === 'function') return 'a function';
  const { jitter, slotMs } = schedule;
  const slots = slotMs === undefined ? '' : `, in slots of ${waitText(slotMs)}`;
  return `${baseText(schedule)}${slots}; ${jitterText(jitter)}`;
}

function baseText(schedule: Exclude<Schedule, (...args: never[]) => unknown>): string {
  switch (schedule.kind) {
    case 'fixed':
      return waitText(schedule.waitMs);
    case 'table':
      return listText(schedule.waitsMs.map(waitText));
    case 'exponential': {
      const { firstMs, factor, maxMs, jitter } = schedule;
      const growth =
        jitter === 'decorrelated'
          ? 'up to 3 times the previous wait'
          : `times ${valueText(factor)} each time`;
      return `${waitText(firstMs)}, ${growth}, at most ${waitText(maxMs)}`;
    }
  }
}

/** All of them are in the table below it. */
function listText(waits: readonly string[]): string {
  return waits.length > 8 ? `${waits.slice(0, 8).join(', ')}, …` : waits.join(', ');
}

function jitterText(jitter: Exclude<Schedule, (...args: never[]) => unknown>['jitter']): string {
  if (typeof jitter === 'string') return jitter === 'none' ? 'no jitter' : `${jitter} jitter`;
  if ('addMs' in jitter) return `plus up to ${waitText(jitter.addMs)}`;
  if ('spread' in jitter) return `plus or minus ${valueText(jitter.spread * 100)} %`;
  return `normally distributed, standard deviation ${valueText(jitter.normal * 100)} %`;
}

/** What the limits cut off, in sentences. */
export function limitsOf({ maxRetries, deadlineMs, parts }: Plan): string[] {
  const cut =
    maxRetries > mostRetries ? [`Only the first ${mostRetries} of ${maxRetries} retries are shown.`] : [];
  return [...cut, ...parts.flatMap((part) => lateText(part, deadlineMs))];
}

function lateText({ key, waits }: Part, deadlineMs: number | undefined): string[] {
  const late = waits.find(({ sumMs }) => deadlineMs !== undefined && sumMs.median >= deadlineMs);
  if (late === undefined || deadlineMs === undefined) return [];
  return [
    `${key}: retry ${late.retry} usually does not happen: it would come after the deadline of ${waitText(deadlineMs)}.`,
  ];
}
