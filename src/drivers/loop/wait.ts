/** Waits for a time, or for a function of the caller. The caller's abort ends either in the same turn. */

import { asPromise } from '../../core/returned.js';
import type { Cancel, Sleep, SleepOptions } from '../../kernel/timers.js';
import type { Caller, RequestBody } from './exchange.js';

/** Rejects if the caller aborts. A body that fails ends the wait, since there is nothing left to send. */
export function wait(
  delayMs: number,
  caller: Caller,
  sleep: Sleep,
  options: SleepOptions,
  body?: RequestBody,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let unwatch: Cancel | undefined;
    const stop = whenOver(delayMs, caller, sleep, options, (isTimeOver) => {
      unwatch?.();
      if (isTimeOver) resolve();
      else reject(caller.abortError());
    });
    unwatch = body?.onFailure?.(() => {
      stop();
      resolve();
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
  options: SleepOptions,
  over: (isTimeOver: boolean) => unknown,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = whenOver(limitMs, caller, sleep, options, (isTimeOver) => reject(over(isTimeOver)));
    asPromise(work).finally(end).then(resolve, reject);
  });
}

/** Calls `over` once, unless it is cancelled first. */
function whenOver(
  delayMs: number | undefined,
  caller: Caller,
  sleep: Sleep,
  options: SleepOptions,
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
