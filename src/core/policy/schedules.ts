/** Waits of our own, as data. */

/** Jitter of one wait. */
export type PlainJitter =
  /** The wait itself. */
  | 'none'
  /** Anything from 0 to the wait. */
  | 'full'
  /** Half of the wait, and anything from 0 to the other half. */
  | 'equal'
  /** The wait times a factor from [1 - spread, 1 + spread). */
  | { readonly spread: number }
  /** Up to so much on top. */
  | { readonly addMs: number }
  /** Normally distributed around the wait; the standard deviation as a share of it, cut at four. */
  | { readonly normal: number };

export type Jitter =
  | PlainJitter
  /** Anything from the first wait to three times the previous one, capped. */
  | 'decorrelated';

interface Slotted {
  /** Waits are rounded down to whole slots of this length. */
  readonly slotMs?: number;
}

export interface Jittered extends Slotted {
  readonly jitter: PlainJitter;
}

export interface ExponentialSchedule extends Slotted {
  readonly kind: 'exponential';
  readonly firstMs: number;
  readonly factor: number;
  /** Caps the wait before jitter. */
  readonly maxMs: number;
  readonly jitter: Jitter;
}

/** One wait per retry; the last one is repeated. */
export interface TableSchedule extends Jittered {
  readonly kind: 'table';
  readonly waitsMs: readonly number[];
}

export interface FixedSchedule extends Jittered {
  readonly kind: 'fixed';
  readonly waitMs: number;
}

/** Retry number from 1, the previous wait of this schedule, one draw from [0, 1): the wait in ms. */
export type ScheduleFunction = (retry: number, previousMs: number | undefined, draw: number) => number;

export type Schedule = ExponentialSchedule | TableSchedule | FixedSchedule | ScheduleFunction;
