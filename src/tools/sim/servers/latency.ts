/** How long a server takes for an attempt: a constant, or a random time. */

import { normal } from '../dice.js';
import { exp } from '../elementary.js';
import { purposes } from '../luck.js';
import type { LatencyModel } from '../world.js';
import type { Host } from './server.js';

export class Latency {
  readonly medianMs: number;
  private readonly spread: number;
  private readonly host: Host;

  constructor(model: LatencyModel, host: Host) {
    this.medianMs = typeof model === 'number' ? model : model.medianMs;
    this.spread = typeof model === 'number' ? 0 : model.spread;
    this.host = host;
  }

  of(visit: number): number {
    if (this.spread === 0) return this.medianMs;
    return this.medianMs * exp(this.spread * normal(this.host.draw(visit, purposes.latency)));
  }
}
