/** The rows of hint sets, by name. */

import { bases } from './bases.js';
import type { HintSet } from './hint-set.js';
import { type HintSetOption, type OwnHints, ownRow } from './own.js';
import type { HintSetName } from './sets.js';
import { vendors } from './vendors.js';

/** Stands among the names of sets for hints of one's own: no set has this name. */
export const ownKey = '{}';

/** Those that an installation has. */
export interface HintSets extends Readonly<Partial<Record<HintSetName, HintSet>>> {
  /** Makes rows of hints of one's own. */
  readonly [ownKey]?: (own: OwnHints) => HintSet;
}

export const allHintSets: Readonly<Record<HintSetName, HintSet>> & HintSets = /* @__PURE__ */ everyOne();

function everyOne(): typeof allHintSets {
  return { ...bases, ...vendors, [ownKey]: ownRow };
}

/** Throws for a name that the check of a policy would refuse. */
export function rowOf(name: HintSetOption, sets: HintSets): HintSet {
  const key = typeof name === 'string' ? name : ownKey;
  const row = Object.hasOwn(sets, key) ? sets[key] : undefined;
  if (row === undefined) throw new RangeError(`There is no hint set named ${JSON.stringify(name)}`);
  return typeof row === 'function' ? row(name as OwnHints) : row;
}
