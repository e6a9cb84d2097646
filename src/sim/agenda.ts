/**
 * What happens next. Events are numbers in typed arrays: no object and no closure for any of the millions of them.
 *
 * Most delays are the same ones again and again (a timeout, a check every 50 ms): what is put on a lane comes off
 * it in the same order, so that only the rest needs a heap. Events of one instant happen in the order in which
 * they were planned.
 */

import { EventHeap } from './event-heap.js';
import { Lane } from './lane.js';

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
  private readonly lanes: Lane[] = [];

  kind(handler: Handler): Kind {
    return this.handlers.push(handler) - 1;
  }

  at(time: number, kind: Kind, subject: number, stamp: number): void {
    // Nothing happens in the past; what is planned for now happens after what was planned before.
    this.heap.push(time > this.now ? time : this.now, this.planned++, kind, subject, stamp);
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
    const { heap, lanes } = this;
    for (;;) {
      let { time, order } = heap;
      let first: Lane | undefined;
      for (let index = 0; index < lanes.length; index += 1) {
        const lane = lanes[index] as Lane;
        if (lane.time < time || (lane.time === time && lane.order < order)) {
          first = lane;
          time = lane.time;
          order = lane.order;
        }
      }
      if (time > untilMs) break;
      this.now = time;
      this.happened += 1;
      if (first === undefined) this.happen(heap.kind, heap.subject, heap.stamp, heap);
      else this.happen(first.kind, first.subject, first.stamp, first);
    }
    this.now = untilMs;
  }

  private happen(kind: Kind, subject: number, stamp: number, from: Lane | EventHeap): void {
    from.drop();
    (this.handlers[kind] as Handler)(subject, stamp);
  }
}
