/** The parts that a program names: what the light entries have, beside the essentials. */

import type { PolicyOptions } from '../core/policy/options.js';
import { type Check, essentials, type Part } from '../core/policy/parts.js';
import type { PolicyLike } from '../core/policy/policy.js';
import type { DriverParts } from '../drivers/parts.js';
import { type OwnRetrier, type RetrierLike, retrierFrom } from '../kernel/retrier.js';
import { check } from '../parts/check.js';

declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** Policies, and the parts beside them, are checked unless the program is made for production. */
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
    const { check, hints } = parts as { readonly check?: Check; readonly hints: object };
    check?.refuseStranger?.(part);
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

/** A policy or a retrier that is finished has its parts already. */
export function retrierWith(
  given: PolicyOptions | PolicyLike | RetrierLike | undefined,
  list: readonly Part[],
): OwnRetrier {
  const parts = partsOf(list);
  const retrier = retrierFrom(given, parts);
  parts.check?.refuseOthers?.(retrier.parts, parts);
  return retrier;
}
