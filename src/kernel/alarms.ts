/**
 * Alarms that are nearly always taken back before they ring share one timer: a timer for each of them would cost more
 * than everything else that a request does.
 */

import type { Ports } from './ports.js';
import { judging } from './timers.js';

/** Something to be done later. It is a link of the list itself, so that setting it allocates nothing. */
export interface Alarm {
  /** Infinity: it is not set. */
  dueAt: number;
  earlier: Alarm | undefined;
  later: Alarm | undefined;
  ring(): void;
}

const unrefed = /* @__PURE__ */ judging('elapsed', true);

/** The class without its private parts: types of another copy of this package fit, too. */
export type NewAlarms = new (ports: Pick<Ports, 'now' | 'sleep'>) => Pick<Alarms, 'set' | 'clear'>;

export class Alarms {
  private readonly ports: Pick<Ports, 'now' | 'sleep'>;
  private first: Alarm | undefined = undefined;
  private last: Alarm | undefined = undefined;
  /** When the timer fires. While there are other alarms, it is not moved if its own is taken back, but when it fires. */
  private timedFor: number = Number.POSITIVE_INFINITY;
  private cancel: (() => void) | undefined = undefined;
  private isStopping = false;

  constructor(ports: Pick<Ports, 'now' | 'sleep'>) {
    this.ports = ports;
  }

  /** `now` is the time of the call, which the caller knows already. */
  set(alarm: Alarm, dueAt: number, now: number): void {
    alarm.dueAt = dueAt;
    // Alarms of about the same delay come in order, so this takes hardly a step.
    let earlier = this.last;
    while (earlier !== undefined && earlier.dueAt > dueAt) earlier = earlier.earlier;
    this.link(alarm, earlier);
    if (dueAt < this.timedFor) this.setTimer(dueAt, now);
  }

  clear(alarm: Alarm): void {
    if (alarm.dueAt === Number.POSITIVE_INFINITY) return;
    const { earlier, later } = alarm;
    if (earlier === undefined) this.first = later;
    else earlier.later = later;
    if (later === undefined) this.last = earlier;
    else later.earlier = earlier;
    alarm.earlier = undefined;
    alarm.later = undefined;
    alarm.dueAt = Number.POSITIVE_INFINITY;
    if (this.first === undefined && !this.isStopping) this.stopSoon();
  }

  private link(alarm: Alarm, earlier: Alarm | undefined): void {
    const later = earlier === undefined ? this.first : earlier.later;
    alarm.earlier = earlier;
    alarm.later = later;
    if (earlier === undefined) this.first = alarm;
    else earlier.later = alarm;
    if (later === undefined) this.last = alarm;
    else later.earlier = alarm;
  }

  /** The timer does not keep the process alive: an alarm is only ever about a request that is out. */
  private setTimer(dueAt: number, now: number): void {
    this.stopTimer();
    this.timedFor = dueAt;
    this.cancel = this.ports.sleep(dueAt - now, (stalledMs = 0) => this.ringDue(stalledMs), unrefed);
  }

  /** Once this turn's code has run: the next request often follows at once, and can use the timer. */
  private stopSoon(): void {
    this.isStopping = true;
    queueMicrotask(() => {
      this.isStopping = false;
      if (this.first === undefined) this.stopTimer();
    });
  }

  /** This process stood still: what the alarms are about has had that much less time. */
  private postpone(ms: number): void {
    for (let alarm = this.first; alarm !== undefined; alarm = alarm.later) alarm.dueAt += ms;
  }

  private stopTimer(): void {
    this.cancel?.();
    this.cancel = undefined;
    this.timedFor = Number.POSITIVE_INFINITY;
  }

  private ringDue(stalledMs: number): void {
    const now = this.ports.now();
    if (stalledMs > 0) this.postpone(stalledMs);
    this.cancel = undefined;
    this.timedFor = Number.POSITIVE_INFINITY;
    try {
      for (let { first } = this; first !== undefined && first.dueAt <= now; { first } = this) {
        this.clear(first);
        first.ring();
      }
    } finally {
      const { first } = this;
      if (first !== undefined && first.dueAt < this.timedFor) this.setTimer(first.dueAt, now);
    }
  }
}
