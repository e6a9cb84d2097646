/** The parts that a program names: what the light entries have, beside the essentials. */

import { found } from '../core/found.js';
import type { PolicyOptions } from '../core/policy/options.js';
import { essentials, type Part } from '../core/policy/parts.js';
import type { PolicyLike } from '../core/policy/policy.js';
import type { DriverParts } from '../drivers/parts.js';
import { type OwnRetrier, type RetrierLike, retrierFrom } from '../kernel/retrier.js';
import { check } from '../parts/all.js';

declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** Policies are checked, unless the program is made for production. */
export function partsOf(list: readonly Part[]): DriverParts {
  const checked =
    (typeof process !== 'undefined' || /* @__PURE__ */ isReplaced()) && process.env.NODE_ENV !== 'production'
      ? [check, ...list]
      : list;
  return recordOf(checked);
}

/**
 * A bundler has put the value in the place of `process.env.NODE_ENV`, so that it can be read where there is no `process`:
 * in the page of a development server. It stands last, so that a bundle for production has neither the check nor this.
 */
function isReplaced(): boolean {
  return !String(() => process.env.NODE_ENV).includes('process');
}

/** The parts by their names, with those that they need themselves. */
export function recordOf(list: readonly Part[]): DriverParts {
  const parts: Record<string, object> = { ...essentials };
  const add = (part: Part): void => {
    if (typeof part?.part !== 'string') throw notPart(part);
    const { hints } = parts as { readonly hints: object };
    parts[part.part] = part.part === 'hints' ? merged(hints, part as Sets) : part;
    part.needs?.forEach(add);
  };
  list.forEach(add);
  return parts as unknown as DriverParts;
}

interface Sets {
  readonly sets?: object;
}

function merged(some: Sets, more: Sets): object {
  return { ...some, ...more, sets: { ...some.sets, ...more.sets } };
}

function notPart(given: unknown): TypeError {
  return new TypeError(
    `undaunted: the list after the policy takes parts, such as import { rules } from 'undaunted/parts', but got ${found(given)}`,
  );
}

/** A policy or a retrier that is finished has its parts already. */
export function retrierWith(
  given: PolicyOptions | PolicyLike | RetrierLike | undefined,
  list: readonly Part[],
): OwnRetrier {
  const parts = partsOf(list);
  const retrier = retrierFrom(given, parts);
  const { failures } = essentials;
  const lacksFailures = parts.failures !== failures && retrier.parts.failures === failures;
  if (lacksFailures || lacks(retrier.parts, parts) || lacks(retrier.parts.hints.sets, parts.hints.sets))
    throw new TypeError(
      'undaunted: a finished policy has its parts already: give the list to definePolicy(options, list)',
    );
  return retrier;
}

function lacks(some: object, others: object): boolean {
  return Object.keys(others).some((name) => name !== 'check' && name !== 'advice' && !(name in some));
}
