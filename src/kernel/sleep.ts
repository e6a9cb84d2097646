/**
 * The timers of a process that may stand still: they read what has arrived before they judge, and tell apart for how long
 * others have taken and for how long this process has. A wait of no time takes no timer.
 */

import { noteStall } from './stalls.js';
import { type Cancel, type Judges, type Sleep, type SleepOptions, unref } from './timers.js';

export const sleep: Sleep = (delayMs, wake, options) => {
  const isUnref = options?.unref === true;
  const judges = options?.judges;
  if (judges === undefined && !(delayMs > 0) && !isFake()) {
    // A timer of no time would take a millisecond.
    const turn = atNextTurn(wake);
    if (turn !== undefined) return turnCancel(turn, isUnref);
  }
  const wait =
    judges === undefined || isFake()
      ? new Wait(delayMs, wake, isUnref)
      : new JudgingWait(delayMs, wake, isUnref, judges);
  wait.begin();
  return () => wait.cancel();
};

function turnCancel(turn: object, isUnref: boolean): Cancel {
  if (isUnref) unref(turn);
  return () => clearImmediate(turn as NodeJS.Immediate);
}

/** One that threw when it was called, as that of Vercel's edge runtime does, which has it only to say so. */
let unusable: unknown;

/** Undefined if there is none: browsers and workers have no `setImmediate`. */
export function atNextTurn(call: () => void): object | undefined {
  if (typeof setImmediate !== 'function' || setImmediate === unusable) return undefined;
  try {
    // A polyfill returns a number.
    return Object(setImmediate(call)) as object;
  } catch {
    unusable = setImmediate;
    return undefined;
  }
}

/** Beyond this, `setTimeout` would fire after 1 ms. */
export const longestTimerMs: number = 2 ** 31 - 1;

/** A timer may fire early by less than a millisecond. After two more timers of 1 ms, the time is certainly over. */
const mostRests = 2;

/** A class, since closures would take twice the memory, and 100,000 requests may wait. */
class Wait {
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
    this.endsAt = delayMs > 0 ? performance.now() + delayMs : -Infinity;
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

/** A timer that is later than this was kept from firing: the process stood still. */
export const stallMs = 50;
/**
 * To notice that in the middle of its time, the timer has several links. What ends within a link goes unnoticed, and an
 * attempt that is answered at once pays for one link only.
 */
const linksOfWait = 8;
const shortestLinkMs = 50;
const longestLinkMs = 1_000;
/** In a hidden page, all timers are late. They must end nevertheless. */
export const mostStalls = 3;

export function linkMsOf(delayMs: number): number {
  return Math.min(longestLinkMs, Math.max(shortestLinkMs, Math.ceil(delayMs / linksOfWait)));
}

class JudgingWait extends Wait {
  private readonly judges: Judges;
  private readonly linkMs: number;
  private linkEndsAt: number;
  private stalledMs = 0;
  private stalls = 0;
  private isCancelled = false;

  constructor(delayMs: number, wake: (stalledMs?: number) => void, unref: boolean, judges: Judges) {
    super(delayMs, wake, unref);
    this.judges = judges;
    this.linkMs = linkMsOf(delayMs);
    // A time that is over already cannot be late.
    this.linkEndsAt = delayMs > 0 ? this.endsAt - delayMs : Infinity;
  }

  override begin(): void {
    this.linkEndsAt += Math.min(this.leftMs, this.linkMs);
    this.start(this.linkMs);
  }

  protected override rang(): void {
    const now = performance.now();
    const lateMs = now - this.linkEndsAt;
    const isLate = lateMs > stallMs;
    if (isLate) {
      noteStall(this.linkEndsAt, now);
      this.stoodStill(lateMs);
    }
    this.linkEndsAt = now;
    if (this.leftMs > 0 || this.isEarly()) this.begin();
    else readFirst(isLate ? 2 : 1, () => this.isCancelled || this.wake(this.stalledMs));
  }

  private stoodStill(lateMs: number): void {
    this.stalledMs += lateMs;
    this.stalls += 1;
    if (this.judges === 'awake' && this.stalls <= mostStalls) this.endsAt += lateMs;
    else this.leftMs = Math.max(0, this.leftMs - Math.floor(lateMs));
  }

  override cancel(): void {
    this.isCancelled = true;
    super.cancel();
  }
}

/**
 * Node runs timers before it reads sockets. After one turn, everything that had arrived is read; after another one, what
 * is done with it in a later turn has been done, too.
 */
export function readFirst(turns: number, then: () => void): void {
  if (turns === 0) then();
  else afterTurn(() => readFirst(turns - 1, then));
}

/** Where no turn can be waited for, timers and answers come in no fixed order. */
function afterTurn(next: () => void): void {
  if (atNextTurn(() => setTimeout(next)) === undefined) setTimeout(next);
}

let known: unknown;
let isKnownFake = false;

/** Whether a test has replaced the timers: it decides which of them fire, and when. */
export function isFake(): boolean {
  if (known !== setTimeout) {
    known = setTimeout;
    isKnownFake = isReplaced(setTimeout);
  }
  return isKnownFake;
}

/** Whether these are the timers of the platform: a test brings its own, or has replaced them. */
export function isReal(given: Sleep): boolean {
  return given === sleep && !isFake();
}

interface Replaced {
  readonly clock?: unknown;
  /** Of mocks of Vitest, Jest, Bun and Node, for some of which `in` does not find it. */
  readonly mock?: unknown;
  readonly isSinonProxy?: unknown;
}

/** As the fake timers of Vitest, Jest, Sinon and Bun, those of Node, and those of Deno can be told. */
export function isReplaced(given: ((...args: never[]) => unknown) & Replaced): boolean {
  const isMarked = (given.clock ?? given.mock ?? given.isSinonProxy) !== undefined;
  return isMarked || /^(bound |fake)/.test(given.name);
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
