/** Waiting, for a time or for a function of the caller's; the caller can end it in the same turn. */

import type { Cancel, Sleep, SleepOptions } from '../sleep.js';
import type { Caller, RequestBody } from './exchange.js';

/** Whether the time is over; false: the caller ended it. With a body that breaks, there is nothing to wait for any more. */
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

/** What comes of the work, unless the time is over before, or the caller ends it: then `over` says what. */
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
    work.then(
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

/** Calls back once, unless it is cancelled before. */
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
