/**
 * Timers: a callback and a way to cancel it. There is no promise, which 100,000 waiting requests would pay for in
 * memory.
 */

export type Cancel = () => void;

/**
 * Calls `wake` once after `delayMs`, unless it is cancelled: never early, and never before `sleep` has returned. A timer
 * that judges may say for how long this process has stood still meanwhile.
 */
export type Sleep = (delayMs: number, wake: (stalledMs?: number) => void, options?: SleepOptions) => Cancel;

export interface SleepOptions {
  /** The timer does not keep the process alive. */
  readonly unref?: boolean;
  /**
   * The timer ends what others take too long for. Answers that have arrived are read before it wakes. `'awake'`: time for
   * which this process stands still (in a long computation, or suspended) does not count; `'elapsed'`: it counts. A
   * `sleep` that knows no such time may ignore this.
   */
  readonly judges?: Judges;
}

export type Judges = 'awake' | 'elapsed';

/** The options of a timer that judges; they are made once, since each attempt has one. */
export function judging(judges: Judges, unref: boolean): SleepOptions {
  if (judges === 'awake') return unref ? unrefedAwake : awake;
  return unref ? unrefedElapsed : elapsed;
}

const awake: SleepOptions = { judges: 'awake' };
const unrefedAwake: SleepOptions = { judges: 'awake', unref: true };
const elapsed: SleepOptions = { judges: 'elapsed' };
const unrefedElapsed: SleepOptions = { judges: 'elapsed', unref: true };

/** A timer is an object with `unref` in Node and a number in browsers. */
export function unref(timer: unknown): void {
  (timer as { unref?(): unknown } | null | undefined)?.unref?.();
}
