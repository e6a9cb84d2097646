/**
 * Alarms that are nearly always taken back before they ring share one timer: a timer for each of them would cost more
 * than everything else that a request does.
 */

import { Line, type Linked } from './line.js';
import type { Ports } from './ports.js';
import { isReal } from './sleep.js';
import { monotonicNow, stalledSince } from './stalls.js';
import { judging } from './timers.js';
import { type AwaitsTurn, atEndOfTurn, endOfTurn } from './turn.js';

// ---------------------------------------------------------------- what was sent in this turn

/** An attempt that is timed from when it was sent. */
export interface JustSent {
  /** It was sent in this turn, which has not ended. */
  isJustSent: boolean;
  /** That turn has ended. It was sent at `sentAt` or later in that turn, which ended at `now`. */
  begins(sentAt: number, now: number): void;
}

/** Most attempts in a turn cost no look at the clock. One that is answered in the same turn is not timed at all. */
class SentInTurn implements AwaitsTurn {
  awaitsTurn = false;
  private readonly sent: JustSent[] = [];
  private firstAt = 0;
  private count = 0;

  add(one: JustSent): void {
    if (this.count === 0) {
      this.firstAt = monotonicNow();
      atEndOfTurn(this);
    }
    this.count += 1;
    one.isJustSent = true;
    this.sent.push(one);
  }

  remove(one: JustSent): void {
    one.isJustSent = false;
    const { sent } = this;
    if (sent[sent.length - 1] === one) sent.pop();
  }

  turnEnds(): void {
    const { sent, firstAt, count } = this;
    this.count = 0;
    if (sent.length === 0) return;
    const now = count === 1 ? firstAt : endOfTurn();
    let told = 0;
    try {
      for (const one of sent) {
        told += 1;
        if (!one.isJustSent) continue;
        one.isJustSent = false;
        one.begins(firstAt, now);
      }
    } finally {
      sent.splice(0, told);
      // One has thrown. The others begin nevertheless.
      if (sent.length > 0) atEndOfTurn(this);
    }
  }
}

export const sentInTurn: SentInTurn = new SentInTurn();

/** Not where a test brings the time: there, it passes only between two looks. */
export function mayBeginLater({ now, sleep }: Pick<Ports, 'now' | 'sleep'>): boolean {
  return now === monotonicNow && isReal(sleep);
}

// ---------------------------------------------------------------- what is to be done later

export interface Alarm extends Linked<Alarm> {
  /** Undefined: it is not set. So it needs no room for a number before. */
  dueAt: number | undefined;
  ring(): void;
}

const unrefed = /* @__PURE__ */ judging('elapsed', true);

/** The class without its private parts: types of another copy of this package fit, too. */
export type NewAlarms = new (ports: Pick<Ports, 'now' | 'sleep'>) => Pick<Alarms, 'set' | 'clear'>;

export class Alarms {
  private readonly ports: Pick<Ports, 'now' | 'sleep'>;
  private readonly line: Line<Alarm> = new Line();
  /** When the timer fires. It is not moved if its own alarm is taken back, but when it fires. */
  private timedFor: number = Infinity;
  /** What has set the timer: a test may have replaced it since then, and with it the time. */
  private setBy: typeof setTimeout | undefined = undefined;
  private cancel: (() => void) | undefined = undefined;
  private isStopping = false;
  /** The timer was set for an alarm that was taken back, and then there was none until this time. */
  private reusedAt: number | undefined = undefined;
  /** The timer was set when the one before it fired, so it has the async context of a request that may be long over. */
  private isCarriedOn = false;

  constructor(ports: Pick<Ports, 'now' | 'sleep'>) {
    this.ports = ports;
  }

  /** `now` is the time of the call, which the caller knows already. */
  set(alarm: Alarm, dueAt: number, now: number): void {
    alarm.dueAt = dueAt;
    if (this.line.first === undefined) {
      this.reusedAt = now;
      if (this.isCarriedOn) this.stopTimer();
    }
    // Alarms of about the same delay come in order, so this takes hardly a step.
    let earlier = this.line.last;
    while (earlier !== undefined && timeOf(earlier) > dueAt) earlier = earlier.earlier;
    this.line.putAfter(earlier, alarm);
    if (dueAt < this.timedFor || this.setBy !== setTimeout) this.setTimer(dueAt, now);
    // One that is late will tell how long the process has stood still.
    else if (this.isCarriedOn && now <= this.timedFor) this.setTimer(this.timedFor, now);
  }

  clear(alarm: Alarm): void {
    if (alarm.dueAt === undefined) return;
    this.line.remove(alarm);
    alarm.dueAt = undefined;
    // The next request, which can use the timer, often follows when this one has an answer. A test counts what is left.
    if (this.line.first === undefined && !this.isStopping && !mayBeginLater(this.ports)) this.stopSoon();
  }

  /** The timer does not keep the process alive: an alarm is only ever about a request that is out. */
  private setTimer(dueAt: number, now: number): void {
    this.stopTimer();
    this.timedFor = dueAt;
    this.setBy = setTimeout;
    this.reusedAt = undefined;
    this.isCarriedOn = false;
    this.cancel = this.ports.sleep(dueAt - now, (stalledMs = 0) => this.ringDue(stalledMs), unrefed);
  }

  /** Once this turn's code has run: the next request often follows at once, and can use the timer. */
  private stopSoon(): void {
    this.isStopping = true;
    queueMicrotask(() => {
      this.isStopping = false;
      if (this.line.first === undefined) this.stopTimer();
    });
  }

  /** This process stood still: what the alarms are about has had that much less time. */
  private postpone(ms: number): void {
    for (let alarm = this.line.first; alarm !== undefined; alarm = alarm.later)
      alarm.dueAt = timeOf(alarm) + ms;
  }

  private stopTimer(): void {
    this.cancel?.();
    this.cancel = undefined;
    this.timedFor = Infinity;
  }

  private ringDue(given: number): void {
    const now = this.ports.now();
    const { reusedAt } = this;
    // What was set since then has not lost the time before it.
    const stalledMs =
      reusedAt === undefined ? given : Math.min(given, stalledSince(this.ports.now, reusedAt));
    if (stalledMs > 0) this.postpone(stalledMs);
    this.cancel = undefined;
    this.timedFor = Infinity;
    try {
      for (let { first } = this.line; first !== undefined && timeOf(first) <= now; { first } = this.line) {
        this.clear(first);
        first.ring();
      }
    } finally {
      const { first } = this.line;
      if (first !== undefined && timeOf(first) < this.timedFor) {
        this.setTimer(timeOf(first), now);
        this.isCarriedOn = true;
      }
    }
  }
}

/** For one that is set. */
function timeOf({ dueAt = 0 }: Alarm): number {
  return dueAt;
}
