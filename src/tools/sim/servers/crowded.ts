/** The server of smira/exponential-backoff (2014): the more requests are in progress, the slower each of them is. */

import { power } from '../elementary.js';
import type { CrowdedServer } from '../world.js';
import type { Host, Server } from './server.js';
import { done } from './server.js';

/** Sums of times are not exact: their last digit must not keep a request for another round. */
const graceMs = 1e-6;

/** A longer delay might as well be forever. */
const longestMs = 1e15;

export class Crowded implements Server {
  concurrency = 0;
  private readonly host: Host;
  private readonly checkMs: number;
  /** By the number of requests in progress; the last entry is for all higher numbers. */
  private readonly delays: Float64Array;
  /** In the order of arrival; some may be over. */
  private visits: number[] = [];
  private stamps: number[] = [];
  private head = 0;

  constructor(model: CrowdedServer, host: Host) {
    this.host = host;
    this.checkMs = model.checkMs;
    this.delays = delaysOf(model);
  }

  /** By the number of requests now, not by the number when a request arrived. */
  get delayMs(): number {
    const { delays } = this;
    return (delays[Math.min(this.concurrency, delays.length - 1)] as number) * this.host.slowness;
  }

  arrive(visit: number): void {
    this.concurrency += 1;
    this.visits.push(visit);
    this.stamps.push(this.host.stampOf(visit));
    this.host.again(this.checkMs, visit);
  }

  tick(visit: number): void {
    const { host, delayMs, checkMs } = this;
    if (host.elapsed(visit) >= delayMs - graceMs) {
      this.concurrency -= 1;
      host.answer(visit, done);
      return;
    }
    const checks = this.idleChecks(delayMs);
    if (checks <= 1) host.again(checkMs, visit);
    else host.later(checks * checkMs, visit);
  }

  /**
   * How many checks are sure to find nothing. No request is answered before the oldest one has waited for the present
   * delay, and the delay does not fall before a request is answered: in a wedged server, the checks can be skipped.
   */
  private idleChecks(delayMs: number): number {
    const { host } = this;
    // When the fault that slows the server ends, the delay falls at once.
    if (host.slowness !== 1) return 1;
    while (host.stampOf(this.visits[this.head] as number) !== this.stamps[this.head]) this.head += 1;
    if (this.head > 1_000) this.forgetOver();
    return Math.floor((delayMs - host.elapsed(this.visits[this.head] as number)) / this.checkMs);
  }

  private forgetOver(): void {
    this.visits = this.visits.slice(this.head);
    this.stamps = this.stamps.slice(this.head);
    this.head = 0;
  }

  forget(): void {
    this.concurrency = 0;
    this.visits = [];
    this.stamps = [];
    this.head = 0;
  }
}

function delaysOf({ baseMs, limit, factor, step }: CrowdedServer): Float64Array {
  const delays: number[] = [];
  for (let count = 0; (delays.at(-1) ?? 0) < longestMs && count < 1e6; count += 1) {
    delays.push(count > limit ? Math.min(longestMs, baseMs * power(factor, (count - limit) / step)) : baseMs);
  }
  return Float64Array.from(delays);
}
