/** A brown-out: the server is as fast as ever, but a share of its answers are failures. */

import type { ResponseOutcome } from '../../../index.js';
import { purposes } from '../luck.js';
import type { FlakyServer } from '../world.js';
import { Latency } from './latency.js';
import type { Host, Server } from './server.js';
import { done, refusalOf } from './server.js';

export class Flaky implements Server {
  concurrency = 0;
  private readonly latency: Latency;
  private readonly share: number;
  private readonly failure: ResponseOutcome;
  private readonly host: Host;

  constructor({ latencyMs, share, status, retryAfter = false }: FlakyServer, host: Host) {
    this.latency = new Latency(latencyMs, host);
    this.share = share;
    this.failure = refusalOf(status, retryAfter);
    this.host = host;
  }

  get delayMs(): number {
    return this.latency.medianMs;
  }

  arrive(visit: number): void {
    this.concurrency += 1;
    this.host.later(this.latency.of(visit), visit);
  }

  tick(visit: number): void {
    this.concurrency -= 1;
    const isFailure = this.share > 0 && this.host.draw(visit, purposes.failure) < this.share;
    this.host.answer(visit, isFailure ? this.failure : done);
  }

  forget(): void {
    this.concurrency = 0;
  }
}
