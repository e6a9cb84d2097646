/** What only Node needs: a signal that counts its listeners, and timers that are objects. */

import { builtinModule } from '../kernel/builtin-module.js';
import type { Session } from '../kernel/session.js';
import { atNextTurn, isReal, isReplaced, linkMsOf, sleep as realSleep, stallMs } from '../kernel/sleep.js';
import { monotonicNow, noteStall } from '../kernel/stalls.js';
import type { Cancel, Sleep } from '../kernel/timers.js';
import { turnLasts } from '../kernel/turn.js';

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

/** The session of the request: if its deadline does not count yet, it does from when the limit counts. */
type Begins = Pick<Session, 'begin' | 'hasBegun'>;

export type SharedSleep = (...given: [...Parameters<Sleep>, session?: Begins]) => Cancel;

/**
 * As `sleep`, for what is nearly always cancelled a moment later. It counts from the end of the turn on, so what is
 * cancelled by then reads no clock. At first, it has no timer of its own, but one with all others. Undefined: the caller
 * brings timers that are not to be shared.
 */
export function sharing(sleep: Sleep, now: () => number = monotonicNow): SharedSleep | undefined {
  // Where a test brings the time, it passes only between two looks.
  return now === monotonicNow && isReal(sleep) ? sleepSharing : undefined;
}

/** What others use of it, where this file is a part of the installation. */
export interface SharesTimers {
  readonly sharing: typeof sharing;
}

const sleepSharing: SharedSleep = (delayMs, wake, options, session) => {
  const limit: Young = {
    delayMs,
    session,
    isKeeper: options?.unref !== true,
    grow: undefined,
    // A deadline that counts already does not wait for the end of the turn.
    setAt: options?.judges === 'elapsed' && session?.hasBegun === true ? performance.now() : 0,
    among: undefined,
    place: 0,
  };
  let isCancelled = false;
  let cancel: Cancel | undefined;
  // A promise leads back to the async context of the request: functions of the caller's may hear of what follows.
  void new Promise<number>((grow) => {
    limit.grow = grow;
  }).then((stalledMs) => {
    if (isCancelled) return;
    const passedMs = performance.now() - limit.setAt - (options?.judges === 'awake' ? stalledMs : 0);
    // A test may have replaced the clock by one that begins anew.
    cancel = realSleep(delayMs - Math.max(0, passedMs), (moreMs = 0) => wake(stalledMs + moreMs), options);
  });
  join(justSet, limit);
  awaitEndOfTurn();
  return () => {
    isCancelled = true;
    leave(limit);
    cancel?.();
  };
};

interface Young {
  readonly delayMs: number;
  readonly session: Begins | undefined;
  readonly isKeeper: boolean;
  /** Gives it a timer of its own. This process has stood still for `stalledMs` of its first moments. */
  grow: ((stalledMs: number) => void) | undefined;
  /** From when it counts; 0: from the end of this turn. */
  setAt: number;
  /** The list that it is in, and its place there. */
  among: Young[] | undefined;
  place: number;
}

/** Those that were set in this turn. */
const justSet: Young[] = [];
/** Those that count. */
const counting: Young[] = [];
/** How many of these keep the process alive. */
let keepers = 0;

function join(among: Young[], limit: Young): void {
  limit.among = among;
  limit.place = among.push(limit) - 1;
}

function leave(limit: Young): void {
  const { among, place } = limit;
  if (among === undefined) return;
  limit.among = undefined;
  const last = among.pop();
  if (last !== undefined && last !== limit) {
    among[place] = last;
    last.place = place;
  }
  if (among === justSet) return;
  if (limit.isKeeper) keepers -= 1;
  if (keepers === 0) keepAlive();
}

const thisTurn = /* @__PURE__ */ Promise.resolve();
type NextTick = (call: () => void) => void;
/** The first one that has called. */
let nextTick: NextTick | undefined;
let isEndAwaited = false;

/** The turn ends when nothing is left that its promises have set off. */
function awaitEndOfTurn(): void {
  if (isEndAwaited) return;
  isEndAwaited = true;
  turnLasts(true);
  const whenOver = nextTick ?? firstTick;
  // That of an edge runtime may be there only to throw.
  void thisTurn.then(() => whenOver(turnEnds)).catch(turnEnds);
}

/** What a test has put in its place may never call anything. */
function firstTick(call: () => void): void {
  const { process }: { process?: { nextTick?: NextTick } } = globalThis;
  const given = process?.nextTick;
  if (given === undefined || isReplaced(given)) call();
  else {
    atNextTurn(call);
    given(() => {
      nextTick = given;
      call();
    });
  }
}

let timer: NodeJS.Timeout | undefined;
/** What has set the timer: a test may have replaced it since then. */
let setBy: typeof setTimeout | undefined;
let firesAt = 0;

function turnEnds(): void {
  isEndAwaited = false;
  turnLasts(false);
  if (justSet.length === 0) return;
  const now = performance.now();
  for (const limit of justSet.splice(0)) {
    const { delayMs, isKeeper, session } = limit;
    session?.begin(now);
    limit.setAt ||= now;
    join(counting, limit);
    if (isKeeper) keepers += 1;
    // A time that is over already cannot be late.
    const linkEndsAt = limit.setAt + Math.max(0, Math.min(delayMs, linkMsOf(delayMs)));
    if (timer === undefined || setBy !== setTimeout || linkEndsAt < firesAt) {
      clearTimeout(timer);
      firesAt = linkEndsAt;
      setBy = setTimeout;
      timer = setTimeout(growAll, Math.max(0, linkEndsAt - now));
    }
  }
  keepAlive();
}

function keepAlive(): void {
  if (typeof timer === 'object') timer[keepers > 0 ? 'ref' : 'unref']();
  // In Deno and in pages that a test makes, it is a number.
  else if (counting.length === 0) {
    clearTimeout(timer);
    timer = undefined;
  }
}

function growAll(): void {
  const now = performance.now();
  const isLate = now - firesAt > stallMs;
  if (isLate) noteStall(firesAt, now);
  keepers = 0;
  timer = undefined;
  for (const limit of counting.splice(0)) {
    limit.among = undefined;
    limit.grow?.(isLate ? now - Math.max(firesAt, limit.setAt) : 0);
  }
}
