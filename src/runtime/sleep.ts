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

/** A timer may be early by less than a millisecond; after two more of at least one, its time is over for sure. */
const mostRests = 2;

export const sleep: Sleep = (delayMs, wake, options = {}) => {
  const endsAt = delayMs > 0 ? performance.now() + delayMs : Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let timers = 0;
  let rests = 0;
  const start = (leftMs: number): void => {
    const stepMs = Math.min(leftMs, longestTimerMs);
    timers += 1;
    timer = setTimeout(next, stepMs, leftMs - stepMs);
    if (options.unref === true) unref(timer);
  };
  const next = (leftMs: number): void => {
    if (leftMs > 0) {
      start(leftMs);
      return;
    }
    // A server's limit would notice a fraction. A clock that is behind by more is coarse, or one of the two is fake.
    const earlyMs = endsAt - performance.now();
    const isEarly = earlyMs > 0 && earlyMs <= timers && rests < mostRests;
    rests += 1;
    if (isEarly) start(Math.ceil(earlyMs));
    else wake();
  };
  start(delayMs > 0 ? Math.ceil(delayMs) : 0);
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
