/** Policies and retriers with only those parts that a program names: for pages, where every part is loaded by every visitor. */

import type { PolicyOptions } from '../core/policy/options.js';
import type { Part } from '../core/policy/parts.js';
import { type Policy, type PolicyLike, policyIn, policyOf } from '../core/policy/policy.js';
import type { Ports } from '../kernel/ports.js';
import { type RetrierOptions, retrierOf } from '../kernel/public-retrier.js';
import type { Retrier } from '../kernel/retrier.js';
import { checkedParts, partsOf } from './chosen.js';
import type { PolicyWith } from './options.js';

export { AttemptTimeoutError, DeadlineError, PolicyError } from '../core/errors.js';
export { ConcurrencyError } from '../core/limits/concurrency/error.js';
export { GateShutError } from '../core/limits/gate/error.js';
export { HeldError } from '../core/limits/hold/error.js';
export type { Part, PartName } from '../core/policy/parts.js';
export { historyOf } from '../kernel/history.js';
export type { OverrideWith, PolicyWith, RuleWith } from './options.js';

/**
 * Makes a policy that carries these parts, for any entry: `definePolicy({ hold: true }, [hold])`. What it asks for and the
 * list does not have is an error. Unless `process.env.NODE_ENV` is `'production'`, the options are checked.
 */
export function definePolicy<const List extends readonly Part[] = readonly []>(
  options?: PolicyWith<List> | PolicyLike,
  parts?: List,
): Policy {
  return policyOf(options ?? {}, partsOf(parts ?? []));
}

/** Makes a policy from data of any type, for example from a JSON file. It is always checked, so it brings the check along. */
export function parsePolicy(value: unknown, parts: readonly Part[] = []): Policy {
  return policyIn(value, checkedParts(parts));
}

/** Makes a new retrier. Adapters that are given the same retrier share its budgets, and everything else that is learnt. */
export function createRetrier(
  policy?: PolicyWith<readonly []> | PolicyLike,
  ports?: Partial<Ports>,
  options?: RetrierOptions,
): Retrier {
  return retrierOf(policyOf(policy ?? ({} satisfies PolicyOptions), partsOf([])), ports, options);
}
