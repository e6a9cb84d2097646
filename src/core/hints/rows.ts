/** Hint sets by their names, as far as an installation has them. */

import type { BaseSet, HintSet } from './hint-set.js';
import type { DateParser } from './http-date.js';
import type { HintSetOption, OwnHints } from './own.js';
import type { HintSetName } from './sets.js';

/** Stands among the names of sets for hints of one's own: no set has this name. */
export const ownKey = '{}';

/** Stands among them for dates that are not exactly as the grammar has them. */
export const datesKey = '{date}';

/** Those that an installation has. */
export interface HintSets extends Readonly<Partial<Record<HintSetName, HintSet>>> {
  readonly standard: BaseSet;
  readonly common: BaseSet;
  /** Makes rows of hints of one's own. */
  readonly [ownKey]?: (own: OwnHints) => HintSet;
  readonly [datesKey]?: DateParser;
}

/** Throws for a name that the check of a policy would refuse. */
export function rowOf(name: HintSetOption, sets: HintSets): HintSet {
  const key = typeof name === 'string' ? name : ownKey;
  const row = Object.hasOwn(sets, key) ? sets[key] : undefined;
  if (row === undefined) throw new RangeError(`There is no hint set named ${JSON.stringify(name)}`);
  return typeof row === 'function' ? row(name as OwnHints) : row;
}

export function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
