/** Its latency grows with the number of requests in progress, as in Marc Brooker's collapse simulation (2023). */

import type { SlowingServer } from '../world.js';
import type { Host, Server } from './server.js';
import { done } from './server.js';

export class Slowing implements Server {
  concurrency = 0;
  delayMs = 0;
  private readonly model: SlowingServer;
  private readonly host: Host;

  constructor(model: SlowingServer, host: Host) {
    this.model = model;
    this.host = host;
  }

  arrive(visit: number): void {
    this.concurrency += 1;
    this.delayMs = this.model.baseMs + this.model.eachMs * this.concurrency;
    this.host.later(this.delayMs, visit);
  }

  tick(visit: number): void {
    this.concurrency -= 1;
    this.host.answer(visit, done);
  }

  forget(): void {
    this.concurrency = 0;
  }
}
