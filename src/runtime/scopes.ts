/**
 * The scopes of a retrier: bounded (the one that was used longest ago goes first), and idle ones expire.
 * Both without a timer, and without reading a clock for a scope that is known.
 */

import type { FleetMember } from './fleet.js';
import type { Ports } from './ports.js';
import { Scope } from './scope.js';

export class Scopes {
  /** In the order of last use: the first is the oldest. */
  private readonly byName: Map<string, Scope> = new Map();
  private newest: Scope | undefined = undefined;
  private sweptAt = Number.NEGATIVE_INFINITY;
  private readonly most: number;
  private readonly idleMs: number;
  private readonly ports: Ports;
  private readonly fleet: FleetMember | undefined;

  constructor(most: number, idleMs: number, ports: Ports, fleet?: FleetMember) {
    this.most = most;
    this.idleMs = idleMs;
    this.ports = ports;
    this.fleet = fleet;
  }

  get(name: string): Scope {
    let scope = this.newest;
    if (scope === undefined || scope.name !== name) {
      scope = this.byName.get(name) ?? this.create(name);
      // Moved to the end: a Map keeps the order of insertion.
      this.byName.delete(name);
      this.byName.set(name, scope);
      this.newest = scope;
    }
    scope.used = true;
    return scope;
  }

  private create(name: string): Scope {
    this.sweep(this.ports.now());
    for (const oldest of this.byName.keys()) {
      if (this.byName.size < this.most) break;
      this.byName.get(oldest)?.close();
      this.byName.delete(oldest);
    }
    return new Scope(name, this.ports, this.fleet);
  }

  /** To be called where a clock was read anyway; looks four times in an idle time, not more often. */
  sweep(now: number): void {
    if (now - this.sweptAt < this.idleMs / 4) return;
    this.sweptAt = now;
    for (const scope of this.byName.values()) {
      if (scope.used) {
        scope.used = false;
        scope.usedAt = now;
      } else if (now - scope.usedAt >= this.idleMs) {
        this.forget(scope.name);
      }
    }
  }

  /** One scope, or all of them; and nothing is in the way any more of those who wait there. */
  reset(name?: string): void {
    for (const scope of this.byName.values()) if (name === undefined || scope.name === name) scope.forget();
    this.forget(name);
  }

  /** Requests under way keep the state that they have. */
  private forget(name?: string): void {
    for (const scope of this.byName.values()) if (name === undefined || scope.name === name) scope.close();
    if (name === undefined) this.byName.clear();
    else this.byName.delete(name);
    if (name === undefined || this.newest?.name === name) this.newest = undefined;
  }

  all(): Scope[] {
    return [...this.byName.values()];
  }
}
