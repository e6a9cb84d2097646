/** A policy with its live scopes, clock and dice: what every adapter talks to. */

import { factsOf } from '../core/facts.js';
import type { OverrideOptions, PolicyOptions } from '../core/policy/options.js';
import type { Policy, Rule } from '../core/policy/policy.js';
import { definePolicy } from '../core/policy/policy.js';
import type { Settings } from '../core/policy/settings.js';
import { wrongReturn } from '../core/returned.js';
import type { RequestFacts } from '../core/types.js';
import { withoutSecrets } from './events.js';
import type { Ports } from './ports.js';
import { realPorts } from './ports.js';
import type { ScopeSnapshot } from './scope.js';
import { Scopes } from './scopes.js';
import { Session } from './session.js';
import { warnOnce } from './warning.js';

export interface RetrierSnapshot {
  readonly scopes: readonly ScopeSnapshot[];
}

export class Retrier {
  readonly policy: Policy;
  readonly ports: Ports;
  private readonly scopes: Scopes;
  private lastOrigin: string | undefined = undefined;
  private lastName = '';

  constructor(policy: Policy, ports: Ports) {
    this.policy = policy;
    this.ports = ports;
    this.scopes = new Scopes(policy.maxScopes, policy.scopeIdleMs, ports);
  }

  /**
   * A request begins: its rule is picked and its scope found. `unknownOrigin` names the scope where the
   * client cannot tell the origin; `socket` is the path of the Unix socket that it sends to.
   */
  open(
    request: RequestFacts,
    override?: OverrideOptions,
    unknownOrigin = 'unknown origin',
    socket?: string,
  ): Session {
    const { policy } = this;
    const rule: Rule = policy.ruleFor(request);
    const settings = override === undefined ? rule.settings : policy.override(rule, override);
    const scope = this.scopes.get(this.scopeName(settings, request, unknownOrigin, socket));
    return new Session(request, rule, settings, scope);
  }

  private scopeName(
    { scope }: Settings,
    request: RequestFacts,
    unknownOrigin: string,
    socket: string | undefined,
  ): string {
    const name = typeof scope === 'function' ? nameReturned(scope(factsOf(request))) : scope;
    if (name !== 'origin') return name;
    if (socket === undefined) return this.originName(request, unknownOrigin);
    // Behind it stands another server, whatever the URL says.
    return request.origin === undefined ? `unix:${socket}` : `unix:${socket} ${this.originName(request, '')}`;
  }

  private originName({ origin }: RequestFacts, unknownOrigin: string): string {
    if (origin === undefined) return unknownOrigin;
    if (origin !== this.lastOrigin) {
      // Names are shown in events and snapshots.
      this.lastName = origin.includes('@') ? withoutSecrets(origin) : origin;
      this.lastOrigin = origin;
    }
    return this.lastName;
  }

  /** The shared state as plain data, for logs and for tests. */
  snapshot(): RetrierSnapshot {
    const now = this.ports.now();
    this.scopes.sweep(now);
    return { scopes: this.scopes.all().map((scope) => scope.snapshot(now)) };
  }

  /** Forgets what was learnt of one scope, or of all: budgets are full and gates open again, also for those who wait. */
  reset(scope?: string): void {
    this.scopes.reset(scope);
  }
}

/** Requests without a name would all share one scope. */
function nameReturned(name: unknown): string {
  if (typeof name === 'string' && /\S/.test(name)) return name;
  throw wrongReturn('scope', name, '"origin" or a name that is not blank');
}

/** Each call makes a retrier of its own: what shares it, shares its budgets. */
export function createRetrier(policy: Policy | PolicyOptions = {}, ports: Partial<Ports> = {}): Retrier {
  const defined = definePolicy(policy);
  for (const { path, says, advice } of defined.remarks) warnOnce(`undaunted: ${path}: ${says}. ${advice}`);
  return new Retrier(defined, { ...realPorts, ...ports });
}

const retriers: WeakMap<Policy, Retrier> = new WeakMap();

/** For adapters: a policy passed twice shares one retrier, an options object makes its own. */
export function retrierFor(given: Retrier | Policy | PolicyOptions = {}): Retrier {
  if (given instanceof Retrier) return given;
  const policy = definePolicy(given);
  const retrier = retriers.get(policy) ?? createRetrier(policy);
  if (given === policy) retriers.set(policy, retrier);
  return retrier;
}
