/** A policy with its live scopes, clock and random numbers: what every adapter talks to. */

import { found } from '../core/found.js';
import { limitNames } from '../core/limits/all.js';
import type { OverrideOptions, PolicyOptions } from '../core/policy/options.js';
import type { Parts } from '../core/policy/parts.js';
import type { Policy, PolicyLike, Rule } from '../core/policy/policy.js';
import { isForeignPolicy, type OwnPolicy, policyOf } from '../core/policy/policy.js';
import type { Settings } from '../core/policy/settings.js';
import { wrongReturn } from '../core/returned.js';
import type { RequestFacts, ToldRequest } from '../core/types.js';
import { originIn } from './address.js';
import { withoutSecrets } from './events.js';
import type { Fleet, FleetMember, FleetSnapshot, OpenFleet } from './fleet.js';
import type { Limits, Siblings } from './limits/limits.js';
import { LiveSession } from './live-session.js';
import type { KernelParts } from './parts.js';
import type { Ports } from './ports.js';
import { portsFrom, realPorts } from './ports.js';
import type { Scope, ScopeSnapshot } from './scope.js';
import { Scopes } from './scopes.js';
import type { Session } from './session.js';

export interface RetrierSnapshot {
  readonly scopes: readonly ScopeSnapshot[];
  /** Present only if the retrier shares its scopes with other processes. */
  readonly fleet?: FleetSnapshot;
}

/**
 * For parameters that take plain options as well: this mark alone tells a retrier apart, as another one does a policy.
 */
export interface RetrierLike {
  readonly [Symbol.toStringTag]: 'Retrier';
}

/** A policy together with the state of its scopes. `createRetrier` makes one. */
export interface Retrier extends RetrierLike {
  readonly policy: Policy;
  readonly ports: Ports;
  /**
   * Begins a request: picks its rule and finds its scope. `unknownOrigin` names the scope if the client cannot tell the
   * origin; `socket` is the path of the Unix socket that the request goes to.
   */
  open(request: RequestFacts, override?: OverrideOptions, unknownOrigin?: string, socket?: string): Session;
  /** The shared state as plain data, for logs and for tests. */
  snapshot(): RetrierSnapshot;
  /**
   * Forgets what was learnt about one scope, or about all: budgets are full and gates open again, also for requests
   * that are waiting.
   */
  reset(scope?: string): void;
}

/** A retrier of this copy of the package. */
export interface OwnRetrier extends Retrier {
  readonly policy: OwnPolicy;
  readonly parts: KernelParts;
  /** `beginsLater`: the deadline counts once the session is told so, which has to be in the same turn. */
  open(
    request: RequestFacts,
    override?: OverrideOptions,
    unknownOrigin?: string,
    socket?: string,
    beginsLater?: boolean,
  ): Session;
}

class LiveRetrier implements OwnRetrier, Siblings {
  readonly policy: OwnPolicy;
  readonly ports: Ports;
  readonly parts: KernelParts;
  private readonly scopes: Scopes;
  private readonly member: FleetMember | undefined;
  private lastOrigin: string | undefined = undefined;
  private lastName = '';

  constructor(policy: OwnPolicy, ports: Ports, fleet?: OpenFleet, onFirst?: (scope: Scope) => void) {
    this.policy = policy;
    // The core knows less of them than there is.
    this.parts = policy.parts as KernelParts;
    this.ports = ports;
    this.member = fleet?.join({ policy, ports });
    this.scopes = new Scopes(
      policy.maxScopes,
      policy.scopeIdleMs,
      this.parts,
      ports,
      this,
      this.member,
      onFirst,
    );
  }

  get [Symbol.toStringTag](): 'Retrier' {
    return 'Retrier';
  }

  open(
    request: RequestFacts,
    override?: OverrideOptions,
    unknownOrigin = 'unknown origin',
    socket?: string,
    beginsLater?: boolean,
  ): Session {
    const { policy } = this;
    const rule: Rule = policy.ruleFor(request);
    const settings = override === undefined ? rule.settings : policy.override(rule, override);
    const limits = this.limitsFor(settings, request, unknownOrigin, socket);
    return new LiveSession(request, rule, limits, this.parts, beginsLater);
  }

  limitsFor(
    settings: Settings,
    request: RequestFacts,
    unknownOrigin = 'unknown origin',
    socket?: string,
  ): Limits {
    return this.scopes.get(this.scopeName(settings, request, unknownOrigin, socket)).limitsOf(settings);
  }

  private scopeName(
    { scope }: Settings,
    request: RequestFacts,
    unknownOrigin: string,
    socket: string | undefined,
  ): string {
    const name = typeof scope === 'function' ? this.nameFrom(scope, request) : scope;
    if (name !== 'origin') return name;
    if (socket === undefined) return this.originName(request, unknownOrigin);
    // A Unix socket leads to a server of its own, whatever the URL says.
    return request.origin === undefined ? `unix:${socket}` : `unix:${socket} ${this.originName(request, '')}`;
  }

  private nameFrom(scope: (request: ToldRequest) => unknown, request: RequestFacts): string {
    const name = this.parts.hooks && scope(this.parts.hooks.toldRequest(request));
    // A blank name is refused: all requests without a name would share one scope.
    if (typeof name === 'string' && /\S/.test(name)) return name;
    throw wrongReturn('scope', name, '"origin" or a name that is not blank');
  }

  private originName({ origin }: RequestFacts, unknownOrigin: string): string {
    if (origin === undefined) return unknownOrigin;
    if (origin !== this.lastOrigin) {
      // One server is one scope, however its name is spelled. The name appears in events and snapshots, so userinfo must
      // not be part of it.
      this.lastName = usual.test(origin) ? origin : (originIn(origin) ?? withoutSecrets(origin));
      this.lastOrigin = origin;
    }
    return this.lastName;
  }

  snapshot(): RetrierSnapshot {
    const now = this.ports.now();
    this.scopes.sweep(now);
    const scopes = this.scopes.all().map((scope) => scope.snapshot(now));
    return this.member === undefined ? { scopes } : { scopes, fleet: this.member.snapshot() };
  }

  reset(scope?: string): void {
    this.scopes.reset(scope);
  }
}

/** An origin in its normal spelling, which most are. */
const usual = /^https?:\/\/[a-z\d.-]+(?::(?!(?:80|443)$)\d+)?$/;

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
): OwnRetrier {
  const fleet = fleetIn(options);
  return newRetrier(policy, portsFrom(ports), fleet);
}

function newRetrier(
  policy: OwnPolicy,
  ports: Ports = realPorts,
  fleet?: OpenFleet,
  onFirst?: (scope: Scope) => void,
): OwnRetrier {
  adviceOf(policy)?.showRemarks(policy);
  return new LiveRetrier(policy, ports, fleet, onFirst);
}

function adviceOf({ parts }: OwnPolicy): KernelParts['advice'] {
  return (parts as KernelParts).advice;
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

function isRetrier(given: unknown): given is LiveRetrier {
  try {
    return given instanceof LiveRetrier;
  } catch {
    // A proxy may throw on everything; the check of policies says so.
    return false;
  }
}

const retriers: WeakMap<Policy, OwnRetrier> = new WeakMap();

/**
 * For adapters: a policy that is passed twice shares one retrier; each options object gets its own, with these parts.
 */
export function retrierFrom(given: PolicyOptions | PolicyLike | RetrierLike = {}, parts: Parts): OwnRetrier {
  if (isRetrier(given)) return given;
  // A retrier of another copy of this package is not a policy: it is refused as one.
  const policy = policyOf(given, parts);
  if (given !== policy && !isForeignPolicy(given)) return ownRetrier(policy);
  const retrier = retriers.get(policy) ?? newRetrier(policy);
  retriers.set(policy, retrier);
  return retrier;
}

/** For one installation alone. */
function ownRetrier(policy: OwnPolicy): OwnRetrier {
  const { settings } = policy.fallback;
  const sharesNothing = limitNames.every((name) => settings[name] === false);
  return newRetrier(policy, undefined, undefined, sharesNothing ? undefined : adviceOf(policy)?.countFirst);
}
