/** Schedules that cannot work as written. Jitter is taken into account. */

import { scheduledWait } from '../../decide/schedule.js';
import type { Problem } from '../../errors.js';
import { found } from '../../found.js';
import type { Schedule, ScheduleFunction } from '../schedules.js';
import type { Level } from './level.js';
import { writtenPath } from './level.js';

/** Within one schedule. */
export function scheduleContradictions(
  { own, settings }: Level,
  key: 'schedule' | 'throttledSchedule',
): readonly Problem[] {
  const schedule = settings[key];
  // Stryker disable next-line ConditionalExpression,StringLiteral: a function has no keys to contradict each other.
  if (typeof schedule === 'function') return [];
  const problems: Problem[] = [];
  // Stryker disable next-line ConditionalExpression: others have neither; the kind is for the compiler.
  if (schedule.kind === 'exponential' && schedule.firstMs > schedule.maxMs) {
    const { firstMs, maxMs } = schedule;
    const path = writtenPath(key, own[key], 'firstMs', 'maxMs');
    problems.push(
      path === `${key}.maxMs`
        ? { path, found: found(maxMs), allowed: `at least firstMs, which is ${firstMs}` }
        : { path, found: found(firstMs), allowed: `at most maxMs, which is ${maxMs}` },
    );
  }
  if (schedule.slotMs !== undefined && !waitsAtAll(schedule)) {
    const allowed = 'less than the longest wait: it rounds all of them down to 0';
    problems.push({ path: `${key}.slotMs`, found: found(schedule.slotMs), allowed });
  }
  return problems;
}

function waitsAtAll(schedule: Exclude<Schedule, ScheduleFunction>): boolean {
  if (schedule.kind === 'table') {
    return schedule.waitsMs.some((_, index) => scheduledWait(schedule, index + 1, undefined, 1) > 0);
  }
  // By then, an exponential schedule has reached its cap, however slowly it grows.
  // Stryker disable next-line ConditionalExpression: others do not look at the previous wait.
  const previousMs = schedule.kind === 'exponential' ? schedule.maxMs : undefined;
  return scheduledWait(schedule, Number.MAX_SAFE_INTEGER, previousMs, 1) > 0;
}

/** Waits that would end after the deadline do not start: without a hint, there would never be a retry. */
export function firstWaitTooLong({ own, settings }: Level): readonly Problem[] {
  const { schedule, deadlineMs, maxRetries } = settings;
  if (typeof schedule === 'function' || deadlineMs === undefined || maxRetries === 0) return [];
  const shortestMs = scheduledWait(schedule, 1, undefined, 0);
  if (shortestMs < deadlineMs) return [];
  if (own.schedule === undefined) {
    const allowed = `more than the shortest first wait, which is ${shortestMs}`;
    return [{ path: 'deadlineMs', found: found(deadlineMs), allowed }];
  }
  const allowed = `a first wait that can be shorter than deadlineMs, which is ${deadlineMs}`;
  return [{ path: 'schedule', found: `a first wait of ${shortestMs} ms or more`, allowed }];
}
