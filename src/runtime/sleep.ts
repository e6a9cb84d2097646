/**
 * Timers: a callback and a way to cancel it. There is no promise, which 100,000 waiting requests would pay for in
 * memory.
 */

export type Cancel = () => void;

/** Calls `wake` once after `delayMs`, unless it is cancelled: never early, and never before `sleep` has returned. */
export type Sleep = (delayMs: number, wake: () => void, options?: SleepOptions) => Cancel;

export interface SleepOptions {
  /** The timer does not keep the process alive. */
  readonly unref?: boolean;
}

/** Beyond this, `setTimeout` would fire after 1 ms. */
const longestTimerMs = 2 ** 31 - 1;

export const sleep: Sleep = (delayMs, wake, options) => {
  const wait = new Wait(delayMs, wake, options?.unref === true);
  return () => clearTimeout(wait.timer);
};

/** A timer may fire early by less than a millisecond. After two more timers of 1 ms, the time is certainly over. */
const mostRests = 2;

/** A class, since closures would take twice the memory, and 100,000 requests may wait. */
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

  /**
   * Whether the timer fired a fraction of a millisecond early, which a server's rate limit would notice. If the clock
   * is behind by more, it is coarse, or the clock or the timer is fake.
   */
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

/** Waits with a promise. An abort clears the timer and rejects at once, with the signal's reason. */
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
