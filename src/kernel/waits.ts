/**
 * Waits of a client that may have 100,000 of them at a time. Those that end within the same millisecond share a timer, and
 * many that end at once are woken over several turns of the event loop: in between, it reads what has arrived.
 */

import { Line, type Linked } from './line.js';
import type { Ports } from './ports.js';
import { atNextTurn, isFake, isReplaced, longestTimerMs, sleep } from './sleep.js';
import { type Cancel, type SleepOptions, unref } from './timers.js';

/** It is a link of the list itself. Closures that do the same would take five times the memory. */
export interface Waiting extends Linked<Waiting> {
  /** Undefined: it does not wait. */
  waitsFor: Timer | undefined;
  /** The time is over. */
  wake(): void;
}

/** Shared, or its own. */
export type Timer = Pick<Bell, 'remove'> | Cancel;

const unrefed: SleepOptions = { unref: true };
const usual: SleepOptions = { unref: false };

export function beginWait(
  one: Waiting,
  { sleep: given }: Pick<Ports, 'sleep'>,
  ms: number,
  isUnref: boolean,
): void {
  const isShared = given === sleep && ms > 0 && ms <= longestTimerMs && !isFake() && !isFakeClock();
  if (isShared) bellIn(ms, isUnref).add(one);
  else one.waitsFor = given(ms, () => wake(one), isUnref ? unrefed : usual);
}

/** To cancel it again, or one that is over, changes nothing. */
export function endWait(one: Waiting): void {
  const { waitsFor } = one;
  one.waitsFor = undefined;
  if (typeof waitsFor === 'function') waitsFor();
  else waitsFor?.remove(one);
}

function wake(one: Waiting): void {
  one.waitsFor = undefined;
  one.wake();
}

// ---------------------------------------------------------------- one timer for many

/** By the millisecond in which they ring. */
type Bells = Map<number, Bell>;

const bells: Bells = /* @__PURE__ */ new Map();
/** These do not keep the process alive. */
const unrefedBells: Bells = /* @__PURE__ */ new Map();

function bellIn(ms: number, isUnref: boolean): Bell {
  const now = performance.now();
  const endsAt = now + ms;
  const among = isUnref ? unrefedBells : bells;
  const known = among.get(Math.floor(endsAt));
  if (known === undefined) return new Bell(among, endsAt, Math.ceil(ms));
  known.endsAt = Math.max(known.endsAt, endsAt);
  return known;
}

/** A timer may fire early by less than a millisecond, and the last wait ends later than the first one by less than that. */
const mostEarlyMs = 2;
/** After so many more timers of at least 1 ms, the time is certainly over. */
const mostRests = 3;

class Bell {
  /** When the last of them is over. */
  endsAt: number;
  private readonly line: Line<Waiting> = new Line();
  private readonly among: Bells;
  private readonly key: number;
  private timer: ReturnType<typeof setTimeout>;
  private rests = 0;

  constructor(among: Bells, endsAt: number, ms: number) {
    this.among = among;
    this.endsAt = endsAt;
    this.key = Math.floor(endsAt);
    among.set(this.key, this);
    this.timer = this.ringIn(ms);
  }

  private ringIn(ms: number): ReturnType<typeof setTimeout> {
    const timer = setTimeout(Bell.ring, ms, this);
    if (this.among === unrefedBells) unref(timer);
    return timer;
  }

  private static ring(bell: Bell): void {
    bell.rang(performance.now());
  }

  /** If the clock is behind by more, it is coarse, or fake. */
  private rang(now: number): void {
    const earlyMs = this.endsAt - now;
    if (earlyMs > 0 && earlyMs <= mostEarlyMs && this.rests < mostRests) {
      this.rests += 1;
      this.timer = this.ringIn(Math.ceil(earlyMs));
      return;
    }
    this.leave();
    wakeAll(this, now);
  }

  /** False: it has rung, or was silenced. Another one may ring in the same millisecond by now. */
  private leave(): boolean {
    return this.among.get(this.key) === this && this.among.delete(this.key);
  }

  add(one: Waiting): void {
    one.waitsFor = this;
    this.line.putAfter(this.line.last, one);
  }

  remove(one: Waiting): void {
    this.line.remove(one);
    if (this.isEmpty && this.leave()) clearTimeout(this.timer);
  }

  get isEmpty(): boolean {
    return this.line.first === undefined;
  }

  take(): Waiting | undefined {
    const { first } = this.line;
    if (first !== undefined) this.line.remove(first);
    return first;
  }
}

// ---------------------------------------------------------------- not all in one turn

/** Waits are woken for so long in one turn. Each may send a request, and all else has to wait meanwhile. */
const sliceMs = 0.1;
/** If all else takes long, they get this share of it, so that a busy process wakes them nevertheless. */
const shareOfTurn = 1 / 4;
/** Timers that fire in the same turn follow one another sooner than this. */
const sameTurnMs = 0.05;

/** Those whose time is over, in order. */
const rung: Bell[] = [];
let isNextTurnAwaited = false;
/** When the last slice of work has ended, and when it was to end. */
let endedAt = -Infinity;
let sliceEndsAt = -Infinity;

function wakeAll(bell: Bell, now: number): void {
  rung.push(bell);
  if (isNextTurnAwaited) return;
  if (Math.abs(now - endedAt) > sameTurnMs) sliceEndsAt = now + sliceMs;
  wakeSome();
}

function wakeMore(): void {
  isNextTurnAwaited = false;
  const now = performance.now();
  sliceEndsAt = now + Math.max(sliceMs, (now - endedAt) * shareOfTurn);
  wakeSome();
}

function wakeSome(): void {
  // A test that has replaced the timers meanwhile decides when there is another turn.
  const isAll = isFake() || isFakeClock();
  try {
    for (
      let one = takeRung();
      one !== undefined;
      one = isAll || endedAt < sliceEndsAt ? takeRung() : undefined
    ) {
      wake(one);
      endedAt = performance.now();
    }
  } finally {
    // One has thrown, or the time for this turn is over.
    if (rung.length > 0) {
      if (isAll) wakeSome();
      else awaitTurn();
    }
  }
}

function takeRung(): Waiting | undefined {
  for (let [bell] = rung; bell !== undefined; [bell] = rung) {
    const one = bell.take();
    if (bell.isEmpty) rung.shift();
    if (one !== undefined) return one;
  }
  return undefined;
}

function awaitTurn(): void {
  isNextTurnAwaited = true;
  const hasTurns = typeof setImmediate === 'function' && !isReplaced(setImmediate);
  if (!hasTurns || atNextTurn(wakeMore) === undefined) setTimeout(wakeMore);
}

// ---------------------------------------------------------------- whose clock it is

let known: unknown;
let isKnownFake = false;

/** Whether a test has replaced the clock, perhaps without the timers: it may stand still while they fire. */
function isFakeClock(): boolean {
  const { now } = performance;
  if (known !== now) {
    known = now;
    isKnownFake = isReplaced(now);
  }
  return isKnownFake;
}
