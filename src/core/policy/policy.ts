/** A policy: the checked, frozen list of rules, each filled in, and the lookup from a request to its rule. */

import type { Remark } from '../errors.js';
import { PolicyError } from '../errors.js';
import { found, unreadableObject } from '../found.js';
import { freezeDeep, frozenCopy } from '../freeze.js';
import { isObject } from '../is-object.js';
import type { RequestFacts } from '../types.js';
import { usualDefaults } from './defaults.js';
import { defaultSettings, fillIn } from './fill-in.js';
import type { OverrideOptions, PolicyOptions } from './options.js';
import { missingIn, needsPart, type OverridesPart, type Parts } from './parts.js';
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

/** A policy of this copy of the package, with the parts that it was defined with. */
export interface OwnPolicy extends Policy {
  readonly parts: Parts;
}

/** Throws a `PolicyError` that lists all problems. A finished policy is returned as it is. */
export function policyOf(options: unknown, parts: Parts): OwnPolicy {
  parts.check?.refuseText(options, true);
  return policyFrom(options, parts);
}

/** The same, of data that comes from outside. */
export function policyIn(value: unknown, parts: Parts): OwnPolicy {
  parts.check?.refuseText(value, false);
  return policyFrom(value, parts);
}

function policyFrom(value: unknown, parts: Parts): OwnPolicy {
  if (isPolicy(value)) return value;
  return isForeignPolicy(value) ? ownOf(value, parts) : new CheckedPolicy(value, parts);
}

/** Whether this copy of the package made it: the mark is only for types. */
export function isPolicy(value: unknown): value is OwnPolicy {
  return CheckedPolicy.has(value);
}

/**
 * Whether another copy of this package made it: the CommonJS one beside the ES modules, say, or another version. Its
 * filled-in settings may differ from ours, so only the options that it was made of are used.
 */
export function isForeignPolicy(value: unknown): value is Pick<Policy, 'toJSON'> {
  if (isPolicy(value)) return false;
  try {
    const { [Symbol.toStringTag]: mark, toJSON } = Object(value) as Partial<Policy>;
    return mark === 'Policy' && typeof toJSON === 'function';
  } catch {
    return false;
  }
}

/** Passed twice, it becomes the same policy here. */
function ownOf(foreign: Pick<Policy, 'toJSON'>, parts: Parts): OwnPolicy {
  const own = ownPolicies.get(foreign) ?? new CheckedPolicy(optionsOf(foreign), parts);
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

const ownPolicies: WeakMap<object, OwnPolicy> = new WeakMap();

/** A class, so that it keeps its identity when clients merge their configuration. */
class CheckedPolicy implements OwnPolicy {
  readonly rules: Policy['rules'];
  readonly fallback: Rule;
  readonly remarks: Policy['remarks'];
  readonly maxScopes: number;
  readonly scopeIdleMs: number;
  readonly parts: Parts;
  readonly #options: PolicyOptions;
  readonly #ruleAt: (request: RequestFacts) => number;
  readonly #overrides: InstanceType<OverridesPart['Overrides']>;

  constructor(given: unknown, parts: Parts) {
    const { check } = parts;
    this.parts = parts;
    this.#options = check === undefined ? uncheckedPolicy(given, parts) : check.checkedPolicy(given, parts);
    this.#overrides = new (parts.overrides?.Overrides ?? WithoutRetries)(parts);
    const { rules = [], maxScopes, scopeIdleMs } = this.#options;
    const settings = fillIn(this.#options, defaultSettings(parts), parts);
    this.fallback = Object.freeze({ index: -1, name: 'default', settings });
    this.rules = Object.freeze(
      rules.map((rule, index) =>
        Object.freeze({
          index,
          name: rule.name ?? parts.rules?.nameOf(rule.match) ?? '',
          settings: fillIn(rule, settings, parts),
        }),
      ),
    );
    this.remarks = freezeDeep(check?.remarksOn(rules) ?? []);
    this.maxScopes = maxScopes ?? usualDefaults.maxScopes;
    this.scopeIdleMs = scopeIdleMs ?? usualDefaults.scopeIdleMs;
    const routes = rules.length === 0 ? undefined : parts.rules?.routesOf(rules);
    this.#ruleAt = routes === undefined ? noRule : (request) => routes.match(request);
    Object.freeze(this);
  }

  /** Unlike `instanceof`, this asks nothing of a proxy, which may throw on everything; the check says so. */
  static has(value: unknown): value is OwnPolicy {
    return isObject(value) && #options in value;
  }

  get [Symbol.toStringTag](): 'Policy' {
    return 'Policy';
  }

  ruleFor(request: RequestFacts): Rule {
    const index = this.#ruleAt(request);
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

const noRule = (): number => -1;

/** Without the part for overrides, a request may be sent without retries, and no more. */
class WithoutRetries {
  private readonly parts: Parts;
  private readonly known: Map<Settings, Settings> = new Map();

  constructor(parts: Parts) {
    this.parts = parts;
  }

  over(inherited: Settings, options: OverrideOptions): Settings {
    // From JavaScript, it may be null.
    if (options?.retry !== false || Object.keys(options).length > 1)
      throw new PolicyError([needsPart('', options, 'nothing', 'overrides')]);
    const settings = this.known.get(inherited) ?? fillIn(options, inherited, this.parts);
    this.known.set(inherited, settings);
    return settings;
  }
}

/** In place of the check: a frozen copy, in which nothing is looked for but what the parts do not have. */
function uncheckedPolicy(given: unknown, parts: Parts): PolicyOptions {
  if (!isObject(given)) throw new PolicyError([{ path: '', found: found(given), allowed: 'an object' }]);
  const options = frozenCopy(given as PolicyOptions);
  const missing = missingIn(options, parts);
  if (missing.length > 0) throw new PolicyError(missing);
  return options;
}
