/** What each hint set reads, by its name. */

import { leftOut } from '../left-out.js';
import { bases } from './bases.js';
import type { HintSet } from './hint-set.js';
import type { HintSetName } from './sets.js';
import { vendors } from './vendors.js';

/** All of them, unless the bundle was made without the vendors' (docs/runtimes.md). */
const rows: Readonly<Partial<Record<HintSetName, HintSet>>> =
  typeof __UNDAUNTED_VENDORS__ === 'undefined' || __UNDAUNTED_VENDORS__ ? { ...bases, ...vendors } : bases;

/** The names that can be read here. */
export const knownNames: readonly HintSetName[] = Object.keys(rows) as HintSetName[];

/** There is none for what the check of a policy would refuse, and for what this bundle was made without. */
export function rowOf(name: HintSetName): HintSet {
  const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
  if (row !== undefined) return row;
  throw new RangeError(`There is no hint set named ${JSON.stringify(name)}${whyMissing}`);
}

/** Where the names of vendors are missing; else empty. */
export const whyMissing: string =
  typeof __UNDAUNTED_VENDORS__ === 'undefined' || __UNDAUNTED_VENDORS__
    ? ''
    : leftOut('those of vendors', 'VENDORS');
