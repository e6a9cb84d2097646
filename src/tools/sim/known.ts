/** Outages and slow days that were published, with their numbers: what a retry layer did to them, others can check. */

import type { PolicyOptions } from '../../index.js';
import type { Day, LatencyModel, QueueServer } from './world.js';
import { eagerClients, layers, limitedServer, steadyStream } from './worlds.js';

/** When the trouble starts. */
const startsAtMs = 30_000;

/**
 * The example of a metastable failure: a database that answers 300 queries a second, a website that sends 280 and waits
 * for one second, and ten seconds in which nothing arrives. Bronson and others, "Metastable Failures in Distributed
 * Systems", HotOS '21.
 */
export const metastable: Day = {
  world: {
    durationMs: 220_000,
    services: [
      {
        server: unbounded(300),
        backlog: 100_000,
        faults: [{ kind: 'stop', fromMs: startsAtMs, forMs: 10_000 }],
      },
    ],
  },
  clients: { kind: 'open', count: 280, perSecond: 280, timeoutMs: 1_000 },
};

/** First come, first served, however many wait. */
function unbounded(perSecond: number): QueueServer {
  const workers = perSecond / 10;
  return { kind: 'queue', workers, places: 100_000, serviceMs: { medianMs: 100, spread: 0 } };
}

/**
 * Five services in a row, the last of which is down: with three attempts in each, it gets 3^5 = 243 for each request.
 * "Timeouts, retries, and backoff with jitter", Amazon Builders' Library.
 */
export const fiveLayers: Day = { world: layers(5), clients: steadyStream };

/**
 * A hundred clients that share a quota. Farkiani, Liu and Crowley, "Rethinking HTTP API Rate Limiting: A Client-Side
 * Approach", arXiv 2510.04516: 97.3 % fewer refusals than with exponential back-off, at best.
 */
export const sharedQuota: Day = {
  world: limitedServer({ perSecond: 20, burst: 20 }, 'exact', 120_000),
  clients: eagerClients,
};

/** One answer in a hundred takes a second instead of ten milliseconds. */
const aSecondInAHundred: LatencyModel = { medianMs: 10, spread: 0.1, tail: { share: 0.01, times: 100 } };

/**
 * A page that needs the answers of a hundred servers, of which each is slow once in a hundred times: 63 % of the pages
 * take more than a second. Dean and Barroso, "The Tail at Scale", Communications of the ACM 56(2), 2013.
 */
export const fanOut: Day = {
  world: {
    durationMs: 240_000,
    services: [{ server: { kind: 'flaky', latencyMs: aSecondInAHundred, share: 0, status: 503 } }],
  },
  clients: { kind: 'burst', count: 100, atMs: 1_000, everyMs: 2_000, timeoutMs: 10_000 },
};

/**
 * Dashboards that ask again and again at the same intervals while a service is deployed, and keep it from coming back.
 * "A deep dive into Cloudflare's September 12, 2025 dashboard and API outage". The numbers are ours: 600 dashboards,
 * a service that answers 100 requests a second, and a minute in which it is down.
 */
export const dashboards: Day = {
  world: {
    durationMs: 210_000,
    services: [
      {
        server: unbounded(100),
        backlog: 4_096,
        faults: [{ kind: 'crash', fromMs: startsAtMs, forMs: 60_000 }],
      },
    ],
  },
  clients: { kind: 'closed', count: 600, processes: 600, thinkMs: 10_000, timeoutMs: 2_000 },
};

// ---------------------------------------------------------------- what was retried then

/** At once, after an error or a timeout. */
export const oneRetry: PolicyOptions = {
  maxRetries: 1,
  schedule: { kind: 'fixed', waitMs: 0, jitter: 'none' },
  budget: false,
};

export const threeAttempts: PolicyOptions = { maxRetries: 2, budget: false };

/** From one second, with full jitter, until it succeeds. */
export const exponentialBackOff: PolicyOptions = { maxRetries: 20, hints: false, budget: false };

export const everySecond: PolicyOptions = {
  maxRetries: 1_000_000,
  schedule: { kind: 'fixed', waitMs: 1_000, jitter: 'none' },
  hints: false,
  budget: false,
};
