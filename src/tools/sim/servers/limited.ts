/** A rate limiter: a token bucket, or a number of permits in each window; other requests get 429. */

import type { ResponseOutcome } from '../../../index.js';
import type { LimitedServer } from '../world.js';
import type { Host, Server } from './server.js';
import { done, refusalOf } from './server.js';

/** How many permits are left, and how long it takes until there is one again. */
interface Limiter {
  take(now: number): boolean;
  msUntilNext(now: number): number;
}

export class Limited implements Server {
  concurrency = 0;
  readonly delayMs: number;
  private readonly model: LimitedServer;
  private readonly host: Host;
  private readonly limiter: Limiter;
  /** The answers for requests that wait for their refusal. */
  private readonly refusals: Map<number, ResponseOutcome> = new Map();

  constructor(model: LimitedServer, host: Host) {
    this.model = model;
    this.host = host;
    this.delayMs = model.latencyMs;
    this.limiter = 'burst' in model.limit ? bucketOf(model.limit) : windowOf(model.limit);
  }

  arrive(visit: number): void {
    const { limiter, host, model } = this;
    if (limiter.take(host.now)) {
      this.concurrency += 1;
      host.later(model.latencyMs, visit);
      return;
    }
    const refusal = this.refusal();
    const { refusalMs = 0 } = model;
    if (refusalMs === 0) {
      host.answer(visit, refusal);
      return;
    }
    this.concurrency += 1;
    this.refusals.set(visit, refusal);
    host.later(refusalMs, visit);
  }

  private refusal(): ResponseOutcome {
    const { limiter, host, model } = this;
    const { retryAfter, status = 429 } = model;
    if (retryAfter !== 'exact') return refusalOf(status, retryAfter);
    // Servers send whole seconds, and 0 would say nothing.
    const seconds = Math.max(1, Math.ceil(limiter.msUntilNext(host.now) / 1_000));
    return refusalOf(status, seconds);
  }

  tick(visit: number): void {
    this.concurrency -= 1;
    const refusal = this.refusals.get(visit);
    this.refusals.delete(visit);
    this.host.answer(visit, refusal ?? done);
  }

  forget(): void {
    this.concurrency = 0;
    this.refusals.clear();
  }
}

function bucketOf({ perSecond, burst }: { perSecond: number; burst: number }): Limiter {
  let tokens = burst;
  let at = 0;
  const fill = (now: number): void => {
    tokens = Math.min(burst, tokens + ((now - at) * perSecond) / 1_000);
    at = now;
  };
  return {
    take(now) {
      fill(now);
      // Sums of times are not exact.
      if (tokens < 1 - 1e-9) return false;
      tokens -= 1;
      return true;
    },
    msUntilNext: () => ((1 - tokens) * 1_000) / perSecond,
  };
}

function windowOf({ permits, windowMs }: { permits: number; windowMs: number }): Limiter {
  let window = 0;
  let used = 0;
  return {
    take(now) {
      const current = Math.floor(now / windowMs);
      if (current !== window) {
        window = current;
        used = 0;
      }
      if (used >= permits) return false;
      used += 1;
      return true;
    },
    msUntilNext: (now) => (window + 1) * windowMs - now,
  };
}
