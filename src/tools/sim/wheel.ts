/**
 * The events of the next minute, sorted into milliseconds as they are planned and within one only when it comes:
 * however many there are, each is touched but a few times. What is farther off is none of its business.
 */

import type { Kind } from './agenda.js';

/** A power of two. */
const tickCount = 2 ** 16;

export class Wheel {
  /** Of the first that `turn` has come to; never, where there is none. */
  time: number = Number.POSITIVE_INFINITY;
  /** The millisecond that it has come to, whose events are in `due`. */
  private tick = 0;
  private size = 0;
  private readonly firsts: Int32Array = new Int32Array(tickCount).fill(-1);
  /** Slots in the order in which their events happen, from `head` to `end`. */
  private due: Int32Array = new Int32Array(64);
  private head = 0;
  private end = 0;
  private readonly free: number[] = [];
  // By slot.
  private nexts: Int32Array = new Int32Array(64);
  private times: Float64Array = new Float64Array(64);
  private orders: Float64Array = new Float64Array(64);
  private kinds: Uint8Array = new Uint8Array(64);
  private subjects: Int32Array = new Int32Array(64);
  private stamps: Int32Array = new Int32Array(64);

  get order(): number {
    return this.orders[this.due[this.head] as number] as number;
  }

  get kind(): Kind {
    return this.kinds[this.due[this.head] as number] as number;
  }

  get subject(): number {
    return this.subjects[this.due[this.head] as number] as number;
  }

  get stamp(): number {
    return this.stamps[this.due[this.head] as number] as number;
  }

  /** Whether it reaches so far. */
  holds(time: number): boolean {
    return time < this.tick + tickCount;
  }

  /** Not before what `turn` has come to. */
  push(time: number, order: number, kind: Kind, subject: number, stamp: number): void {
    const slot = this.free.pop() ?? this.size;
    if (slot === this.times.length) this.grow();
    this.times[slot] = time;
    this.orders[slot] = order;
    this.kinds[slot] = kind;
    this.subjects[slot] = subject;
    this.stamps[slot] = stamp;
    this.size += 1;
    const tick = Math.floor(time);
    if (tick <= this.tick) this.insert(slot);
    else {
      const index = tick & (tickCount - 1);
      this.nexts[slot] = this.firsts[index] as number;
      this.firsts[index] = slot;
    }
  }

  /** The first one has happened. */
  drop(): void {
    this.free.push(this.due[this.head] as number);
    this.head += 1;
    this.size -= 1;
    this.look();
  }

  /** Goes on to the first event that happens by then, if there is one. */
  turn(byMs: number): void {
    if (this.head < this.end) return;
    this.head = 0;
    this.end = 0;
    const last = Math.floor(byMs);
    if (this.size === 0) this.tick = Math.max(this.tick, last);
    while (this.tick < last && this.end === 0) {
      this.tick += 1;
      const index = this.tick & (tickCount - 1);
      if (this.firsts[index] !== -1) this.collect(index);
    }
  }

  private collect(index: number): void {
    for (let slot = this.firsts[index] as number; slot >= 0; slot = this.nexts[slot] as number) {
      this.insert(slot);
    }
    this.firsts[index] = -1;
  }

  private insert(slot: number): void {
    if (this.end === this.due.length) this.due = twiceAsLong(this.due, new Int32Array(this.end * 2));
    const { due } = this;
    let place = this.end;
    this.end += 1;
    for (; place > this.head && this.isBefore(slot, due[place - 1] as number); place -= 1) {
      due[place] = due[place - 1] as number;
    }
    due[place] = slot;
    this.look();
  }

  private look(): void {
    const isEmpty = this.head === this.end;
    this.time = isEmpty ? Number.POSITIVE_INFINITY : (this.times[this.due[this.head] as number] as number);
  }

  private isBefore(slot: number, other: number): boolean {
    const time = this.times[slot] as number;
    const otherTime = this.times[other] as number;
    return (
      time < otherTime ||
      (time === otherTime && (this.orders[slot] as number) < (this.orders[other] as number))
    );
  }

  private grow(): void {
    const { length } = this.times;
    this.nexts = twiceAsLong(this.nexts, new Int32Array(length * 2));
    this.times = twiceAsLong(this.times, new Float64Array(length * 2));
    this.orders = twiceAsLong(this.orders, new Float64Array(length * 2));
    this.kinds = twiceAsLong(this.kinds, new Uint8Array(length * 2));
    this.subjects = twiceAsLong(this.subjects, new Int32Array(length * 2));
    this.stamps = twiceAsLong(this.stamps, new Int32Array(length * 2));
  }
}

function twiceAsLong<T extends Float64Array | Int32Array | Uint8Array>(array: T, longer: T): T {
  longer.set(array);
  return longer;
}
