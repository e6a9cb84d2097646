/** How long a server takes for an attempt: a constant, or a random time. */

import { normal } from '../dice.js';
import { exp } from '../elementary.js';
import { purposes } from '../luck.js';
import type { LatencyModel, LatencyTail } from '../world.js';
import type { Host } from './server.js';

export class Latency {
  readonly medianMs: number;
  private readonly spread: number;
  private readonly tail: LatencyTail | undefined;
  private readonly host: Host;

  constructor(model: LatencyModel, host: Host) {
    this.medianMs = typeof model === 'number' ? model : model.medianMs;
    this.spread = typeof model === 'number' ? 0 : model.spread;
    this.tail = typeof model === 'number' ? undefined : model.tail;
    this.host = host;
  }

  of(visit: number): number {
    return this.isSlow(visit) ? this.usual(visit) * (this.tail?.times ?? 1) : this.usual(visit);
  }

  private isSlow(visit: number): boolean {
    const { tail, host } = this;
    if (tail === undefined) return false;
    const draw =
      tail.of === 'request' ? host.drawOfRequest(visit, purposes.tail) : host.draw(visit, purposes.tail);
    return draw < tail.share;
  }

  private usual(visit: number): number {
    if (this.spread === 0) return this.medianMs;
    return this.medianMs * exp(this.spread * normal(this.host.draw(visit, purposes.latency)));
  }
}
