/** Schedules of waits, as data. */

import type { ToldFinding } from '../types.js';

/** Jitter of one wait. */
export type PlainJitter =
  /** The wait itself. */
  | 'none'
  /** Anything from 0 to the wait. */
  | 'full'
  /** Half of the wait, and anything from 0 to the other half. */
  | 'equal'
  | Spread
  | Added
  | Normal;

interface Spread {
  /**
   * Multiplies the wait by a factor from 1 - spread to 1 + spread: a share, from 0 to 1.
   * @default none
   */
  readonly spread: number;
}

interface Added {
  /**
   * Adds up to this many milliseconds to the wait.
   * @default none
   */
  readonly addMs: number;
}

interface Normal {
  /**
   * Normally distributed around the wait: the standard deviation, as a share of the wait from 0 to 1. Cut off at four
   * deviations.
   * @default none
   */
  readonly normal: number;
}

export type Jitter =
  | PlainJitter
  /** Anything from the first wait to three times the previous one, capped. */
  | 'decorrelated';

interface Slotted {
  /**
   * Waits are rounded down to whole slots of this many milliseconds.
   * @default none
   */
  readonly slotMs?: number;
}

export interface Jittered extends Slotted {
  /**
   * How waits are randomised: `'none'`, `'full'` (0 to the wait), `'equal'` (half of it to all of it), `{ spread }`,
   * `{ addMs }` or `{ normal }`.
   * @default 'none'
   */
  readonly jitter: PlainJitter;
}

export interface ExponentialSchedule extends Slotted {
  /**
   * The kind of schedule: exponential, a table of waits, or a fixed wait.
   * @default none
   */
  readonly kind: 'exponential';
  /**
   * The first wait, in milliseconds: 100, or 1,000 in `throttledSchedule`.
   * @default 100
   */
  readonly firstMs: number;
  /**
   * How many times longer each wait is than the one before.
   * @default 2
   */
  readonly factor: number;
  /**
   * The longest wait before jitter, in milliseconds.
   * @default 20_000
   */
  readonly maxMs: number;
  /**
   * How waits are randomised: `'none'`, `'full'` (0 to the wait), `'equal'` (half of it to all of it), `'decorrelated'`
   * (the first wait to three times the previous one), `{ spread }`, `{ addMs }` or `{ normal }`.
   * @default 'full'
   */
  readonly jitter: Jitter;
}

/** One wait per retry; the last one is repeated. */
export interface TableSchedule extends Jittered {
  /**
   * The kind of schedule: exponential, a table of waits, or a fixed wait.
   * @default none
   */
  readonly kind: 'table';
  /**
   * One wait per retry, in milliseconds; the last one is repeated.
   * @default none
   */
  readonly waitsMs: readonly number[];
}

export interface FixedSchedule extends Jittered {
  /**
   * The kind of schedule: exponential, a table of waits, or a fixed wait.
   * @default none
   */
  readonly kind: 'fixed';
  /**
   * The wait before every retry, in milliseconds.
   * @default none
   */
  readonly waitMs: number;
}

/**
 * Takes the number of the retry (from 1), the previous wait of this schedule, a random number from [0, 1), and how the
 * attempt ended; returns the wait in ms. `finding` has `header(name)` for the answer's headers, and is undefined in
 * `attempts()`.
 */
export type ScheduleFunction = (
  retry: number,
  previousMs: number | undefined,
  draw: number,
  finding?: ToldFinding,
) => number;

export type Schedule = ExponentialSchedule | TableSchedule | FixedSchedule | ScheduleFunction;
