/** A schedule for loops that are not HTTP: reconnecting sockets, polling, leader election. */

import { fillSchedule, scheduledWait } from '../core/decide/schedule.js';
import type { ScheduleOptions } from '../core/policy/options.js';
import { sleep as realSleep } from './sleep.js';
import type { Sleep } from './timers.js';

export interface AttemptsOptions {
  /** Ends the loop, also during a wait. */
  readonly signal?: AbortSignal;
  /** Each `reset` event starts the schedule again from its first wait. */
  readonly reset?: EventTarget;
  readonly random?: () => number;
  readonly sleep?: Sleep;
}

/**
 * The attempts of a loop that is not HTTP: yields 1, waits by the schedule, yields 2, waits, … forever. A reset during
 * an attempt makes that attempt 1 of a new series. A reset during a wait ends it: the first wait of the schedule
 * follows.
 */
export async function* attempts(
  schedule: ScheduleOptions,
  options: AttemptsOptions = {},
): AsyncGenerator<number, void, void> {
  const { signal, reset, random = Math.random, sleep = realSleep } = options;
  const filled = fillSchedule(schedule);
  let attempt = 1;
  let previousMs: number | undefined;
  let cutShort = (): void => {};
  const onReset = (): void => {
    attempt = 1;
    previousMs = undefined;
    cutShort();
  };
  reset?.addEventListener('reset', onReset);
  try {
    while (signal?.aborted !== true) {
      yield attempt;
      let ended: 'woken' | 'reset' | 'aborted';
      do {
        previousMs = usable(scheduledWait(filled, attempt, previousMs, random()));
        ended = await wait(sleep, previousMs, signal, (cut) => {
          cutShort = cut;
        });
      } while (ended === 'reset');
      attempt += 1;
    }
  } finally {
    reset?.removeEventListener('reset', onReset);
  }
}

/** This schedule has not been checked by a policy. One that lacks its numbers would make a busy loop. */
function usable(waitMs: number): number {
  if (waitMs >= 0 && waitMs < Infinity) return waitMs;
  throw new TypeError(
    `undaunted: the schedule of attempts() gives a wait of ${waitMs} ms; definePolicy({ schedule }) says what is wrong with it`,
  );
}

/** Ends when the time is over, when the signal aborts, or when the function that it hands out is called. */
function wait(
  sleep: Sleep,
  delayMs: number,
  signal: AbortSignal | undefined,
  offerCut: (cut: () => void) => void,
): Promise<'woken' | 'reset' | 'aborted'> {
  return new Promise((resolve) => {
    const end = (how: 'woken' | 'reset' | 'aborted'): void => {
      cancel();
      signal?.removeEventListener('abort', onAbort);
      offerCut(() => {});
      resolve(how);
    };
    const onAbort = (): void => end('aborted');
    const cancel = sleep(delayMs, () => end('woken'));
    offerCut(() => end('reset'));
    if (signal?.aborted === true) end('aborted');
    else signal?.addEventListener('abort', onAbort);
  });
}
