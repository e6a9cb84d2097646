/** Runs the simulator's crowded server in real time: the model itself is in the simulator only. */

import { sleep } from '../../../internal.js';
import type { CrowdedServer } from '../../sim/index.js';
import type { Host } from '../../sim/internal.js';
import { Crowded } from '../../sim/internal.js';

interface Visit {
  readonly begunAt: number;
  readonly answer: () => void;
}

export class CrowdedHost implements Host {
  readonly slowness = 1;
  private readonly server: Crowded;
  private readonly visits: Map<number, Visit> = new Map();
  private lastVisit = 0;

  constructor(model: CrowdedServer) {
    this.server = new Crowded(model, this);
  }

  get concurrency(): number {
    return this.server.concurrency;
  }

  get delayMs(): number {
    return this.server.delayMs;
  }

  /** It occupies its place until it is answered, whether or not its client still waits. */
  receive(answer: () => void): void {
    this.lastVisit += 1;
    this.visits.set(this.lastVisit, { begunAt: this.now, answer });
    this.server.arrive(this.lastVisit);
  }

  // -------------------------------------------------------------- what the server needs from its host

  get now(): number {
    return performance.now();
  }

  pathOf(): string {
    return '/';
  }

  draw(): number {
    return Math.random();
  }

  drawOfRequest(): number {
    return Math.random();
  }

  work(): void {
    // Work is not measured here.
  }

  /** Numbers are not reused, so the only question is whether the visit is over. */
  stampOf(visit: number): number {
    return this.visits.has(visit) ? 1 : 0;
  }

  elapsed(visit: number): number {
    return this.now - (this.visits.get(visit)?.begunAt ?? this.now);
  }

  later(delayMs: number, visit: number): void {
    sleep(delayMs, () => this.server.tick(visit));
  }

  again(delayMs: number, visit: number): void {
    this.later(delayMs, visit);
  }

  answer(visit: number): void {
    const { answer } = this.visits.get(visit) ?? {};
    this.visits.delete(visit);
    answer?.();
  }

  ignore(visit: number): void {
    this.visits.delete(visit);
  }
}
