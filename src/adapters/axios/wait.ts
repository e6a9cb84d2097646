/** Waiting that the caller can end, by signal or by token, in the same turn. */

import type { Sleep, SleepOptions } from '../../runtime/sleep.js';
import { isCanceled } from './outcome.js';
import type { RequestConfig } from './shapes.js';

/** Whether the time is over; false: the caller ended it. */
export function wait(
  delayMs: number,
  config: RequestConfig,
  sleep: Sleep,
  options: SleepOptions,
): Promise<boolean> {
  if (isCanceled(config)) return Promise.resolve(false);
  const { signal, cancelToken } = config;
  return new Promise((resolve) => {
    const end = (isTimeOver: boolean): void => {
      signal?.removeEventListener?.('abort', onCancel);
      cancelToken?.unsubscribe(onCancel);
      resolve(isTimeOver);
    };
    const onCancel = (): void => {
      cancel();
      end(false);
    };
    const cancel = sleep(delayMs, () => end(true), options);
    signal?.addEventListener?.('abort', onCancel);
    cancelToken?.subscribe(onCancel);
  });
}
