/** The rows of all hint sets, by name. */

import { leftOut } from '../left-out.js';
import { bases } from './bases.js';
import type { HintSet } from './hint-set.js';
import type { HintSetName } from './sets.js';
import { vendors } from './vendors.js';

/** All rows. A bundle may be made without those of vendors (docs/runtimes.md). */
const rows: Readonly<Partial<Record<HintSetName, HintSet>>> =
  typeof __UNDAUNTED_VENDORS__ === 'undefined' || __UNDAUNTED_VENDORS__ ? { ...bases, ...vendors } : bases;

/** The names of the sets that this build has. */
export const knownNames: readonly HintSetName[] = Object.keys(rows) as HintSetName[];

/** Throws for a name that the check of a policy would refuse, or that this bundle was made without. */
export function rowOf(name: HintSetName): HintSet {
  const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
  if (row !== undefined) return row;
  throw new RangeError(`There is no hint set named ${JSON.stringify(name)}${whyMissing}`);
}

/** Added to errors if this bundle was made without the vendors' sets; otherwise empty. */
export const whyMissing: string =
  typeof __UNDAUNTED_VENDORS__ === 'undefined' || __UNDAUNTED_VENDORS__
    ? ''
    : leftOut('those of vendors', 'VENDORS');
