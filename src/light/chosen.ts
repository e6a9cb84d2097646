/** The parts that a program names: what the light entries have, beside the essentials. */

import { refuseStranger } from '../core/policy/check/check.js';
import type { PolicyOptions } from '../core/policy/options.js';
import { essentials, type Part, type Parts } from '../core/policy/parts.js';
import type { PolicyLike } from '../core/policy/policy.js';
import type { DriverParts } from '../drivers/parts.js';
import { type OwnRetrier, type RetrierLike, retrierFrom } from '../kernel/retrier.js';
import { check } from '../parts/check.js';

declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** Policies, and the parts beside them, are checked unless the program is made for production: its bundle has no check. */
export function partsOf(list: readonly Part[]): DriverParts {
  if (
    // A bundler has put the value in the place of `process.env.NODE_ENV`, so that it can be read where there is no `process`:
    // in the page of a development server. A call that is marked as pure falls away from a bundle that does not need it.
    /* @__PURE__ */ (() => !String(() => process.env.NODE_ENV).includes('process'))() ||
    typeof process !== 'undefined'
  ) {
    if (process.env.NODE_ENV !== 'production') return checkedParts(list);
  }
  return recordOf(list);
}

/** Those in the list, with the check, which looks at them first. */
export function checkedParts(list: readonly Part[]): DriverParts {
  list.forEach(refuseStranger);
  return recordOf([check, ...list]);
}

/** The parts by their names, with those that they need themselves. */
function recordOf(list: readonly Part[]): DriverParts {
  const parts: Record<string, object> = { ...essentials };
  const add = (part: Part): void => {
    const { hints = {} } = parts;
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

/** A policy or a retrier that is finished has its parts already, and would not use those that are given beside it. */
export function retrierWith(
  given: PolicyOptions | PolicyLike | RetrierLike | undefined,
  list: readonly Part[],
): OwnRetrier {
  const retrier = retrierFrom(given, partsOf(list));
  if (list.some((part) => isNew(part, retrier.parts)))
    throw new TypeError('undaunted: a finished policy has its parts: give the list to definePolicy()');
  return retrier;
}

/** The check is new to none: a policy that is finished needs it no more. */
function isNew({ part, sets = {} }: Part & Sets, own: Parts): boolean {
  return part === 'hints'
    ? Object.keys(sets).some((name) => !(name in own.hints.sets))
    : part !== 'check' && own[part] === essentials[part];
}
