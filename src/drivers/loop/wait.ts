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
    if (caller.isAborted) {
      reject(caller.abortError());
      return;
    }
    let unwatch: Cancel | undefined;
    const wake = (): void => {
      unfollow();
      unwatch?.();
      resolve();
    };
    const cancel = sleep(delayMs, wake, options);
    const unfollow = caller.onAbort(() => {
      cancel();
      unfollow();
      unwatch?.();
      reject(caller.abortError());
    });
    unwatch = body?.onFailure?.(() => {
      cancel();
      wake();
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
    const end = (isTimeOver: boolean): void => {
      stop();
      reject(over(isTimeOver));
    };
    const { isAborted } = caller;
    const cancel = isAborted || limitMs === undefined ? undefined : sleep(limitMs, () => end(true), options);
    const unfollow = isAborted ? undefined : caller.onAbort(() => end(false));
    const stop = (): void => {
      cancel?.();
      unfollow?.();
    };
    if (isAborted) end(false);
    asPromise(work).finally(stop).then(resolve, reject);
  });
}

export function throwIfAborted(caller: Caller): void {
  if (caller.isAborted) throw caller.abortError();
}
