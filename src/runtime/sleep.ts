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

export const sleep: Sleep = (delayMs, wake, options) => {
  const wait = new Wait(delayMs, wake, options?.unref === true);
  return () => clearTimeout(wait.timer);
};

/** A timer may be early by less than a millisecond: after two more of one each, the time is over for sure. */
const mostRests = 2;

/** A class, since a hundred thousand requests may wait: closures would take twice the memory. */
class Wait {
  timer: ReturnType<typeof setTimeout> | undefined = undefined;
  private readonly wake: () => void;
  private readonly unref: boolean;
  private readonly endsAt: number;
  private leftMs: number;
  private links = 0;
  private rests = 0;

  constructor(delayMs: number, wake: () => void, unref: boolean) {
    this.wake = wake;
    this.unref = unref;
    this.endsAt = delayMs > 0 ? performance.now() + delayMs : Number.NEGATIVE_INFINITY;
    this.leftMs = delayMs > 0 ? Math.ceil(delayMs) : 0;
    this.start();
  }

  private start(): void {
    const stepMs = Math.min(this.leftMs, longestTimerMs);
    this.leftMs -= stepMs;
    this.links += 1;
    this.timer = setTimeout(Wait.next, stepMs, this);
    if (this.unref) unref(this.timer);
  }

  private static next(wait: Wait): void {
    if (wait.leftMs > 0 || wait.isEarly()) wait.start();
    else wait.wake();
  }

  /** A server's limit would notice a fraction. A clock that is behind by more is coarse, or one of the two is fake. */
  private isEarly(): boolean {
    const earlyMs = this.endsAt - performance.now();
    if (!(earlyMs > 0 && earlyMs <= this.links) || this.rests === mostRests) return false;
    this.leftMs = Math.ceil(earlyMs);
    this.rests += 1;
    return true;
  }
}

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
