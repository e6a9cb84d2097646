/**
 * The event that comes first, by time and then by order: a heap of four children each. What is moved about are times and
 * numbers of slots; the rest of an event stays where it is.
 */

import type { Kind } from './agenda.js';

export class EventHeap {
  private size = 0;
  private times: Float64Array = new Float64Array(64);
  private slots: Int32Array = new Int32Array(64);
  // By slot.
  private orders: Float64Array = new Float64Array(64);
  private kinds: Uint8Array = new Uint8Array(64);
  private subjects: Int32Array = new Int32Array(64);
  private stamps: Int32Array = new Int32Array(64);

  constructor() {
    this.nameSlots(0);
  }

  /** Of the first; never, where there is none. */
  get time(): number {
    return this.size === 0 ? Number.POSITIVE_INFINITY : (this.times[0] as number);
  }

  get order(): number {
    return this.orders[this.slots[0] as number] as number;
  }

  get kind(): Kind {
    return this.kinds[this.slots[0] as number] as number;
  }

  get subject(): number {
    return this.subjects[this.slots[0] as number] as number;
  }

  get stamp(): number {
    return this.stamps[this.slots[0] as number] as number;
  }

  push(time: number, order: number, kind: Kind, subject: number, stamp: number): void {
    if (this.size === this.times.length) this.grow();
    const { times, slots } = this;
    let hole = this.size;
    // Beyond the heap, `slots` holds those that are free.
    const slot = slots[hole] as number;
    this.orders[slot] = order;
    this.kinds[slot] = kind;
    this.subjects[slot] = subject;
    this.stamps[slot] = stamp;
    this.size += 1;
    while (hole > 0) {
      const parent = (hole - 1) >> 2;
      // Orders only grow: of two events of one instant, the one that is there comes first.
      if ((times[parent] as number) <= time) break;
      times[hole] = times[parent] as number;
      slots[hole] = slots[parent] as number;
      hole = parent;
    }
    times[hole] = time;
    slots[hole] = slot;
  }

  /** The first one has happened: the last one sinks from its place. */
  drop(): void {
    this.size -= 1;
    const { times, slots, size } = this;
    const freed = slots[0] as number;
    const time = times[size] as number;
    const slot = slots[size] as number;
    let hole = 0;
    for (;;) {
      const child = this.firstChild(hole);
      if (child < 0 || this.isBefore(time, slot, child)) break;
      times[hole] = times[child] as number;
      slots[hole] = slots[child] as number;
      hole = child;
    }
    times[hole] = time;
    slots[hole] = slot;
    slots[size] = freed;
  }

  private firstChild(parent: number): number {
    const { times, slots, size } = this;
    const from = parent * 4 + 1;
    if (from >= size) return -1;
    const to = Math.min(from + 4, size);
    let first = from;
    for (let child = from + 1; child < to; child += 1) {
      if (this.isBefore(times[child] as number, slots[child] as number, first)) first = child;
    }
    return first;
  }

  private isBefore(time: number, slot: number, other: number): boolean {
    const otherTime = this.times[other] as number;
    if (time !== otherTime) return time < otherTime;
    return (this.orders[slot] as number) < (this.orders[this.slots[other] as number] as number);
  }

  private grow(): void {
    const { size } = this;
    this.times = twiceAsLong(this.times, new Float64Array(size * 2));
    this.slots = twiceAsLong(this.slots, new Int32Array(size * 2));
    this.orders = twiceAsLong(this.orders, new Float64Array(size * 2));
    this.kinds = twiceAsLong(this.kinds, new Uint8Array(size * 2));
    this.subjects = twiceAsLong(this.subjects, new Int32Array(size * 2));
    this.stamps = twiceAsLong(this.stamps, new Int32Array(size * 2));
    this.nameSlots(size);
  }

  private nameSlots(from: number): void {
    for (let slot = from; slot < this.slots.length; slot += 1) this.slots[slot] = slot;
  }
}

function twiceAsLong<T extends Float64Array | Int32Array | Uint8Array>(array: T, longer: T): T {
  longer.set(array);
  return longer;
}
