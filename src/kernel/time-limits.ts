/**
 * The time limits of requests and their attempts, for clients of Node, whose timers are objects. Nearly all are taken back
 * before they are over, so those of the same length share one timer, and one that is set and taken back in the same turn
 * reads no clock. Apart from that, they judge as `sleep` does.
 */

import { Line, type Linked } from './line.js';
import type { Ports } from './ports.js';
import { isReal, linkMsOf, mostStalls, readFirst, stallMs } from './sleep.js';
import { noteStall } from './stalls.js';
import { type Judges, judging, type Sleep, unref } from './timers.js';
import { type AwaitsTurn, atEndOfTurn, endOfTurn, isTurnEnding, leaveTurn } from './turn.js';

/** It begins to count at the end of the turn in which it is set. */
export abstract class TimeLimit implements AwaitsTurn, Linked<TimeLimit> {
  /** In whole milliseconds, rounded up. */
  dueAt = 0;
  awaitsTurn = false;
  earlier: TimeLimit | undefined = undefined;
  later: TimeLimit | undefined = undefined;
  /** What would take it back; undefined: it is not set. */
  running: SharedTimer | (() => void) | undefined = undefined;
  stalls: Stalls = noStalls;

  /** How long it is. */
  abstract readonly lastsMs: number;

  /** `stalledMs`: for how long this process has stood still meanwhile. */
  abstract over(stalledMs: number): void;

  turnEnds(): void {
    if (this.running instanceof SharedTimer) this.running.set(this);
  }

  stop(): void {
    const { running } = this;
    if (running === undefined) return;
    this.running = undefined;
    if (typeof running === 'function') running();
    else if (this.awaitsTurn) leaveTurn(this);
    else running.remove(this);
  }

  /** The process stood still from `from` to `to`. */
  stoodStill(from: number, to: number, judges: Judges): void {
    const { ms, times } = this.stalls;
    const since = Math.max(from, this.dueAt - this.lastsMs - (judges === 'awake' ? ms : 0));
    // A time that is over already cannot be late.
    if (since >= to || !(this.lastsMs > 0)) return;
    this.stalls = { ms: ms + to - since, times: times + 1 };
    if (judges === 'awake' && times < mostStalls) this.dueAt += Math.ceil(to - since);
  }

  ends(stalledMs: number): void {
    this.running = undefined;
    this.over(stalledMs);
  }
}

interface Stalls {
  readonly ms: number;
  readonly times: number;
}

const noStalls: Stalls = { ms: 0, times: 0 };

class SharedTimer implements AwaitsTurn {
  readonly key: number;
  awaitsTurn = false;
  private readonly judges: Judges;
  private readonly unref: boolean;
  /** In whole milliseconds, rounded up. */
  private readonly ms: number;
  /** How often it looks whether this process stands still. */
  private readonly lookMs: number;
  /** In order of time, since all last equally long. */
  private readonly line: Line<TimeLimit> = new Line();
  private timer: NodeJS.Timeout | undefined = undefined;
  /** What has set the timer: a test may have replaced it since then, and with it the time. */
  private setBy: typeof setTimeout | undefined = undefined;
  private firesAt = 0;
  /** The timer was set when the one before it fired, so it has the async context of a request that may be long over. */
  private isCarriedOn = false;

  constructor(key: number, ms: number, judges: Judges, unref: boolean) {
    this.key = key;
    this.ms = ms;
    this.judges = judges;
    this.unref = unref;
    this.lookMs = linkMsOf(ms);
  }

  /** It begins to count. */
  set(limit: TimeLimit): void {
    const { line } = this;
    const now = endOfTurn();
    limit.dueAt = Math.ceil(now) + this.ms;
    limit.stalls = noStalls;
    line.putAfter(line.last, limit);
    const { first = limit } = line;
    // One that is late will tell how long the process has stood still.
    const isWanted = !this.isCarriedOn || this.firesAt < now;
    if (this.setBy !== setTimeout || this.firesAt > first.dueAt || !isWanted) {
      clearTimeout(this.timer);
      this.setTimer(first.dueAt, now);
      this.isCarriedOn = false;
    } else if (first === limit && !this.unref && typeof this.timer === 'object') this.timer.ref();
  }

  remove(limit: TimeLimit): void {
    const { line } = this;
    line.remove(limit);
    if (line.first === undefined && !this.awaitsTurn) atEndOfTurn(this);
  }

  /** In this turn, another limit may have been set since the last one was taken back. */
  turnEnds(): void {
    if (this.line.first === undefined) this.rest();
  }

  // -------------------------------------------------------------- the timer

  private setTimer(dueAt: number, now: number): void {
    this.firesAt = Math.min(dueAt, now + this.lookMs);
    this.setBy = setTimeout;
    this.timer = setTimeout(SharedTimer.fire, Math.max(0, Math.ceil(this.firesAt - now)), this);
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
    this.setBy = undefined;
    timers.delete(this.key);
    if (newestAwake === this) newestAwake = undefined;
    if (newestElapsed === this) newestElapsed = undefined;
  }

  private static fire(timer: SharedTimer): void {
    timer.look();
  }

  private look(): void {
    const { line, firesAt } = this;
    if (line.first === undefined) {
      this.leave();
      return;
    }
    const clock = performance.now();
    // If the clock is behind by more than the fraction of a millisecond by which timers may be early, it is coarse or fake.
    const now = clock < firesAt - 1 ? firesAt : clock;
    const isLate = now - firesAt > stallMs;
    if (isLate) this.stoodStill(now);
    for (let { first } = line; first !== undefined && first.dueAt <= now; { first } = line) {
      line.remove(first);
      endOnceRead(first, isLate ? 2 : 1);
    }
    if (line.first === undefined) this.leave();
    else {
      this.setTimer(line.first.dueAt, now);
      this.isCarriedOn = true;
    }
  }

  private stoodStill(now: number): void {
    noteStall(this.firesAt, now);
    for (let limit = this.line.first; limit !== undefined; limit = limit.later)
      limit.stoodStill(this.firesAt, now, this.judges);
  }
}

function endOnceRead(limit: TimeLimit, turns: number): void {
  const reading = (): void => undefined;
  limit.running = reading;
  // Meanwhile, it may be taken back, and set again.
  readFirst(turns, () => limit.running === reading && limit.ends(limit.stalls.ms));
}

// ---------------------------------------------------------------- one timer for each length

const timers: Map<number, SharedTimer> = /* @__PURE__ */ new Map();
/** A request has a deadline and a limit for its attempt, of the same two lengths as the one before. */
let newestAwake: SharedTimer | undefined;
let newestElapsed: SharedTimer | undefined;
/** Programs have limits of a few lengths, or of a new one for each request. */
const mostIdle = 20;

/** Sets a limit; `stop` takes it back. */
export function setLimit(
  limit: TimeLimit,
  ports: Pick<Ports, 'sleep'>,
  judges: Judges,
  unref: boolean,
): void {
  limit.stop();
  if (!isReal(ports.sleep)) sleepOut(limit, ports.sleep, judges, unref);
  else {
    const shared = sharedFor(limit.lastsMs, judges, unref);
    limit.running = shared;
    if (isTurnEnding()) shared.set(limit);
    else atEndOfTurn(limit);
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
