/** Waits for a time, or for a function of the caller. The caller's abort ends either in the same turn. */

import { asPromise } from '../../core/returned.js';
import type { Cancel, Sleep, SleepOptions } from '../../kernel/timers.js';
import type { Caller, RequestBody } from './exchange.js';

/**
 * True when the wait is over, false if the caller aborted it. A body that fails ends the wait, since there is nothing
 * left to send.
 */
export function wait(
  delayMs: number,
  caller: Caller,
  sleep: Sleep,
  options: SleepOptions,
  body?: RequestBody,
): Promise<boolean> {
  return new Promise((resolve) => {
    let unwatch: Cancel | undefined;
    const stop = whenOver(delayMs, caller, sleep, options, (isTimeOver) => {
      unwatch?.();
      resolve(isTimeOver);
    });
    unwatch = body?.onFailure?.(() => {
      stop();
      resolve(true);
    });
  });
}

/**
 * The result of the work, unless the time is over first or the caller aborts: then it rejects with what `over` returns.
 */
export function inTime<T>(
  work: PromiseLike<T>,
  limitMs: number | undefined,
  caller: Caller,
  sleep: Sleep,
  options: SleepOptions | undefined,
  over: (isTimeOver: boolean) => unknown,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (isTimeOver: boolean): void => reject(over(isTimeOver));
    const end = whenOver(limitMs, caller, sleep, options, giveUp);
    asPromise(work).then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}

/** Calls `over` once, unless it is cancelled first. */
function whenOver(
  delayMs: number | undefined,
  caller: Caller,
  sleep: Sleep,
  options: SleepOptions | undefined,
  over: (isTimeOver: boolean) => void,
): Cancel {
  if (caller.isAborted) {
    over(false);
    return () => undefined;
  }
  const end = (isTimeOver: boolean): void => {
    stop();
    over(isTimeOver);
  };
  const cancel = delayMs === undefined ? undefined : sleep(delayMs, () => end(true), options);
  const unfollow = caller.onAbort(() => end(false));
  const stop = (): void => {
    cancel?.();
    unfollow();
  };
  return stop;
}

export function throwIfAborted(caller: Caller): void {
  if (caller.isAborted) throw caller.abortError();
}
