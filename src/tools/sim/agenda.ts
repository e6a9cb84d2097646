/**
 * What happens next. Events are numbers in typed arrays: no object and no closure for any of the millions of them.
 *
 * Most delays are the same ones again and again (a timeout, a check every 50 ms): what is put on a lane comes off
 * it in the same order. The rest goes round on a wheel, or, where it is far off, into a heap. Events of one instant
 * happen in the order in which they were planned.
 */

import { EventHeap } from './event-heap.js';
import { Lane } from './lane.js';
import { Wheel } from './wheel.js';

/** What to do with an event: whom it is about, and a mark by which an outdated one is known. */
export type Handler = (subject: number, stamp: number) => void;

/** Of events: the number of their handler. */
export type Kind = number;

export class Agenda {
  /** Virtual time in ms. */
  now = 0;
  /** How many events have happened. */
  happened = 0;
  private planned = 0;
  private readonly handlers: Handler[] = [];
  private readonly heap: EventHeap = new EventHeap();
  private readonly wheel: Wheel = new Wheel();
  private readonly lanes: Lane[] = [];

  kind(handler: Handler): Kind {
    return this.handlers.push(handler) - 1;
  }

  at(time: number, kind: Kind, subject: number, stamp: number): void {
    // Nothing happens in the past; what is planned for now happens after what was planned before.
    const at = time > this.now ? time : this.now;
    const queue = this.wheel.holds(at) ? this.wheel : this.heap;
    queue.push(at, this.planned++, kind, subject, stamp);
  }

  /** For events of one kind that always come after the same delay. */
  lane(delayMs: number, kind: Kind): Lane {
    const known = this.lanes.find((lane) => lane.delayMs === delayMs && lane.kind === kind);
    if (known !== undefined) return known;
    const lane = new Lane(delayMs, kind);
    this.lanes.push(lane);
    return lane;
  }

  later(lane: Lane, subject: number, stamp: number): void {
    lane.push(this.now + lane.delayMs, this.planned++, subject, stamp);
  }

  /** Everything that happens up to then, that instant included. */
  run(untilMs: number): void {
    for (let queue = this.first(untilMs); queue.time <= untilMs; queue = this.first(untilMs)) {
      const { kind, subject, stamp } = queue;
      this.now = queue.time;
      this.happened += 1;
      queue.drop();
      (this.handlers[kind] as Handler)(subject, stamp);
    }
    this.now = untilMs;
  }

  /** The queue whose first event is the next one. */
  private first(untilMs: number): Lane | Wheel | EventHeap {
    const { heap, wheel, lanes } = this;
    let first: Lane | Wheel | EventHeap = heap;
    for (let index = 0; index < lanes.length; index += 1) {
      const lane = lanes[index] as Lane;
      if (isBefore(lane, first)) first = lane;
    }
    // No farther than that, since more may be planned for before it.
    wheel.turn(Math.min(first.time, untilMs));
    return isBefore(wheel, first) ? wheel : first;
  }
}

function isBefore(one: Lane | Wheel | EventHeap, other: Lane | Wheel | EventHeap): boolean {
  return one.time < other.time || (one.time === other.time && one.order < other.order);
}
