/** A fixed number of workers, and a queue with a fixed number of places. */

import type { ResponseOutcome } from '../../../index.js';
import { exponential } from '../dice.js';
import { purposes } from '../luck.js';
import type { QueueServer } from '../world.js';
import { Latency } from './latency.js';
import type { Host, Server } from './server.js';
import { done, refusalOf } from './server.js';

export class Queue implements Server {
  delayMs = 0;
  private readonly model: QueueServer;
  private readonly host: Host;
  private readonly latency: Latency | undefined;
  private readonly full: ResponseOutcome;
  private busy = 0;
  /** Visits whose workers wait for the next service. */
  private readonly held: Set<number> = new Set();
  private waiting: number[] = [];
  /** The index of the first request that waits: it moves, so that the array need not be shifted. */
  private head = 0;

  constructor(model: QueueServer, host: Host) {
    this.model = model;
    this.host = host;
    this.full = refusalOf(503, model.retryAfter ?? false);
    this.latency = typeof model.serviceMs === 'number' ? undefined : new Latency(model.serviceMs, host);
  }

  get concurrency(): number {
    return this.busy + this.waiting.length - this.head;
  }

  arrive(visit: number): void {
    if (this.busy < this.model.workers) this.serve(visit);
    else if (this.concurrency < this.model.workers + this.model.places) this.waiting.push(visit);
    else this.host.answer(visit, this.full);
  }

  private serve(visit: number): void {
    this.busy += 1;
    this.host.work(visit);
    this.host.later(this.serviceMsOf(visit), visit);
  }

  private serviceMsOf(visit: number): number {
    const { serviceMs } = this.model;
    if (typeof serviceMs === 'number') return exponential(this.host.draw(visit, purposes.work), serviceMs);
    return this.latency?.of(visit) ?? 0;
  }

  tick(visit: number): void {
    this.delayMs = this.host.elapsed(visit);
    if (this.model.waits === true && this.host.goesOn?.(visit) === true) {
      this.held.add(visit);
      this.host.answer(visit, done);
    } else {
      this.host.answer(visit, done);
      this.release();
    }
  }

  /** The next service has answered. */
  continue(visit: number): void {
    if (this.held.delete(visit)) this.release();
  }

  /** A worker takes the next request. */
  private release(): void {
    this.busy -= 1;
    const next = this.waiting[this.head];
    if (next === undefined) return;
    this.head += 1;
    if (this.head > 1_000) {
      this.waiting = this.waiting.slice(this.head);
      this.head = 0;
    }
    this.serve(next);
  }

  forget(): void {
    this.busy = 0;
    this.held.clear();
    this.waiting = [];
    this.head = 0;
  }
}
