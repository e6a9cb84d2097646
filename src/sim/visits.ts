/**
 * Attempts at servers. A visit lasts until the server answers it, whether or not anybody still waits: a client
 * that leaves gives no place back.
 */

import type { Call } from './call.js';

export class Visits {
  private readonly calls: (Call | undefined)[] = [];
  private readonly free: number[] = [];
  /** By an older one, events about an earlier visit of the same number are known. */
  private stamps: Int32Array = new Int32Array(64);
  private turns: Int32Array = new Int32Array(64);
  private begunAt: Float64Array = new Float64Array(64);

  open(call: Call): number {
    const visit = this.free.pop() ?? this.calls.length;
    if (visit === this.stamps.length) this.grow();
    this.calls[visit] = call;
    this.turns[visit] = call.turn;
    return visit;
  }

  close(visit: number): void {
    this.calls[visit] = undefined;
    this.stamps[visit] = ((this.stamps[visit] as number) + 1) | 0;
    this.free.push(visit);
  }

  /** The server begins with it. */
  begin(visit: number, now: number): void {
    this.begunAt[visit] = now;
  }

  callOf(visit: number): Call | undefined {
    return this.calls[visit];
  }

  stampOf(visit: number): number {
    return this.stamps[visit] as number;
  }

  turnOf(visit: number): number {
    return this.turns[visit] as number;
  }

  begunAtOf(visit: number): number {
    return this.begunAt[visit] as number;
  }

  /** Of all that are there now, wherever. */
  *all(): Generator<number> {
    for (let visit = 0; visit < this.calls.length; visit += 1) {
      if (this.calls[visit] !== undefined) yield visit;
    }
  }

  private grow(): void {
    const { stamps, turns, begunAt } = this;
    this.stamps = new Int32Array(stamps.length * 2);
    this.stamps.set(stamps);
    this.turns = new Int32Array(turns.length * 2);
    this.turns.set(turns);
    this.begunAt = new Float64Array(begunAt.length * 2);
    this.begunAt.set(begunAt);
  }
}
