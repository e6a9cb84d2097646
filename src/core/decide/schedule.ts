/**
 * The waits of a schedule: retry number + previous wait + one random number -> ms, exact and not rounded.
 *
 * Caps apply before jitter. No wait is NaN, negative or infinite, however many retries there are.
 */

import { usualDefaults } from '../policy/defaults.js';
import type { ScheduleOptions } from '../policy/options.js';
import type {
  ExponentialSchedule,
  PlainJitter,
  Schedule,
  ScheduleFunction,
  TableSchedule,
} from '../policy/schedules.js';
import { isPromise, wrongReturn } from '../returned.js';
import type { ToldFinding } from '../types.js';

/** Missing keys of an exponential schedule come from the default one. */
export function fillSchedule(
  options: ScheduleOptions,
  base: ExponentialSchedule = usualDefaults.schedule,
): Schedule {
  if (typeof options === 'function') return options;
  if (options.kind === 'exponential') return Object.freeze({ ...base, ...options });
  return Object.freeze({ ...options, jitter: options.jitter ?? 'none' });
}

/**
 * The wait before a retry. `retry` counts from 1, `previousMs` is the previous wait of the schedule (undefined at first),
 * `draw` is from [0, 1). `told` is how the attempt ended, for a function.
 */
export function scheduledWait(
  schedule: Schedule,
  retry: number,
  previousMs: number | undefined,
  draw: number,
  told?: ToldFinding,
): number {
  if (typeof schedule === 'function') return waitOfFunction(schedule, retry, previousMs, draw, told);
  const waitMs = waitOfData(schedule, retry, previousMs, draw);
  // Rounded down, so that a wait from [0, 2^n slots) is a whole number of slots below 2^n.
  return schedule.slotMs === undefined ? waitMs : Math.floor(waitMs / schedule.slotMs) * schedule.slotMs;
}

/** The longest possible wait before this retry; unknown for a function. */
export function longestWait(schedule: Schedule, retry: number): number {
  if (typeof schedule === 'function') return Infinity;
  // Jitter grows with the draw, and a decorrelated wait with the previous one.
  let longestMs = scheduledWait(schedule, 1, undefined, 1);
  for (let next = 2; next <= retry; next++) longestMs = scheduledWait(schedule, next, longestMs, 1);
  return longestMs;
}

/** A bug in a function must neither hammer the server nor hang the caller: the default schedule takes over. */
function waitOfFunction(
  schedule: ScheduleFunction,
  retry: number,
  previousMs: number | undefined,
  draw: number,
  told: ToldFinding | undefined,
): number {
  const waitMs: unknown = schedule(retry, previousMs, draw, told);
  if (isPromise(waitMs)) throw wrongReturn('schedule', waitMs, 'a number of milliseconds');
  const usable = typeof waitMs === 'number' && Number.isFinite(waitMs) && waitMs >= 0;
  return usable ? waitMs : scheduledWait(usualDefaults.schedule, retry, undefined, draw);
}

function waitOfData(
  schedule: Exclude<Schedule, ScheduleFunction>,
  retry: number,
  previousMs: number | undefined,
  draw: number,
): number {
  if (schedule.kind === 'fixed') return jittered(schedule.waitMs, schedule.jitter, draw);
  if (schedule.kind === 'table') return jittered(fromTable(schedule, retry), schedule.jitter, draw);
  if (schedule.jitter === 'decorrelated') return decorrelated(schedule, previousMs, draw);
  return jittered(exponential(schedule, retry), schedule.jitter, draw);
}

/** The check rejects an empty table; without the check, it must not become a busy loop. */
function fromTable({ waitsMs }: TableSchedule, retry: number): number {
  return waitsMs[retry - 1] ?? waitsMs.at(-1) ?? exponential(usualDefaults.schedule, retry);
}

/** The power eventually becomes infinite, and 0 times infinity is NaN, so it is bounded first. */
function exponential({ firstMs, factor, maxMs }: ExponentialSchedule, retry: number): number {
  return Math.min(maxMs, firstMs * Math.min(Number.MAX_VALUE, factor ** (retry - 1)));
}

function jittered(waitMs: number, jitter: PlainJitter, draw: number): number {
  if (jitter === 'none') return waitMs;
  if (jitter === 'full') return waitMs * draw;
  if (jitter === 'equal') return waitMs * (0.5 + draw / 2);
  if ('addMs' in jitter) return waitMs + jitter.addMs * draw;
  const deviation =
    'spread' in jitter ? jitter.spread * (2 * draw - 1) : jitter.normal * standardNormal(draw);
  return waitMs * Math.max(0, 1 + deviation);
}

/**
 * The AWS Architecture Blog's `min(cap, random_between(base, 3 * sleep))`. Here the cap comes last: this is a random walk,
 * and not jitter around a wait.
 */
function decorrelated(
  { firstMs, maxMs }: ExponentialSchedule,
  previousMs: number | undefined,
  draw: number,
): number {
  // A previous wait below a third of the first one can only come from another schedule.
  const span = Math.max(0, 3 * (previousMs ?? firstMs) - firstMs);
  return Math.min(maxMs, firstMs + span * draw);
}

/** Beyond that, draws are outliers. */
const maxDeviations = 4;

/**
 * The inverse of the normal distribution function by a closed form: S. Winitzki, "A handy approximation for
 * the error function and its inverse" (2008). Off by less than 0.01 within four standard deviations,
 * exact in the middle, and infinite at the ends, where it is cut.
 */
function standardNormal(draw: number): number {
  const a = 0.147;
  const x = 2 * draw - 1;
  const log = Math.log(1 - x * x);
  const middle = 2 / (Math.PI * a) + log / 2;
  const deviations = Math.sign(x) * Math.sqrt(2 * (Math.sqrt(middle * middle - log / a) - middle));
  return Math.min(maxDeviations, Math.max(-maxDeviations, deviations));
}
