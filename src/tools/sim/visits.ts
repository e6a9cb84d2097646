/**
 * Attempts at servers. A visit lasts until the server answers, even if its client has left: leaving gives no place back.
 */

import type { Exchange } from './exchange.js';
import type { Luck } from './luck.js';
import { luckOf } from './luck.js';

export class Visits {
  private readonly exchanges: (Exchange | undefined)[] = [];
  private readonly free: number[] = [];
  /** An event with an older stamp is about an earlier visit with the same number. */
  private readonly stamps: number[] = [];
  private readonly turns: number[] = [];
  private readonly lucks: Luck[] = [];
  private readonly begunAt: number[] = [];
  private readonly workedFrom: number[] = [];

  /** `turn`: of the attempt that was just sent. */
  open(exchange: Exchange, turn: number): number {
    const visit = this.free.pop() ?? this.exchanges.length;
    this.exchanges[visit] = exchange;
    this.stamps[visit] ??= 0;
    this.turns[visit] = turn;
    this.lucks[visit] = luckOf(exchange.luck, exchange.attempts);
    return visit;
  }

  close(visit: number): void {
    this.exchanges[visit] = undefined;
    this.stamps[visit] = ((this.stamps[visit] as number) + 1) | 0;
    this.free.push(visit);
  }

  /** The server starts to work on it. */
  begin(visit: number, now: number): void {
    this.begunAt[visit] = now;
    this.workedFrom[visit] = now;
  }

  /** The server has work only now. */
  work(visit: number, now: number): void {
    this.workedFrom[visit] = now;
  }

  exchangeOf(visit: number): Exchange | undefined {
    return this.exchanges[visit];
  }

  stampOf(visit: number): number {
    return this.stamps[visit] as number;
  }

  turnOf(visit: number): number {
    return this.turns[visit] as number;
  }

  /** The luck of the attempt. */
  luckOf(visit: number): Luck {
    return this.lucks[visit] as number;
  }

  begunAtOf(visit: number): number {
    return this.begunAt[visit] as number;
  }

  workedFromOf(visit: number): number {
    return this.workedFrom[visit] as number;
  }

  /** The numbers of all visits in progress, at every station. */
  *all(): Generator<number> {
    for (let visit = 0; visit < this.exchanges.length; visit += 1) {
      if (this.exchanges[visit] !== undefined) yield visit;
    }
  }
}
