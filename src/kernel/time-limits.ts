/**
 * The time limits of requests and their attempts, for clients of Node, whose timers are objects. Nearly all are taken back
 * before they are over, so those of the same length share one timer, and one that is set and taken back in the same turn
 * reads no clock. Apart from that, they judge as `sleep` does.
 */

import type { Ports } from './ports.js';
import { isFake, linkMsOf, mostStalls, readFirst, sleep, stallMs } from './sleep.js';
import { noteStall } from './stalls.js';
import { type Judges, judging, type Sleep, unref } from './timers.js';
import { atEndOfTurn, endOfTurn } from './turn.js';

/** It is a link of the list that it is in, so that setting it allocates nothing. */
export abstract class TimeLimit {
  /** In whole milliseconds, rounded up; 0: it was set in this turn, at whose end it begins to count. */
  dueAt = 0;
  earlier: TimeLimit | undefined = undefined;
  later: TimeLimit | undefined = undefined;
  /** What would take it back; undefined: it is not set. */
  running: SharedTimer | (() => void) | undefined = undefined;
  private stalls: Stalls | undefined = undefined;

  /** How long it is. */
  abstract readonly lastsMs: number;

  /** It begins to count. */
  begins(_now: number): void {}

  /** `stalledMs`: for how long this process has stood still meanwhile. */
  abstract over(stalledMs: number): void;

  /** It was set in this turn. */
  get isFresh(): boolean {
    return typeof this.running === 'object' && this.dueAt === 0;
  }

  stop(): void {
    const { running } = this;
    if (running === undefined) return;
    this.running = undefined;
    this.stalls = undefined;
    if (typeof running === 'function') running();
    else running.remove(this);
  }

  /** The process stood still from `from` to `to`. */
  stoodStill(from: number, to: number, judges: Judges): void {
    const { ms, times } = this.stalls ?? { ms: 0, times: 0 };
    const since = Math.max(from, this.dueAt - this.lastsMs - (judges === 'awake' ? ms : 0));
    // A time that is over already cannot be late.
    if (since >= to || !(this.lastsMs > 0)) return;
    this.stalls = { ms: ms + to - since, times: times + 1 };
    if (judges === 'awake' && times < mostStalls) this.dueAt += Math.ceil(to - since);
  }

  ends(stalledMs: number = this.stalls?.ms ?? 0): void {
    this.running = undefined;
    this.stalls = undefined;
    this.over(stalledMs);
  }
}

interface Stalls {
  readonly ms: number;
  readonly times: number;
}

class SharedTimer {
  readonly key: number;
  private readonly judges: Judges;
  private readonly unref: boolean;
  /** How often it looks whether this process stands still. */
  private readonly lookMs: number;
  /** In order of time, since all last equally long. */
  private first: TimeLimit | undefined = undefined;
  private last: TimeLimit | undefined = undefined;
  /** The first of those that were set in this turn. They are the last ones. */
  private fresh: TimeLimit | undefined = undefined;
  private isTurnAwaited = false;
  private timer: NodeJS.Timeout | undefined = undefined;
  /** What has set the timer: a test may have replaced it since then, and with it the time. */
  private setBy: typeof setTimeout | undefined = undefined;
  private firesAt = 0;

  constructor(key: number, ms: number, judges: Judges, unref: boolean) {
    this.key = key;
    this.judges = judges;
    this.unref = unref;
    this.lookMs = linkMsOf(ms);
  }

  /** It begins to count at the end of this turn. */
  set(limit: TimeLimit): void {
    const { last } = this;
    limit.running = this;
    limit.dueAt = 0;
    limit.earlier = last;
    if (last === undefined) this.first = limit;
    else last.later = limit;
    this.last = limit;
    this.fresh ??= limit;
    this.awaitEndOfTurn();
  }

  remove(limit: TimeLimit): void {
    this.unlink(limit);
    if (this.first === undefined) this.awaitEndOfTurn();
  }

  private unlink(limit: TimeLimit): void {
    const { earlier, later } = limit;
    if (limit === this.fresh) this.fresh = later;
    if (earlier === undefined) this.first = later;
    else earlier.later = later;
    if (later === undefined) this.last = earlier;
    else later.earlier = earlier;
    limit.earlier = undefined;
    limit.later = undefined;
  }

  private awaitEndOfTurn(): void {
    if (this.isTurnAwaited) return;
    this.isTurnAwaited = true;
    atEndOfTurn(this);
  }

  /** Most of what was set in this turn may be over, and the timer is set, or left, once for all the rest. */
  turnEnds(): void {
    this.isTurnAwaited = false;
    if (this.first === undefined) {
      this.rest();
      return;
    }
    const now = endOfTurn();
    this.begin(now);
    this.fireBy(this.first.dueAt, now);
  }

  private begin(now: number): void {
    for (let { fresh } = this; fresh !== undefined; fresh = this.fresh) {
      this.fresh = fresh.later;
      fresh.dueAt = Math.ceil(now + (fresh.lastsMs > 0 ? fresh.lastsMs : 0));
      fresh.begins(now);
    }
  }

  // -------------------------------------------------------------- the timer

  private fireBy(dueAt: number, now: number): void {
    if (this.timer !== undefined && this.setBy === setTimeout && this.firesAt <= dueAt) {
      if (!this.unref && typeof this.timer === 'object') this.timer.ref();
      return;
    }
    clearTimeout(this.timer);
    this.setTimer(Math.min(dueAt, now + this.lookMs), now);
  }

  private setTimer(firesAt: number, now: number): void {
    this.firesAt = firesAt;
    this.setBy = setTimeout;
    this.timer = setTimeout(SharedTimer.fire, Math.max(0, Math.ceil(firesAt - now)), this);
    if (this.unref) unref(this.timer);
  }

  /** Nothing is left. The next limit can use the timer if it comes soon; meanwhile it keeps no process alive. */
  private rest(): void {
    const { timer } = this;
    if (typeof timer === 'object') timer.unref();
    // In Deno and in pages that a test makes, it is a number.
    else if (timer !== undefined || timers.size > mostIdle) {
      clearTimeout(timer);
      this.leave();
    }
  }

  private leave(): void {
    this.timer = undefined;
    timers.delete(this.key);
    if (newestAwake === this) newestAwake = undefined;
    if (newestElapsed === this) newestElapsed = undefined;
  }

  private static fire(timer: SharedTimer): void {
    timer.look();
  }

  private look(): void {
    if (this.first === undefined) {
      this.leave();
      return;
    }
    const { firesAt } = this;
    const clock = performance.now();
    // If the clock is behind by more than the fraction of a millisecond by which timers may be early, it is coarse or fake.
    const now = clock < firesAt - 1 ? firesAt : clock;
    const isLate = now - firesAt > stallMs;
    if (isLate) this.stoodStill(now);
    this.timer = undefined;
    this.endDue(now, isLate ? 2 : 1);
    if (this.first === undefined) this.leave();
    else this.setTimer(Math.min(this.first.dueAt, now + this.lookMs), now);
  }

  private stoodStill(now: number): void {
    noteStall(this.firesAt, now);
    for (let limit = this.first; limit !== undefined; limit = limit.later)
      limit.stoodStill(this.firesAt, now, this.judges);
  }

  private endDue(now: number, turns: number): void {
    for (
      let { first } = this;
      first !== undefined && first !== this.fresh && first.dueAt <= now;
      { first } = this
    ) {
      this.unlink(first);
      endOnceRead(first, turns);
    }
  }
}

function endOnceRead(limit: TimeLimit, turns: number): void {
  let isTakenBack = false;
  limit.running = () => {
    isTakenBack = true;
  };
  readFirst(turns, () => isTakenBack || limit.ends());
}

// ---------------------------------------------------------------- one timer for each length

const timers: Map<number, SharedTimer> = /* @__PURE__ */ new Map();
/** A request has a deadline and a limit for its attempt, of the same two lengths as the one before. */
let newestAwake: SharedTimer | undefined;
let newestElapsed: SharedTimer | undefined;
/** Programs have limits of a few lengths, or of a new one for each request. */
const mostIdle = 20;

/** Sets a limit; `stop` takes it back. Tests bring timers of their own, or have replaced those of the platform. */
export function setLimit(
  limit: TimeLimit,
  { now, sleep: given }: Pick<Ports, 'now' | 'sleep'>,
  judges: Judges,
  unref: boolean,
): void {
  limit.stop();
  if (given === sleep && !isFake()) sharedFor(limit.lastsMs, judges, unref).set(limit);
  else {
    limit.begins(now());
    sleepOut(limit, given, judges, unref);
  }
}

/** A function of its own: one that creates closures allocates room for their variables at each call. */
function sleepOut(limit: TimeLimit, given: Sleep, judges: Judges, unref: boolean): void {
  limit.running = given(limit.lastsMs, (stalledMs = 0) => limit.ends(stalledMs), judging(judges, unref));
}

function sharedFor(lastsMs: number, judges: Judges, unref: boolean): SharedTimer {
  const ms = lastsMs > 0 ? Math.ceil(lastsMs) : 0;
  const key = 4 * ms + (judges === 'awake' ? 2 : 0) + (unref ? 1 : 0);
  const last = judges === 'awake' ? newestAwake : newestElapsed;
  if (last?.key === key) return last;
  const shared = timers.get(key) ?? new SharedTimer(key, ms, judges, unref);
  timers.set(key, shared);
  if (judges === 'awake') newestAwake = shared;
  else newestElapsed = shared;
  return shared;
}
