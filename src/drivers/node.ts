/** What only Node needs: a signal that counts its listeners, and timers that are objects. */

import { builtinModule } from '../kernel/builtin-module.js';
import { atNextTurn, isReal, linkMsOf, sleep as realSleep, stallMs } from '../kernel/sleep.js';
import { noteStall } from '../kernel/stalls.js';
import type { Cancel, Sleep } from '../kernel/timers.js';

// ---------------------------------------------------------------- a signal that many requests share

interface NodeEvents {
  readonly defaultMaxListeners: number;
  getMaxListeners(signal: AbortSignal): number;
  setMaxListeners(count: number, signal: AbortSignal): void;
}

/** As many as Node's fetch allows. */
const mostListeners = 1_500;

/**
 * Many requests may share a signal, for example the one that ends a server. Node warns of a leak if a signal has more
 * than ten listeners. Its own fetch lets it have more, and so do we; a limit of the caller's own stays.
 */
export function expectManyListeners(signal: AbortSignal): void {
  const events = builtinModule<NodeEvents>('node:events');
  if (events === undefined) return;
  try {
    const isDefault = events.getMaxListeners(signal) === events.defaultMaxListeners;
    if (isDefault) events.setMaxListeners(mostListeners, signal);
  } catch {
    // The signal is not the platform's own, or the platform has only a part of Node's module.
  }
}

// ---------------------------------------------------------------- the first moments of time limits

/**
 * As `sleep`, for what is nearly always cancelled a moment later: until then, it has no timer of its own, but one with all
 * others.
 */
export function sharing(sleep: Sleep): Sleep {
  return isReal(sleep) ? sleepSharing : sleep;
}

const sleepSharing: Sleep = (delayMs, wake, options) => {
  const setAt = performance.now();
  const isKeeper = options?.unref !== true;
  let cancel: Cancel | undefined;
  // A promise leads back to the async context of the request: functions of the caller's may hear of what follows.
  void new Promise<number>((grow) => {
    share(grow, setAt, delayMs, isKeeper);
    cancel = () => leave(grow, isKeeper);
  }).then((stalledMs) => {
    if (cancel === undefined) return;
    const passedMs = performance.now() - setAt - (options?.judges === 'awake' ? stalledMs : 0);
    // A test may have replaced the clock by one that begins anew.
    cancel = realSleep(delayMs - Math.max(0, passedMs), (moreMs = 0) => wake(stalledMs + moreMs), options);
  });
  return () => {
    cancel?.();
    cancel = undefined;
  };
};

/** Gives a limit a timer of its own. This process has stood still for `stalledMs` of its first moments. */
type Grow = (stalledMs: number) => void;

/** Limits in their first moments, and when they were set. */
const young: Map<Grow, number> = /* @__PURE__ */ new Map();
/** How many of them keep the process alive. */
let keepers = 0;
let timer: NodeJS.Timeout | undefined;
/** What has set the timer: a test may have replaced it since then. */
let setBy: typeof setTimeout | undefined;
let firesAt = 0;
let isKeepingAwaited = false;

function share(grow: Grow, setAt: number, ms: number, isKeeper: boolean): void {
  young.set(grow, setAt);
  if (isKeeper) keepers += 1;
  // A time that is over already cannot be late.
  const linkMs = Math.max(0, Math.min(ms, linkMsOf(ms)));
  if (timer === undefined || setBy !== setTimeout || setAt + linkMs < firesAt) {
    clearTimeout(timer);
    firesAt = setAt + linkMs;
    setBy = setTimeout;
    timer = setTimeout(growAll, linkMs);
    keepAlive();
  } else if (isKeeper && keepers === 1 && !isKeepingAwaited) {
    // Until then, something else keeps the process alive, and this limit may be cancelled.
    isKeepingAwaited = true;
    if (atNextTurn(keepAliveAgain) === undefined) keepAliveAgain();
  }
}

function leave(grow: Grow, isKeeper: boolean): void {
  if (young.delete(grow) && isKeeper) keepers -= 1;
  if (keepers === 0) keepAlive();
}

function keepAliveAgain(): void {
  isKeepingAwaited = false;
  keepAlive();
}

function keepAlive(): void {
  if (typeof timer === 'object') timer[keepers > 0 ? 'ref' : 'unref']();
  // In Deno and in pages that a test makes, it is a number.
  else if (young.size === 0) {
    clearTimeout(timer);
    timer = undefined;
  }
}

function growAll(): void {
  const now = performance.now();
  const isLate = now - firesAt > stallMs;
  if (isLate) noteStall(firesAt, now);
  for (const [grow, setAt] of young) grow(isLate ? now - Math.max(firesAt, setAt) : 0);
  young.clear();
  keepers = 0;
  timer = undefined;
}
