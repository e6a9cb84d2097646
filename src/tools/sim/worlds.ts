/** The outages and limits by which retry layers are judged. */

import type {
  ClosedLoop,
  CrowdedServer,
  FlakyServer,
  LimitedServer,
  OpenLoop,
  Service,
  SimulatedWorld,
} from './world.js';

/** The server of smira/exponential-backoff (2014), with the numbers of the original program. */
export const articleServer: CrowdedServer = {
  kind: 'crowded',
  baseMs: 100,
  limit: 30,
  factor: 1.05,
  step: 15,
  checkMs: 50,
};

/** Its clients: a thousand in one process. */
export const articleClients: ClosedLoop = { kind: 'closed', count: 1_000, thinkMs: 10_000, timeoutMs: 2_000 };

/** That server is stopped for a while, half a minute after the start. With `stopMs: 0`, it is not stopped. */
export function stoppedServer(backlog: number, stopMs: number, afterMs: number): SimulatedWorld {
  const faults = stopMs === 0 ? [] : [{ kind: 'stop', fromMs: 30_000, forMs: stopMs } as const];
  return { durationMs: 30_000 + stopMs + afterMs, services: [{ server: articleServer, backlog, faults }] };
}

const quick: FlakyServer = { kind: 'flaky', latencyMs: 50, share: 0, status: 503 };

/** For a minute, a share of the answers are failures. */
export function brownOut(share: number): SimulatedWorld {
  return { durationMs: 60_000, services: [{ server: { ...quick, share } }] };
}

/** A hundred processes, each of which sends ten requests a second. */
export const hundredProcesses: OpenLoop = {
  kind: 'open',
  count: 100,
  processes: 100,
  perSecond: 1_000,
  timeoutMs: 2_000,
};

/** A server that slows down under load: Marc Brooker's collapse simulation (2023). */
export const surgingServer: SimulatedWorld = {
  durationMs: 80_000,
  services: [{ server: { kind: 'slowing', baseMs: 1_000, eachMs: 10 } }],
};

/** Forty requests a second, and more for five seconds. */
export function surgeTo(perSecond: number): OpenLoop {
  return {
    kind: 'open',
    count: 100,
    timeoutMs: 3_000,
    perSecond: [
      { fromMs: 0, perSecond: 40 },
      { fromMs: 20_000, perSecond },
      { fromMs: 25_000, perSecond: 40 },
    ],
  };
}

/** For five seconds, twice as many. */
export const surge: OpenLoop = surgeTo(80);

const down: Service = { server: quick, faults: [{ kind: 'crash', fromMs: 20_000, forMs: 60_000 }] };

/** Services in a row, of which the last one is down for a minute. */
export function layers(count: number): SimulatedWorld {
  const above = Array.from({ length: count - 1 }, (): Service => ({ server: quick }));
  const [first = down, ...others] = [...above, down];
  return { durationMs: 90_000, services: [first, ...others] };
}

export const steadyStream: OpenLoop = { kind: 'open', count: 100, perSecond: 100 };

/** A thousand processes, each of which sends a request every ten seconds. */
export const thousandProcesses: OpenLoop = { kind: 'open', count: 1_000, processes: 1_000, perSecond: 100 };

export function limitedServer(
  limit: LimitedServer['limit'],
  retryAfter: LimitedServer['retryAfter'],
  durationMs: number,
): SimulatedWorld {
  return { durationMs, services: [{ server: { kind: 'limited', latencyMs: 20, limit, retryAfter } }] };
}

/** Together they want 200 requests a second. */
export const greedyClients: ClosedLoop = { kind: 'closed', count: 200, thinkMs: 1_000 };

/** Together they want 50 requests a second. */
export const eagerClients: ClosedLoop = { kind: 'closed', count: 100, thinkMs: 2_000 };
