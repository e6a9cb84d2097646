/**
 * The scopes of a retrier. Their number is bounded (the least recently used goes first), and idle scopes expire; but a
 * scope stays for as long as attempts occupy its limits. Both work without a timer, and a request to a known scope reads
 * no clock for it.
 */

import type { Policy } from '../core/policy/policy.js';
import type { FleetMember } from './fleet.js';
import { forget, renewed, Scope, type ScopeOwner } from './scope.js';

export class Scopes {
  /** In order of last use: the first is the least recently used. */
  readonly byName: Map<string, Scope> = new Map();
  private newest: Scope | undefined = undefined;
  private sweptAt = -Infinity;
  readonly retrier: ScopeOwner & { readonly policy: Pick<Policy, 'maxScopes' | 'scopeIdleMs'> };
  readonly fleet: FleetMember | undefined;
  private onFirst: ((scope: Scope) => void) | undefined;

  constructor(retrier: Scopes['retrier'], fleet?: FleetMember, onFirst?: (scope: Scope) => void) {
    this.retrier = retrier;
    this.fleet = fleet;
    this.onFirst = onFirst;
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
    const { byName, retrier } = this;
    this.sweep(retrier.ports.now());
    for (const oldest of byName.values()) {
      if (byName.size < retrier.policy.maxScopes) break;
      if (!oldest.isOccupied) this.forget(oldest);
    }
    const scope = new Scope(name, retrier, this.fleet);
    this.onFirst?.(scope);
    this.onFirst = undefined;
    return scope;
  }

  /** For callers that have read the clock anyway. Sweeps at most four times per idle time. */
  sweep(now: number): void {
    const { scopeIdleMs } = this.retrier.policy;
    if (now - this.sweptAt < scopeIdleMs / 4) return;
    this.sweptAt = now;
    for (const scope of this.byName.values()) {
      if (scope.uses > 0) {
        scope.uses = 0;
        scope.usedAt = now;
      } else if (now - scope.usedAt >= scopeIdleMs && !scope.isOccupied) {
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
  const { byName, retrier, fleet } = scopes;
  for (const scope of [...byName.values()]) {
    if (name !== undefined && scope.name !== name) continue;
    forget(scope);
    scopes.forget(scope);
    const anew = renewed(scope, retrier, fleet);
    if (anew !== undefined) byName.set(scope.name, anew);
  }
}
