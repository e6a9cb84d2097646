/**
 * The events to come, in the order of their times and, within one instant, in the order in which they were planned. An
 * outdated event stays until its time comes: its stamp shows that it is outdated.
 */

/** `subject`: the number of what the event is about. */
export type Handler = (subject: number, stamp: number) => void;

/** A binary heap with an array for each field, so that millions of events need no object each. */
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

  /** An event in the past happens now, after all events that are already planned for now. */
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

  /** Runs all events up to that instant and at it. */
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

  /**
   * Moves the last event to the top, and then as far down as it belongs. Every event comes through here, so it calls
   * nothing: what the engine inlines elsewhere does not change how long this takes.
   */
  private dropFirst(): void {
    const { times, orders, handlers, subjects, stamps } = this;
    this.size -= 1;
    const last = this.size;
    const time = times[last] as number;
    const order = orders[last] as number;
    let place = 0;
    for (let child = 1; child < last; child = place * 2 + 1) {
      let least = times[child] as number;
      const other = times[child + 1] as number;
      const isSecond =
        child + 1 < last &&
        (other < least || (other === least && (orders[child + 1] as number) < (orders[child] as number)));
      if (isSecond) {
        child += 1;
        least = other;
      }
      if (time < least || (time === least && order < (orders[child] as number))) break;
      times[place] = least;
      orders[place] = orders[child] as number;
      handlers[place] = handlers[child] as Handler;
      subjects[place] = subjects[child] as number;
      stamps[place] = stamps[child] as number;
      place = child;
    }
    times[place] = time;
    orders[place] = order;
    handlers[place] = handlers[last] as Handler;
    subjects[place] = subjects[last] as number;
    stamps[place] = stamps[last] as number;
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
