/** A queue of events that all come after the same delay: first in, first out, in a ring that grows. */

import type { Kind } from './agenda.js';

export class Lane {
  readonly delayMs: number;
  readonly kind: Kind;
  /** Of the first in the queue; never, where there is none. */
  time: number = Number.POSITIVE_INFINITY;
  order = 0;
  private times: Float64Array = new Float64Array(64);
  private orders: Float64Array = new Float64Array(64);
  private subjects: Int32Array = new Int32Array(64);
  private stamps: Int32Array = new Int32Array(64);
  private head = 0;
  private size = 0;

  constructor(delayMs: number, kind: Kind) {
    this.delayMs = delayMs;
    this.kind = kind;
  }

  get subject(): number {
    return this.subjects[this.head] as number;
  }

  get stamp(): number {
    return this.stamps[this.head] as number;
  }

  push(time: number, order: number, subject: number, stamp: number): void {
    if (this.size === this.times.length) this.grow();
    const tail = (this.head + this.size) & (this.times.length - 1);
    this.times[tail] = time;
    this.orders[tail] = order;
    this.subjects[tail] = subject;
    this.stamps[tail] = stamp;
    this.size += 1;
    if (this.size === 1) this.look();
  }

  /** The first one has happened. */
  drop(): void {
    this.head = (this.head + 1) & (this.times.length - 1);
    this.size -= 1;
    this.look();
  }

  private look(): void {
    const isEmpty = this.size === 0;
    this.time = isEmpty ? Number.POSITIVE_INFINITY : (this.times[this.head] as number);
    this.order = isEmpty ? 0 : (this.orders[this.head] as number);
  }

  private grow(): void {
    const { head } = this;
    this.times = unrolled(this.times, new Float64Array(this.size * 2), head);
    this.orders = unrolled(this.orders, new Float64Array(this.size * 2), head);
    this.subjects = unrolled(this.subjects, new Int32Array(this.size * 2), head);
    this.stamps = unrolled(this.stamps, new Int32Array(this.size * 2), head);
    this.head = 0;
  }
}

/** A full ring, copied so that its head comes first. */
function unrolled<T extends Float64Array | Int32Array>(ring: T, bigger: T, head: number): T {
  bigger.set(ring.subarray(head));
  bigger.set(ring.subarray(0, head), ring.length - head);
  return bigger;
}
