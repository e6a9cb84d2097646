/** Waiting, for a time or for somebody, that the caller can end, by signal or by token, in the same turn. */

import type { Cancel, Sleep, SleepOptions } from '../../runtime/sleep.js';
import { isCanceled } from './outcome.js';
import type { RequestConfig } from './shapes.js';

/** Whether the time is over; false: the caller ended it. */
export function wait(
  delayMs: number,
  config: RequestConfig,
  sleep: Sleep,
  options: SleepOptions,
): Promise<boolean> {
  return new Promise((resolve) => {
    whenOver(delayMs, config, sleep, options, resolve);
  });
}

/** What comes of the work, unless the time is over before, or the caller ends it: then `over` says what. */
export function inTime<T>(
  work: PromiseLike<T>,
  limitMs: number | undefined,
  config: RequestConfig,
  sleep: Sleep,
  over: (isTimeOver: boolean) => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (isTimeOver: boolean): void => reject(over(isTimeOver));
    const end = whenOver(limitMs, config, sleep, {}, giveUp);
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
  config: RequestConfig,
  sleep: Sleep,
  options: SleepOptions,
  over: (isTimeOver: boolean) => void,
): Cancel {
  if (isCanceled(config)) {
    over(false);
    return () => undefined;
  }
  const { signal, cancelToken } = config;
  const end = (isTimeOver: boolean): void => {
    unfollow();
    over(isTimeOver);
  };
  const onCancel = (): void => end(false);
  const cancel = delayMs === undefined ? undefined : sleep(delayMs, () => end(true), options);
  signal?.addEventListener?.('abort', onCancel);
  cancelToken?.subscribe(onCancel);
  const unfollow = (): void => {
    cancel?.();
    signal?.removeEventListener?.('abort', onCancel);
    cancelToken?.unsubscribe(onCancel);
  };
  return unfollow;
}
