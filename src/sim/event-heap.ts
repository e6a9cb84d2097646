/** The event that comes first, by time and then by order: a heap of four children each, flat in typed arrays. */

import type { Kind } from './agenda.js';

export class EventHeap {
  private size = 0;
  private times: Float64Array = new Float64Array(64);
  private orders: Float64Array = new Float64Array(64);
  private kinds: Uint8Array = new Uint8Array(64);
  private subjects: Int32Array = new Int32Array(64);
  private stamps: Int32Array = new Int32Array(64);

  /** Of the first; never, where there is none. */
  get time(): number {
    return this.size === 0 ? Number.POSITIVE_INFINITY : (this.times[0] as number);
  }

  get order(): number {
    return this.orders[0] as number;
  }

  get kind(): Kind {
    return this.kinds[0] as number;
  }

  get subject(): number {
    return this.subjects[0] as number;
  }

  get stamp(): number {
    return this.stamps[0] as number;
  }

  push(time: number, order: number, kind: Kind, subject: number, stamp: number): void {
    if (this.size === this.times.length) this.grow();
    let hole = this.size;
    this.size += 1;
    while (hole > 0) {
      const parent = (hole - 1) >> 2;
      if (!this.isBefore(time, order, parent)) break;
      this.move(parent, hole);
      hole = parent;
    }
    this.times[hole] = time;
    this.orders[hole] = order;
    this.kinds[hole] = kind;
    this.subjects[hole] = subject;
    this.stamps[hole] = stamp;
  }

  /** The first one has happened: the last one sinks from its place. */
  drop(): void {
    this.size -= 1;
    const { size } = this;
    const time = this.times[size] as number;
    const order = this.orders[size] as number;
    let hole = 0;
    for (;;) {
      const child = this.firstChild(hole);
      if (child < 0 || this.isBefore(time, order, child)) break;
      this.move(child, hole);
      hole = child;
    }
    this.move(size, hole);
  }

  private firstChild(parent: number): number {
    const from = parent * 4 + 1;
    if (from >= this.size) return -1;
    const to = Math.min(from + 4, this.size);
    let first = from;
    for (let child = from + 1; child < to; child += 1) {
      if (this.isBefore(this.times[child] as number, this.orders[child] as number, first)) first = child;
    }
    return first;
  }

  private isBefore(time: number, order: number, other: number): boolean {
    const otherTime = this.times[other] as number;
    return time < otherTime || (time === otherTime && order < (this.orders[other] as number));
  }

  private move(from: number, to: number): void {
    this.times[to] = this.times[from] as number;
    this.orders[to] = this.orders[from] as number;
    this.kinds[to] = this.kinds[from] as number;
    this.subjects[to] = this.subjects[from] as number;
    this.stamps[to] = this.stamps[from] as number;
  }

  private grow(): void {
    this.times = twiceAsLong(this.times, new Float64Array(this.size * 2));
    this.orders = twiceAsLong(this.orders, new Float64Array(this.size * 2));
    this.kinds = twiceAsLong(this.kinds, new Uint8Array(this.size * 2));
    this.subjects = twiceAsLong(this.subjects, new Int32Array(this.size * 2));
    this.stamps = twiceAsLong(this.stamps, new Int32Array(this.size * 2));
  }
}

function twiceAsLong<T extends Float64Array | Int32Array | Uint8Array>(array: T, longer: T): T {
  longer.set(array);
  return longer;
}
