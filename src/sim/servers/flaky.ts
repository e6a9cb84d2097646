/** A brown-out: always as fast as ever, and a share of the answers are failures. */

import type { ResponseOutcome } from '../../core/types.js';
import type { FlakyServer } from '../world.js';
import type { Host, Server } from './server.js';
import { done } from './server.js';

export class Flaky implements Server {
  concurrency = 0;
  readonly delayMs: number;
  private readonly share: number;
  private readonly failure: ResponseOutcome;
  private readonly host: Host;

  constructor({ latencyMs, share, status }: FlakyServer, host: Host) {
    this.delayMs = latencyMs;
    this.share = share;
    this.failure = { kind: 'response', status };
    this.host = host;
  }

  arrive(visit: number): void {
    this.concurrency += 1;
    this.host.later(this.delayMs, visit);
  }

  tick(visit: number): void {
    this.concurrency -= 1;
    this.host.answer(visit, this.host.dice() < this.share ? this.failure : done);
  }

  forget(): void {
    this.concurrency = 0;
  }
}
