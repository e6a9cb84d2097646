/** The check, as policies use it. A bundle may be made without it (docs/runtimes.md). */

import type { Remark } from '../errors.js';
import { checkedOverride, checkedPolicy } from './check/check.js';
import { remarksOn } from './check/remarks.js';
import type { OverrideOptions, PolicyOptions } from './options.js';

interface Checks {
  /** Returns a frozen copy of the options, or throws a `PolicyError`. */
  readonly checkedPolicy: (options: unknown) => PolicyOptions;
  readonly checkedOverride: (options: unknown) => OverrideOptions;
  readonly remarksOn: (rules: NonNullable<PolicyOptions['rules']>) => readonly Remark[];
}

const noRemarks = (): readonly Remark[] => [];

export const checks: Checks =
  typeof __UNDAUNTED_CHECK__ === 'undefined' || __UNDAUNTED_CHECK__
    ? { checkedPolicy, checkedOverride, remarksOn: remarksHere() }
    : { checkedPolicy: frozenCopy, checkedOverride: frozenCopy, remarksOn: noRemarks };

/** All remarks are on rules, which a bundle may be made without, too. */
function remarksHere(): Checks['remarksOn'] {
  return typeof __UNDAUNTED_RULES__ === 'undefined' || __UNDAUNTED_RULES__ ? remarksOn : noRemarks;
}

/** Replaces the check in a bundle without one: it copies the options without checking them. */
function frozenCopy<T>(value: unknown): T {
  if (typeof value !== 'object' || value === null) return value as T;
  const copy = Array.isArray(value)
    ? value.map(frozenCopy)
    : Object.fromEntries(
        Object.entries(value).flatMap(([key, part]) => (part === undefined ? [] : [[key, frozenCopy(part)]])),
      );
  return Object.freeze(copy) as T;
}
