/**
 * The scopes of a retrier. Their number is bounded (the least recently used goes first), and idle scopes expire; but a
 * scope stays for as long as attempts occupy its limits. Both work without a timer, and a request to a known scope reads
 * no clock for it.
 */

import type { FleetMember } from './fleet.js';
import type { Siblings } from './limits/limits.js';
import type { KernelParts } from './parts.js';
import type { Ports } from './ports.js';
import { forget, renewed, Scope } from './scope.js';

export class Scopes {
  /** In order of last use: the first is the least recently used. */
  readonly byName: Map<string, Scope> = new Map();
  private newest: Scope | undefined = undefined;
  private sweptAt = Number.NEGATIVE_INFINITY;
  private readonly most: number;
  private readonly idleMs: number;
  private readonly parts: KernelParts;
  private readonly ports: Ports;
  private readonly siblings: Siblings;
  readonly fleet: FleetMember | undefined;
  private onFirst: ((scope: Scope) => void) | undefined;

  constructor(
    most: number,
    idleMs: number,
    parts: KernelParts,
    ports: Ports,
    siblings: Siblings,
    fleet?: FleetMember,
    onFirst?: (scope: Scope) => void,
  ) {
    this.onFirst = onFirst;
    this.most = most;
    this.idleMs = idleMs;
    this.parts = parts;
    this.ports = ports;
    this.siblings = siblings;
    this.fleet = fleet;
  }

  get(name: string): Scope {
    let scope = this.newest;
    if (scope === undefined || scope.name !== name) {
      const known = this.byName.get(name);
      scope = known ?? this.create(name);
      // Moves the scope to the end: a Map keeps the order of insertion.
      this.byName.delete(name);
      this.byName.set(name, scope);
      this.newest = scope;
      if (known === undefined) return scope;
    }
    scope.uses = 2;
    return scope;
  }

  private create(name: string): Scope {
    const scope = this.made(name);
    this.onFirst?.(scope);
    this.onFirst = undefined;
    return scope;
  }

  private made(name: string): Scope {
    this.sweep(this.ports.now());
    for (const oldest of this.byName.values()) {
      if (this.byName.size < this.most) break;
      if (oldest.isOccupied) continue;
      oldest.close();
      this.byName.delete(oldest.name);
    }
    return new Scope(name, this.parts, this.ports, this.siblings, this.fleet);
  }

  /** For callers that have read the clock anyway. Sweeps at most four times per idle time. */
  sweep(now: number): void {
    if (now - this.sweptAt < this.idleMs / 4) return;
    this.sweptAt = now;
    for (const scope of this.byName.values()) {
      if (scope.uses > 0) {
        scope.uses = 0;
        scope.usedAt = now;
      } else if (now - scope.usedAt >= this.idleMs && !scope.isOccupied) {
        this.forget(scope);
      }
    }
  }

  /** Requests that are under way keep the scope that they have. */
  forget(scope: Scope): void {
    scope.close();
    this.byName.delete(scope.name);
    if (this.newest === scope) this.newest = undefined;
  }
}

/** Resets one scope, or all of them; requests that wait there can go. */
export function resetScopes(scopes: Scopes, name?: string): void {
  const { byName, fleet } = scopes;
  for (const scope of [...byName.values()]) {
    if (name !== undefined && scope.name !== name) continue;
    forget(scope);
    scopes.forget(scope);
    const anew = renewed(scope, fleet);
    if (anew !== undefined) byName.set(scope.name, anew);
  }
}
