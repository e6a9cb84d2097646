/**
 * What happens next: events in the order of their times and, within one instant, in the order in which they were
 * planned. One that has become outdated stays until its time comes: its stamp shows that it is.
 */

/** `subject`: whom the event is about. */
export type Handler = (subject: number, stamp: number) => void;

/** A binary heap, field by field in arrays: no object for any of the millions of events. */
export class Agenda {
  /** Virtual time in ms. */
  now = 0;
  /** How many events have happened. */
  happened = 0;
  private planned = 0;
  private size = 0;
  private readonly times: number[] = [];
  private readonly orders: number[] = [];
  private readonly handlers: Handler[] = [];
  private readonly subjects: number[] = [];
  private readonly stamps: number[] = [];

  /** What is planned for the past happens now, after what was planned for now before. */
  at(time: number, handler: Handler, subject: number, stamp: number): void {
    const at = time > this.now ? time : this.now;
    let place = this.size;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if ((this.times[parent] as number) <= at) break;
      this.move(parent, place);
      place = parent;
    }
    this.times[place] = at;
    this.orders[place] = this.planned;
    this.handlers[place] = handler;
    this.subjects[place] = subject;
    this.stamps[place] = stamp;
    this.planned += 1;
    this.size += 1;
  }

  /** Everything that happens up to then, that instant included. */
  run(untilMs: number): void {
    while (this.size > 0 && (this.times[0] as number) <= untilMs) {
      const handler = this.handlers[0] as Handler;
      const subject = this.subjects[0] as number;
      const stamp = this.stamps[0] as number;
      this.now = this.times[0] as number;
      this.happened += 1;
      this.dropFirst();
      handler(subject, stamp);
    }
    this.now = untilMs;
  }

  /** The last one takes its place, as far down as it belongs. */
  private dropFirst(): void {
    this.size -= 1;
    const last = this.size;
    let place = 0;
    for (let child = 1; child < last; child = place * 2 + 1) {
      if (child + 1 < last && this.isBefore(child + 1, child)) child += 1;
      if (this.isBefore(last, child)) break;
      this.move(child, place);
      place = child;
    }
    this.move(last, place);
  }

  private isBefore(place: number, other: number): boolean {
    const { times, orders } = this;
    const time = times[place] as number;
    const otherTime = times[other] as number;
    return time < otherTime || (time === otherTime && (orders[place] as number) < (orders[other] as number));
  }

  private move(from: number, to: number): void {
    const { times, orders, handlers, subjects, stamps } = this;
    times[to] = times[from] as number;
    orders[to] = orders[from] as number;
    handlers[to] = handlers[from] as Handler;
    subjects[to] = subjects[from] as number;
    stamps[to] = stamps[from] as number;
  }
}
