/**
 * Whether a second attempt finds a connection beside the first. Where it only waits behind the first, as on a single
 * connection, it could never win, so there are no hedges for a while.
 */

import type { SessionScope } from '../../kernel/session.js';
import type { Dispatch } from './handlers.js';

/** A hedge may also have waited for a new connection, which says little once. */
const waitsInARow = 3;
const shortestMs = 1_000;
const longestMs = 60_000;
/** Pipelining is a setting of the client's, which hardly ever changes. */
const pipelinedMs = 600_000;

/** Until a pool was full, no request has to look for its own. */
let hasBeenFull = false;

class ConnectionPool {
  private waits = 0;
  private fullUntil = -Infinity;

  isFull(now: number): boolean {
    return now < this.fullUntil;
  }

  /** A hedge was sent on a connection of its own. */
  found(): void {
    this.waits = 0;
  }

  /** A hedge was still waiting for a connection when the other attempt ended. */
  waited(now: number): void {
    // It was sent before the pool was found full, together with those that found it.
    if (this.isFull(now)) return;
    this.waits += 1;
    const ms = shortestMs * 2 ** (this.waits - waitsInARow);
    if (this.waits >= waitsInARow) this.isFullUntil(now + Math.min(ms, longestMs));
  }

  /** A hedge was sent behind the first attempt, on the same HTTP/1.1 connection. */
  wasPipelined(now: number): void {
    this.isFullUntil(now + pipelinedMs);
  }

  private isFullUntil(time: number): void {
    this.fullUntil = time;
    hasBeenFull = true;
  }
}

export type { ConnectionPool };

const pools: WeakMap<Dispatch, WeakMap<SessionScope, ConnectionPool>> = new WeakMap();

/** Whether a hedge would only wait. */
export function isFull(dispatch: Dispatch, scope: SessionScope): boolean {
  return hasBeenFull && poolOf(dispatch, scope).isFull(scope.ports.now());
}

/** The connections that a dispatch function has for a scope, which is an origin as a rule. */
export function poolOf(dispatch: Dispatch, scope: SessionScope): ConnectionPool {
  const known = pools.get(dispatch) ?? new WeakMap<SessionScope, ConnectionPool>();
  const pool = known.get(scope) ?? new ConnectionPool();
  pools.set(dispatch, known.set(scope, pool));
  return pool;
}
