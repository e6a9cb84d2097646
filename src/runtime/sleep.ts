/** Waiting. A callback and a way to cancel it: 100,000 waiting requests need no promise for it. */

export type Cancel = () => void;

/** Calls `wake` once after `delayMs`, never earlier nor before it has returned, unless it is cancelled. */
export type Sleep = (delayMs: number, wake: () => void, options?: SleepOptions) => Cancel;

export interface SleepOptions {
  /** Does not keep the process alive. */
  readonly unref?: boolean;
}

/** Above this, `setTimeout` fires after 1 ms instead. */
const longestTimerMs = 2 ** 31 - 1;

export const sleep: Sleep = (delayMs, wake, options = {}) => {
  // Timers count whole milliseconds and may be a fraction early, which a server's limit would notice.
  let leftMs = delayMs > 0 ? Math.ceil(delayMs) + 1 : 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const next = (): void => {
    const stepMs = Math.min(leftMs, longestTimerMs);
    leftMs -= stepMs;
    timer = setTimeout(leftMs > 0 ? next : wake, stepMs);
    if (options.unref === true) unref(timer);
  };
  next();
  return () => clearTimeout(timer);
};

/** A timer is an object with `unref` in Node and a number in browsers. */
function unref(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function') {
    timer.unref();
  }
}

/** As a promise that an abort ends at once, with the signal's reason; the timer is gone then. */
export function pause(
  sleepFor: Sleep,
  delayMs: number,
  signal?: AbortSignal,
  options?: SleepOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = sleepFor(
      delayMs,
      () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      },
      options,
    );
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
