/**
 * Timers: a callback and a way to cancel it. There is no promise, which 100,000 waiting requests would pay for in
 * memory.
 */

export type Cancel = () => void;

/**
 * Calls `wake` once after `delayMs`, unless it is cancelled: never early, and never before `sleep` has returned. A timer
 * that judges may say for how long this process has stood still meanwhile.
 */
export type Sleep = (delayMs: number, wake: (stalledMs?: number) => void, options?: SleepOptions) => Cancel;

export interface SleepOptions {
  /** The timer does not keep the process alive. */
  readonly unref?: boolean;
  /**
   * The timer ends what others take too long for. Answers that have arrived are read before it wakes. `'awake'`: time for
   * which this process stands still (in a long computation, or suspended) does not count; `'elapsed'`: it counts. A
   * `sleep` that knows no such time may ignore this.
   */
  readonly judges?: Judges;
}

export type Judges = 'awake' | 'elapsed';

/** The options of a timer that judges; they are made once, since each attempt has one. */
export function judging(judges: Judges, unref: boolean): SleepOptions {
  if (judges === 'awake') return unref ? unrefedAwake : awake;
  return unref ? unrefedElapsed : elapsed;
}

const awake: SleepOptions = { judges: 'awake' };
const unrefedAwake: SleepOptions = { judges: 'awake', unref: true };
const elapsed: SleepOptions = { judges: 'elapsed' };
const unrefedElapsed: SleepOptions = { judges: 'elapsed', unref: true };

/** Beyond this, `setTimeout` would fire after 1 ms. */
const longestTimerMs = 2 ** 31 - 1;

/** A timer may fire early by less than a millisecond. After two more timers of 1 ms, the time is certainly over. */
const mostRests = 2;

/** A class, since closures would take twice the memory, and 100,000 requests may wait. */
export class Wait {
  private timer: ReturnType<typeof setTimeout> | undefined = undefined;
  protected readonly wake: (stalledMs?: number) => void;
  private readonly unref: boolean;
  protected endsAt: number;
  protected leftMs: number;
  private links = 0;
  private rests = 0;

  constructor(delayMs: number, wake: (stalledMs?: number) => void, unref: boolean) {
    this.wake = wake;
    this.unref = unref;
    this.endsAt = delayMs > 0 ? performance.now() + delayMs : Number.NEGATIVE_INFINITY;
    this.leftMs = delayMs > 0 ? Math.ceil(delayMs) : 0;
  }

  begin(): void {
    this.start(longestTimerMs);
  }

  protected start(longestMs: number): void {
    const linkMs = Math.min(this.leftMs, longestMs);
    this.leftMs -= linkMs;
    this.links += 1;
    this.timer = setTimeout(Wait.ring, linkMs, this);
    if (this.unref) unref(this.timer);
  }

  private static ring(wait: Wait): void {
    wait.rang();
  }

  protected rang(): void {
    if (this.leftMs > 0 || this.isEarly()) this.begin();
    else this.wake();
  }

  cancel(): void {
    clearTimeout(this.timer);
  }

  /**
   * Whether the timer fired a fraction of a millisecond early, which a server's rate limit would notice. If the clock
   * is behind by more, it is coarse, or the clock or the timer is fake.
   */
  protected isEarly(): boolean {
    const earlyMs = this.endsAt - performance.now();
    if (!(earlyMs > 0 && earlyMs <= this.links) || this.rests === mostRests) return false;
    this.leftMs = Math.ceil(earlyMs);
    this.rests += 1;
    return true;
  }
}

/** A timer is an object with `unref` in Node and a number in browsers. */
export function unref(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function') {
    timer.unref();
  }
}
