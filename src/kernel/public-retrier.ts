/**
 * A retrier that a program has made itself: with ports of its own, perhaps in a fleet, and it can be looked into and reset.
 * A page whose retriers are made by the entries carries nothing of this.
 */

import { found } from '../core/found.js';
import type { OwnPolicy } from '../core/policy/policy.js';
import type { Fleet, FleetMember, OpenFleet } from './fleet.js';
import type { Ports } from './ports.js';
import { portsFrom } from './ports.js';
import { LiveRetrier, type Retrier, type RetrierSnapshot } from './retrier.js';
import { snapshotOf } from './scope.js';
import { resetScopes } from './scopes.js';

export interface RetrierOptions {
  /**
   * The processes that share the retrier's scopes: they have their budgets, gates and holds in common.
   * @default none
   */
  readonly fleet?: Fleet;
}

/** A new retrier. */
export function retrierOf(
  policy: OwnPolicy,
  ports: Partial<Ports> = {},
  options: RetrierOptions = {},
): PublicRetrier {
  const fleet = fleetIn(options);
  return new PublicRetrier(policy, portsFrom(ports), fleet);
}

class PublicRetrier extends LiveRetrier implements Retrier {
  private readonly member: FleetMember | undefined;

  constructor(policy: OwnPolicy, ports: Ports, fleet: OpenFleet | undefined) {
    const member = fleet?.join({ policy, ports });
    super(policy, ports, member);
    this.member = member;
  }

  snapshot(): RetrierSnapshot {
    const now = this.ports.now();
    this.scopes.sweep(now);
    const scopes = [...this.scopes.byName.values()].map((scope) => snapshotOf(scope, now));
    return this.member === undefined ? { scopes } : { scopes, fleet: this.member.snapshot() };
  }

  reset(scope?: string): void {
    resetScopes(this.scopes, scope);
  }
}

function fleetIn(options: RetrierOptions): OpenFleet | undefined {
  const { fleet } = options;
  if (fleet === undefined && !('join' in options)) return undefined;
  if (isOpen(fleet)) return fleet;
  const got = fleet === undefined ? 'a fleet without { }' : found(fleet);
  throw new TypeError(
    `undaunted: createRetrier() takes { fleet: redisFleet(client) } as its third argument, but got ${got}`,
  );
}

function isOpen(fleet: Fleet | undefined): fleet is OpenFleet {
  return typeof Object(fleet).join === 'function';
}
