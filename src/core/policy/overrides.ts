/**
 * What requests say for themselves, checked and filled in once. Told apart by what is in it, not by the object: axios
 * copies its configuration for each request, and a caller may change an object between two.
 */

import { isPlain } from '../found.js';
import { checks } from './checks.js';
import { fillIn } from './fill-in.js';
import type { OverrideOptions } from './options.js';
import type { Settings } from './settings.js';

interface Known {
  /** As they were checked: a frozen copy. */
  readonly options: OverrideOptions;
  readonly inherited: Settings;
  readonly settings: Settings;
}

/** More than a program has places that say something else; the check of a new one is dear, a comparison is not. */
const most = 16;

export class Overrides {
  private readonly known: Known[] = [];
  /** The one that is forgotten next. */
  private oldest = 0;

  /** The settings of a rule under these options. */
  over(inherited: Settings, options: OverrideOptions): Settings {
    for (const entry of this.known) {
      if (entry.inherited === inherited && isSame(entry.options, options)) return entry.settings;
    }
    const checked = checks.checkedOverride(options);
    const settings = fillIn(checked, inherited);
    this.known[this.oldest] = { options: checked, inherited, settings };
    this.oldest = (this.oldest + 1) % most;
    return settings;
  }
}

/** Whether what was given says what was checked; the latter is a tree without gaps, so this ends. */
function isSame(checked: unknown, given: unknown): boolean {
  if (Object.is(checked, given)) return true;
  if (typeof checked !== 'object' || checked === null || typeof given !== 'object' || given === null) {
    return false;
  }
  try {
    return Array.isArray(checked) ? isSameList(checked, given) : isSameObject(checked, given);
  } catch {
    // A getter or a proxy that lets nobody look: the check says what is wrong with it.
    return false;
  }
}

function isSameList(checked: readonly unknown[], given: object): boolean {
  return (
    Array.isArray(given) &&
    given.length === checked.length &&
    checked.every((item, index) => isSame(item, given[index]))
  );
}

function isSameObject(checked: object, given: object): boolean {
  if (Array.isArray(given) || !isPlain(given)) return false;
  let said = 0;
  for (const key of Reflect.ownKeys(given)) {
    const value: unknown = Reflect.get(given, key);
    // What is undefined is not said.
    if (value === undefined) continue;
    if (!Object.hasOwn(checked, key) || !isSame(Reflect.get(checked, key), value)) return false;
    said += 1;
  }
  return said === Object.keys(checked).length;
}
