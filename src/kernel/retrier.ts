/** A policy with its live scopes, clock and random numbers: what every adapter talks to. */

import type { OverrideOptions, PolicyOptions } from '../core/policy/options.js';
import type { Parts } from '../core/policy/parts.js';
import type { Policy, PolicyLike, Rule } from '../core/policy/policy.js';
import { isForeignPolicy, type OwnPolicy, policyOf } from '../core/policy/policy.js';
import type { Settings } from '../core/policy/settings.js';
import type { RequestFacts } from '../core/types.js';
import { originIn } from './address.js';
import { withoutSecrets } from './events.js';
import type { FleetMember, FleetSnapshot } from './fleet.js';
import type { Limits, Siblings } from './limits/limits.js';
import { LiveSession } from './live-session.js';
import type { KernelParts } from './parts.js';
import type { Ports } from './ports.js';
import { realPorts } from './ports.js';
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
export interface OwnRetrier extends Pick<Retrier, 'policy' | 'ports' | typeof Symbol.toStringTag> {
  readonly policy: OwnPolicy;
  readonly parts: KernelParts;
  /** `beginsLater`: the deadline counts once the session is told so, which has to be in the same turn. */
  open(
    request: RequestFacts,
    override?: OverrideOptions,
    unknownOrigin?: string,
    socket?: string,
    beginsLater?: boolean,
  ): LiveSession;
}

/** What retries requests. All that a program may do with one beside that is in `public-retrier.ts`. */
export class LiveRetrier implements OwnRetrier, Siblings {
  readonly policy: OwnPolicy;
  readonly ports: Ports;
  readonly parts: KernelParts;
  protected readonly scopes: Scopes;
  private lastOrigin: string | undefined = undefined;
  private lastName = '';

  constructor(policy: OwnPolicy, ports: Ports, member?: FleetMember, onFirst?: (scope: Scope) => void) {
    this.policy = policy;
    // The core knows less of them than there is.
    this.parts = policy.parts as KernelParts;
    this.parts.advice?.showRemarks(policy);
    this.ports = ports;
    this.scopes = new Scopes(this, member, onFirst);
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
  ): LiveSession {
    const { policy } = this;
    const rule: Rule = policy.ruleFor(request);
    const settings = override === undefined ? rule.settings : policy.override(rule, override);
    const limits = this.limitsFor(rule, settings, request, unknownOrigin, socket);
    return new LiveSession(request, limits).opened(this.parts, beginsLater);
  }

  limitsFor(
    rule: Rule,
    settings: Settings,
    request: RequestFacts,
    unknownOrigin = 'unknown origin',
    socket?: string,
  ): Limits {
    return this.scopes.get(this.scopeName(settings, request, unknownOrigin, socket)).limitsOf(rule, settings);
  }

  private scopeName(
    { scope }: Settings,
    request: RequestFacts,
    unknownOrigin: string,
    socket: string | undefined,
  ): string {
    const name = typeof scope === 'function' ? this.parts.hooks?.scopeNameFrom(scope, request) : scope;
    if (name !== undefined && name !== 'origin') return name;
    if (socket === undefined) return this.originName(request, unknownOrigin);
    // A Unix socket leads to a server of its own, whatever the URL says.
    return request.origin === undefined ? `unix:${socket}` : `unix:${socket} ${this.originName(request, '')}`;
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
}

/** An origin in its normal spelling, which most are. */
const usual = /^https?:\/\/[a-z\d.-]+(?::(?!(?:80|443)$)\d+)?$/;

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
  // For one installation alone.
  if (given !== policy && !isForeignPolicy(given))
    return new LiveRetrier(
      policy,
      realPorts,
      undefined,
      (policy.parts as KernelParts).advice?.countsFirst(policy),
    );
  const retrier = retriers.get(policy) ?? new LiveRetrier(policy, realPorts);
  retriers.set(policy, retrier);
  return retrier;
}
