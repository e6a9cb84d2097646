/** Ordinary days on which a server refuses many requests: those of one tenant, or those that it cannot bear. */

import type { ChangingServer, Clients, Day, OpenLoop, PlainServer, ServerModel } from './world.js';

const minute = 60_000;
const quick = { kind: 'flaky', latencyMs: 50, share: 0, status: 503 } as const;

/** What the server says to those that it refuses. */
export interface Refusal {
  readonly status: number;
  readonly retryAfter: number | false;
}

/** One tenant is always refused, until it is served like the `others` after a minute and a half. */
export function refusedTenant(
  share: number,
  { status, retryAfter }: Refusal,
  perSecond: number,
  others: PlainServer = quick,
): Day {
  const path = '/tenant';
  const refused: PlainServer = { ...quick, latencyMs: 20, share: 1, status, retryAfter };
  const tenant: ChangingServer = {
    kind: 'changing',
    phases: [
      { fromMs: 0, server: refused },
      { fromMs: servedFromMs, server: others },
    ],
  };
  const server: ServerModel = { kind: 'routed', routes: [{ path, server: tenant }], otherwise: others };
  const clients: Clients = {
    kind: 'open',
    count: 100,
    perSecond,
    timeoutMs: 2_000,
    routes: [
      { path: '/', weight: 1 - share },
      { path, weight: share, guilty: true },
    ],
  };
  return { world: { durationMs: servedFromMs + minute / 2, services: [{ server }] }, clients };
}

/** When that tenant is served. */
export const servedFromMs: number = 1.5 * minute;

export interface Overload {
  /** What the server bears. */
  readonly perSecond: number;
  /** How many times as much is asked for, and for how long. Before and after, it is four fifths. */
  readonly times: number;
  readonly forMs: number;
  /** The constant `Retry-After` with which it sheds the rest. */
  readonly retryAfter: number;
}

/** A server with a short queue is overloaded for a while. */
export function shedding({ perSecond, times, forMs, retryAfter }: Overload): Day {
  const workers = Math.ceil(perSecond / 10);
  const server: PlainServer = {
    kind: 'queue',
    workers,
    places: Math.ceil(perSecond / 2),
    serviceMs: (1_000 * workers) / perSecond,
    retryAfter,
  };
  const usual = 0.8 * perSecond;
  const rates: OpenLoop['perSecond'] = [
    { fromMs: 0, perSecond: usual },
    { fromMs: overloadedFromMs, perSecond: times * perSecond },
    { fromMs: overloadedFromMs + forMs, perSecond: usual },
  ];
  const clients: Clients = { kind: 'open', count: 100, perSecond: rates, timeoutMs: 2_000 };
  return { world: { durationMs: overloadedFromMs + forMs + minute, services: [{ server }] }, clients };
}

/** When that overload begins. */
export const overloadedFromMs: number = minute / 3;
