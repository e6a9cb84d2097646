/** A policy: the checked, frozen list of rules, each filled in, and the lookup from a request to its rule. */

import type { Problem, Remark } from '../errors.js';
import { PolicyError } from '../errors.js';
import { found, unreadableObject } from '../found.js';
import { freezeDeep } from '../freeze.js';
import { leftOut } from '../left-out.js';
import type { RequestFacts } from '../types.js';
import { checkedPolicy } from './check/check.js';
import { checks } from './checks.js';
import { defaults } from './defaults.js';
import { defaultSettings, fillIn } from './fill-in.js';
import type { MatchObject, OverrideOptions, PolicyOptions } from './options.js';
import { Overrides } from './overrides.js';
import { readPattern } from './routes/patterns.js';
import type { Routes } from './routes/routes.js';
import { compileRoutes } from './routes/routes.js';
import type { Settings } from './settings.js';

/** A pattern with its settings, inherited ones filled in. */
export interface Rule {
  /** Position among the rules; -1 for the policy's own settings. */
  readonly index: number;
  /** The label for events: its own name, or its pattern. */
  readonly name: string;
  readonly settings: Settings;
}

/**
 * Where options are accepted as well, this mark is the type of a policy: no option has it, so editors offer options only,
 * and it is the same in every copy of this package's types.
 */
export interface PolicyLike {
  readonly [Symbol.toStringTag]: 'Policy';
}

/** A checked policy, its rules filled in. Made by `definePolicy`. */
export interface Policy extends PolicyLike {
  readonly rules: readonly Rule[];
  /** For requests that no rule matches. */
  readonly fallback: Rule;
  /** Parts of the policy that are valid but may be mistakes. */
  readonly remarks: readonly Remark[];
  readonly maxScopes: number;
  readonly scopeIdleMs: number;
  /** The first rule that matches. */
  ruleFor(request: RequestFacts): Rule;
  /** Overlays the settings of a single request on the rule that it matched. */
  override(rule: Rule, options: OverrideOptions): Settings;
  /** The options that it was made of; plain JSON if they contain no functions. */
  toJSON(): PolicyOptions;
}

/**
 * Checks options and makes a policy of them. Throws a `PolicyError` that lists all problems. A finished policy is
 * returned as it is.
 */
export function definePolicy(options: PolicyOptions | PolicyLike = {}): Policy {
  if (typeof options === 'string') throw new PolicyError([nameOnly(options)]);
  return policyFrom(options, checks.checkedPolicy);
}

/**
 * Makes a policy from data of any type, for example from a JSON file. It is checked like `definePolicy` does, even in a
 * bundle that was made without the check.
 */
export function parsePolicy(value: unknown): Policy {
  if (typeof value === 'string') throw new PolicyError([stillText]);
  return policyFrom(value, checkedPolicy);
}

function policyFrom(value: unknown, checked: (options: unknown) => PolicyOptions): Policy {
  if (isPolicy(value)) return value;
  return isForeignPolicy(value) ? ownOf(value) : new CheckedPolicy(checked(value));
}

/** Whether this copy of the package made it: the mark is only for types. */
export function isPolicy(value: unknown): value is Policy {
  try {
    return value instanceof CheckedPolicy;
  } catch {
    // A proxy may throw on everything; the check says so.
    return false;
  }
}

/**
 * Whether another copy of this package made it: the CommonJS one beside the ES modules, say, or another version. Its
 * filled-in settings may differ from ours, so only the options that it was made of are used.
 */
export function isForeignPolicy(value: unknown): value is Pick<Policy, 'toJSON'> {
  if (typeof value !== 'object' || value === null || isPolicy(value)) return false;
  try {
    const { [Symbol.toStringTag]: mark, toJSON } = value as Partial<Policy>;
    return mark === 'Policy' && typeof toJSON === 'function';
  } catch {
    return false;
  }
}

/** Passed twice, it becomes the same policy here. */
function ownOf(foreign: Pick<Policy, 'toJSON'>): Policy {
  const own = ownPolicies.get(foreign) ?? new CheckedPolicy(checks.checkedPolicy(optionsOf(foreign)));
  ownPolicies.set(foreign, own);
  return own;
}

function optionsOf(foreign: Pick<Policy, 'toJSON'>): unknown {
  try {
    return foreign.toJSON();
  } catch {
    throw new PolicyError([{ path: '', found: unreadableObject, allowed: 'an object' }]);
  }
}

const ownPolicies: WeakMap<object, Policy> = new WeakMap();

/** The command line takes names, and so people try them here. */
function nameOnly(given: string): Problem {
  const preset = given === 'llm' ? given : 'service';
  const advice = `Write presets.policies.${preset}, with the presets of "undaunted", or settings.`;
  return { path: '', found: found(given), allowed: 'an object', advice };
}

/** The text is not quoted: it may contain secrets. */
const stillText: Problem = {
  path: '',
  found: 'a string',
  allowed: 'an object',
  advice: 'Parse the JSON first: parsePolicy(JSON.parse(text)).',
};

/** A class, so that it keeps its identity when clients merge their configuration. */
class CheckedPolicy implements Policy {
  readonly rules: Policy['rules'];
  readonly fallback: Rule;
  readonly remarks: Policy['remarks'];
  readonly maxScopes: number;
  readonly scopeIdleMs: number;
  readonly #options: PolicyOptions;
  readonly #routes: Routes;
  readonly #overrides: Overrides = new Overrides();

  constructor(options: PolicyOptions) {
    this.#options = options;
    const { rules = [], maxScopes, scopeIdleMs } = this.#options;
    const settings = fillIn(this.#options, defaultSettings);
    this.fallback = Object.freeze({ index: -1, name: 'default', settings });
    this.rules = Object.freeze(
      rules.map((rule, index) =>
        Object.freeze({
          index,
          name: rule.name ?? nameOf(rule.match),
          settings: fillIn(rule, settings),
        }),
      ),
    );
    this.remarks = freezeDeep(checks.remarksOn(rules));
    this.maxScopes = maxScopes ?? defaults.maxScopes;
    this.scopeIdleMs = scopeIdleMs ?? defaults.scopeIdleMs;
    this.#routes = routesOf(rules);
    Object.freeze(this);
  }

  get [Symbol.toStringTag](): 'Policy' {
    return 'Policy';
  }

  ruleFor(request: RequestFacts): Rule {
    const index = this.#routes.match(request);
    // An index of -1 would be looked up as a property, slowly.
    return index < 0 ? this.fallback : (this.rules[index] ?? this.fallback);
  }

  override(rule: Rule, options: OverrideOptions): Settings {
    return this.#overrides.over(rule.settings, options);
  }

  toJSON(): PolicyOptions {
    return this.#options;
  }
}

/** The bundle may have been made without rules (docs/runtimes.md). */
function routesOf(rules: NonNullable<PolicyOptions['rules']>): Routes {
  if (typeof __UNDAUNTED_RULES__ === 'undefined' || __UNDAUNTED_RULES__) {
    return compileRoutes(rules.map(({ match }) => readPattern(match)));
  }
  if (rules.length === 0) return { match: () => -1 };
  throw new PolicyError([{ path: 'rules', found: 'a list', allowed: `none${leftOut('rules', 'RULES')}` }]);
}

function nameOf(match: string | MatchObject): string {
  if (typeof match === 'string') return match;
  const { methods = [], host = '', path = '' } = match;
  return [[methods].flat().join(','), `${host}${path}`].filter((part) => part !== '').join(' ') || '(test)';
}
