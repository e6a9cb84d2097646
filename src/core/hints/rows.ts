/** The rows of hint sets, by name. */

import { bases } from './bases.js';
import type { HintSet } from './hint-set.js';
import type { HintSetName } from './sets.js';
import { vendors } from './vendors.js';

/** Those that an installation has. */
export type HintSets = Readonly<Partial<Record<HintSetName, HintSet>>>;

export const allHintSets: Readonly<Record<HintSetName, HintSet>> = /* @__PURE__ */ everyOne();

function everyOne(): typeof allHintSets {
  return { ...bases, ...vendors };
}

/** Throws for a name that the check of a policy would refuse. */
export function rowOf(name: HintSetName, sets: HintSets): HintSet {
  const row = Object.hasOwn(sets, name) ? sets[name] : undefined;
  if (row !== undefined) return row;
  throw new RangeError(`There is no hint set named ${JSON.stringify(name)}`);
}
