/**
 * Ordinary days: nothing is down, but something is wrong. On none of them may a retry layer do worse than no retry.
 * Where some requests are guilty of the trouble, the others are innocent and counted separately.
 */

import { listOf } from './crowd.js';
import type {
  ChangingServer,
  Clients,
  Crowds,
  Day,
  Fault,
  LimitedServer,
  OpenLoop,
  PlainServer,
  RouteShare,
  ServerModel,
} from './world.js';

export type { Overload, Refusal } from './refusals.js';
export { overloadedFromMs, refusedTenant, servedFromMs, shedding } from './refusals.js';

const minute = 60_000;
const quick = { kind: 'flaky', latencyMs: 50, share: 0, status: 503 } as const;

function stream(perSecond: OpenLoop['perSecond'], more: Partial<OpenLoop> = {}): OpenLoop {
  return { kind: 'open', count: 100, perSecond, timeoutMs: 2_000, ...more };
}

function day(server: ServerModel, clients: Crowds, durationMs: number, faults: readonly Fault[] = []): Day {
  return { world: { durationMs, services: [{ server, faults }] }, clients };
}

// ---------------------------------------------------------------- limits

export interface Limit {
  readonly perSecond: number;
  readonly burst: number;
}

function limitedTo(limit: Limit): LimitedServer {
  return { kind: 'limited', latencyMs: 20, limit, retryAfter: 'exact', refusalMs: 20 };
}

/** More requests than a limit allows, each with a deadline of ten seconds. */
export function overLimit(limit: Limit, perSecond: number): Day {
  return day(limitedTo(limit), stream(perSecond, { deadlineMs: 10_000 }), 2 * minute);
}

/** A limit that changes after a minute. */
export function changedLimit(before: Limit, after: Limit, perSecond: number): Day {
  const phases: ChangingServer['phases'] = [
    { fromMs: 0, server: limitedTo(before) },
    { fromMs: minute, server: limitedTo(after) },
  ];
  return day({ kind: 'changing', phases }, stream(perSecond, { deadlineMs: 10_000 }), 2 * minute + 15_000);
}

/** A limit of three times the load that falls to a part of the load, and comes back. */
export function dippedLimit(share: number, forMs: number, perSecond: number): Day {
  const usual = limitedTo({ perSecond: 3 * perSecond, burst: 5 });
  const phases: ChangingServer['phases'] = [
    { fromMs: 0, server: usual },
    { fromMs: dippedFromMs, server: limitedTo({ perSecond: share * perSecond, burst: 5 }) },
    { fromMs: dippedFromMs + forMs, server: usual },
  ];
  return day({ kind: 'changing', phases }, stream(perSecond), dippedFromMs + forMs + minute);
}

/** When that limit falls. */
export const dippedFromMs: number = minute / 3;

/** A quota for each minute, with a `Retry-After` that points to the end of the minute. */
export function quota(permits: number, perSecond: number): Day {
  const server: LimitedServer = {
    ...limitedTo({ perSecond, burst: 1 }),
    limit: { permits, windowMs: minute },
  };
  return day(server, stream(perSecond, { deadlineMs: 10_000 }), 5 * minute);
}

/** More requests than the server has workers for: the queue is full, and the others get 503 at once. */
export function overload(perSecond: number): Day {
  const server: PlainServer = { kind: 'queue', workers: 10, places: 50, serviceMs: 100 };
  return day(server, stream(perSecond), 2 * minute);
}

/** More requests than eight workers can do, each with a deadline of two seconds, and a queue that refuses none of them. */
export function crowdedWorkers(load: number): Day {
  const server: PlainServer = { kind: 'queue', workers: 8, places: 100_000, serviceMs: 100 };
  return day(server, stream(80 * load, { deadlineMs: 2_000 }), 2 * minute);
}

/**
 * A quota that clients share who know nothing of each other, each a process of its own: all are told the same second.
 * Together they want two and a half times as much.
 */
export function sharedQuota(count: number, processes: number): Day {
  const perSecond = count / 5;
  const limited: LimitedServer = {
    ...limitedTo({ perSecond, burst: perSecond }),
    refusalMs: 0,
  };
  return day(limited, { kind: 'closed', count, processes, thinkMs: 2_000, timeoutMs: 2_000 }, 3 * minute);
}

/** A server that answers 503 to what exceeds its limit and does not say when to come back, as nginx's `limit_req` does. */
export function unhinted(limit: Limit, perSecond: number): Day {
  const server: LimitedServer = { ...limitedTo(limit), retryAfter: false, status: 503, refusalMs: 1 };
  return day(server, stream(perSecond), 2 * minute);
}

/** A day in ten minutes: from half of what the workers can do to 15 % more than that, and back. */
export function diurnalPeak(places: number): Day {
  const server: PlainServer = { kind: 'queue', workers: 10, places, serviceMs: 100 };
  const rates = [50, 70, 90, 105, 115, 115, 105, 90, 70, 50];
  const perSecond = rates.map((rate, index) => ({ fromMs: index * minute, perSecond: rate }));
  return day(server, stream(0, { perSecond }), 10 * minute);
}

/** The same day for clients that are spread over so many processes. */
export function inProcesses({ world, clients }: Day, processes: number): Day {
  const [first, ...others] = listOf(clients).map((crowd) => ({ ...crowd, processes }));
  return first === undefined ? { world, clients } : { world, clients: [first, ...others] };
}

// ---------------------------------------------------------------- some requests

function sharesOf(path: string, share: number): readonly [RouteShare, RouteShare] {
  return [
    { path: '/', weight: 1 - share },
    { path, weight: share, guilty: true },
  ];
}

/** A share of the requests is for a route or from a tenant that is served differently. */
export function oddRoute(share: number, server: PlainServer, perSecond: number, durationMs: number): Day {
  const path = '/odd';
  const routed: ServerModel = { kind: 'routed', routes: [{ path, server }], otherwise: quick };
  return day(routed, stream(perSecond, { routes: sharesOf(path, share) }), durationMs);
}

/** A server that never answers. */
export const silence: PlainServer = { kind: 'scripted', answers: [{ answer: 'silence' }] };

/** A server that always gives this answer. */
export function always(status: number, retryAfter: number | false = false): PlainServer {
  return { ...quick, share: 1, status, retryAfter };
}

/** A route whose own limit is well below the demand. */
export function limitedRoute(share: number, perSecond: number): Day {
  const limit = { perSecond: (share * perSecond) / 5, burst: 1 };
  return oddRoute(share, limitedTo(limit), perSecond, 2 * minute);
}

/** A single request is told to wait; the others continue for a minute, and then have time to finish. */
export function oneRefusal(retryAfter: number, perSecond: number): Day {
  const path = '/odd';
  const routed: ServerModel = {
    kind: 'routed',
    routes: [{ path, server: always(429, retryAfter) }],
    otherwise: quick,
  };
  const one: Clients = {
    kind: 'burst',
    count: 1,
    atMs: refusedAtMs,
    routes: [{ path, weight: 1, guilty: true }],
  };
  const untilThen: OpenLoop['perSecond'] = [
    { fromMs: 0, perSecond },
    { fromMs: refusedAtMs + minute, perSecond: 0 },
  ];
  return day(routed, [stream(untilThen), one], refusedAtMs + minute + 15_000);
}

/** When that single request is sent. */
export const refusedAtMs = 30_000;

/** A job whose requests all fail, one after another with short pauses, besides a few good requests. */
export function badJob(status: number, perSecond: number, thinkMs: number): Day {
  const path = '/odd';
  const routed: ServerModel = {
    kind: 'routed',
    routes: [{ path, server: always(status) }],
    otherwise: quick,
  };
  const job: Clients = {
    kind: 'closed',
    count: 1,
    thinkMs,
    timeoutMs: 2_000,
    routes: [{ path, weight: 1, guilty: true }],
  };
  return day(routed, [stream(perSecond), job], 10 * minute);
}

// ---------------------------------------------------------------- some attempts

/** A share of the answers are failures, at random. */
export function partialFailure(share: number, perSecond: number, status = 503): Day {
  return day({ ...quick, share, status }, stream(perSecond), perSecond < 100 ? 10 * minute : minute);
}

/** A job has a list of requests, sends some of them at a time, and is over when it has the answers. */
export function flakyBatch(share: number, requests: number, atATime: number): Day {
  const job: Clients = { kind: 'closed', count: atATime, thinkMs: 1, requests, timeoutMs: 2_000 };
  return day({ ...quick, share }, job, 10 * minute);
}

/** One of several backends behaves differently from the others. */
function oddBackend(count: number, odd: PlainServer, perSecond: number, durationMs: number): Day {
  const backends = [{ server: odd }, { weight: count - 1, server: quick }] as const;
  return day({ kind: 'balanced', backends }, stream(perSecond), durationMs);
}

export function swallowingBackend(count: number, perSecond: number): Day {
  return oddBackend(count, silence, perSecond, 5 * minute);
}

/** A share of the attempts is never answered, although the work is done. */
export function lostAnswers(share: number, perSecond: number, durationMs: number): Day {
  return day(quick, stream(perSecond), durationMs, [{ kind: 'lose', fromMs: 0, forMs: durationMs, share }]);
}

// ---------------------------------------------------------------- the whole server, for a while

/** A deploy cuts off every request in flight once; each request takes 100 ms. */
export function resetWave(perSecond: number): Day {
  const server = { ...quick, latencyMs: 100 };
  return day(server, stream(perSecond), minute, [{ kind: 'reset', fromMs: 30_000, forMs: 1 }]);
}

/** The server refuses all connections for a while, then none for a while, and so on. */
export function flapping(downMs: number, upMs: number, perSecond: number): Day {
  return day(quick, stream(perSecond), minute, [{ kind: 'flap', fromMs: 0, forMs: minute, downMs, upMs }]);
}

/** Every answer takes that many times the usual 300 ms: some take longer than the clients wait. */
export function slowDown(times: number, perSecond: number): Day {
  const server: PlainServer = { ...quick, latencyMs: { medianMs: 300, spread: 0.5 } };
  const slow: Fault = { kind: 'slow', fromMs: 0, forMs: 2 * minute, times };
  return day(server, stream(perSecond), 2 * minute, [slow]);
}

/** A proxy in front of the server answers 503 for a moment. */
export function errorWave(forMs: number, perSecond: number): Day {
  const phases: ChangingServer['phases'] = [
    { fromMs: 0, server: quick },
    { fromMs: 30_000, server: always(503) },
    { fromMs: 30_000 + forMs, server: quick },
  ];
  return day({ kind: 'changing', phases }, stream(perSecond), minute);
}

/** A busy server is stopped for five seconds, and then works off everything that came meanwhile, first come, first served. */
export function keptBacklog(perSecond: number): Day {
  const server: PlainServer = { kind: 'queue', workers: 10, places: 1_000, serviceMs: 100 };
  const stop: Fault = { kind: 'stop', fromMs: stoppedAtMs, forMs: 5_000 };
  const service = { server, backlog: 4_096, faults: [stop] };
  return { world: { durationMs: 90_000, services: [service] }, clients: stream(perSecond) };
}

/** When it is stopped. */
export const stoppedAtMs = 30_000;

/**
 * A service with 64 workers needs another one for some of its requests, and a worker waits meanwhile. When that one hangs
 * for ten seconds, 56 workers wait for it at a time: a few more, and there is none for the other requests.
 */
export function hangingTier(): Day {
  const workers = { kind: 'queue', workers: 64, places: 0, serviceMs: 20, waits: true } as const;
  const hang: Fault = { kind: 'stop', fromMs: stoppedAtMs, forMs: 10_000 };
  const routes: OpenLoop['routes'] = [
    { path: '/', weight: 50 },
    { path: '/deep', weight: 28, guilty: true },
  ];
  return {
    world: {
      durationMs: minute,
      services: [
        { server: workers, onward: '/deep', timeoutMs: 2_000 },
        { server: quick, faults: [hang] },
      ],
    },
    clients: stream(78, { routes, timeoutMs: 4_000 }),
  };
}

/** The server pauses for a moment and then continues: a garbage collection, a migration of the machine. */
export function pause(forMs: number, perSecond: number): Day {
  return day(quick, stream(perSecond), minute, [{ kind: 'stop', fromMs: 30_000, forMs }]);
}

/** Down for a few seconds, then back and ten times as slow as usual for a while. */
export function slowStart(perSecond: number): Day {
  return day({ ...quick, latencyMs: 100 }, stream(perSecond), 2 * minute, [
    { kind: 'crash', fromMs: 30_000, forMs: 5_000 },
    { kind: 'slow', fromMs: 35_000, forMs: 20_000, times: 10 },
  ]);
}

// ---------------------------------------------------------------- the callers

/** A share of the callers leaves long before the answer. */
export function leavingCallers(share: number, perSecond: number): Day {
  const server: PlainServer = { ...quick, latencyMs: 200 };
  return day(server, stream(perSecond, { leaving: { share, afterMs: 50 } }), 2 * minute);
}

/** Callers leave while they wait for a limit. */
export function leavingUnderLimit(limit: Limit, perSecond: number): Day {
  const callers = stream(perSecond, { deadlineMs: 10_000, leaving: { share: 0.5, afterMs: 500 } });
  return day(limitedTo(limit), callers, 2 * minute);
}

/** Once a minute, a job sends all its requests at once to a server that fails now and then. */
export function cronBursts(count: number): Day {
  const burst: Clients = { kind: 'burst', count, atMs: 10_000, everyMs: minute, timeoutMs: 2_000 };
  return day({ ...quick, share: 0.02 }, burst, 10 * minute);
}

/** A health check of another service that is down, at the origin that the requests use. */
export function failingHealthCheck(perSecond: number): Day {
  const path = '/health/other';
  const routed: ServerModel = { kind: 'routed', routes: [{ path, server: always(503) }], otherwise: quick };
  const check: Clients = {
    kind: 'burst',
    count: 1,
    atMs: 0,
    everyMs: 500,
    routes: [{ path, weight: 1, guilty: true }],
  };
  return day(routed, [stream(perSecond), check], 10 * minute);
}

// ---------------------------------------------------------------- long polls

interface Polls {
  /** How many wait for news at the same time, and how long each waits before it asks again. */
  readonly pollers: number;
  readonly timeoutMs: number;
  /** Beside them, so many requests that are answered at once, all at the same moment and then again. */
  readonly quick: number;
  readonly everyMs: number;
  /** Default: `/events` and `/state`. */
  readonly paths?: { readonly poll: string; readonly quick: string };
  readonly processes?: number;
}

/** Requests that wait until there is news, of which there is none, beside others that are answered at once. */
export function longPolls({ pollers, timeoutMs, quick: count, everyMs, paths, processes = 1 }: Polls): Day {
  const { poll, quick: quickPath } = paths ?? { poll: '/events', quick: '/state' };
  const routed: ServerModel = { kind: 'routed', routes: [{ path: poll, server: silence }], otherwise: quick };
  const polling: Clients = {
    kind: 'closed',
    count: pollers,
    processes,
    thinkMs: 100,
    timeoutMs,
    routes: [{ path: poll, weight: 1, guilty: true }],
  };
  const asking: Clients = {
    kind: 'burst',
    count,
    processes,
    atMs: everyMs,
    everyMs,
    timeoutMs: 2_000,
    routes: [{ path: quickPath, weight: 1 }],
  };
  return day(routed, [polling, asking], 10 * minute + 5_000);
}

// ---------------------------------------------------------------- the time after an outage

/** The server is dead for a while. One that hangs never answers what it got meanwhile. */
export function dead(how: 'stop' | 'crash' | 'hang', forMs: number, perSecond: number, processes = 1): Day {
  const fault = how === 'hang' ? ({ kind: 'lose', share: 1 } as const) : { kind: how };
  const backAtMs = backAt(forMs);
  const faults: readonly Fault[] = [{ ...fault, fromMs: backAtMs - forMs, forMs }];
  return day(quick, stream(perSecond, { processes }), backAtMs + 15_000, faults);
}

/** It dies half a minute after the start, or a little later, and is back at a full second, from which one can count. */
export function backAt(forMs: number): number {
  return 30_000 + 1_000 * Math.ceil(forMs / 1_000);
}
