/**
 * Settings of single requests, each checked and filled in once. They are compared by content, not by identity: axios copies
 * its configuration for each request, and a caller may change an object between two requests.
 */

import { PolicyError } from '../errors.js';
import { isPlain } from '../found.js';
import { frozenCopy } from '../freeze.js';
import { isObject } from '../is-object.js';
import { fillIn } from './fill-in.js';
import type { OverrideOptions } from './options.js';
import { missingAt, type Parts } from './parts.js';
import type { Settings } from './settings.js';

interface Known {
  /** As they were checked: a frozen copy. */
  readonly options: OverrideOptions;
  readonly inherited: Settings;
  readonly settings: Settings;
}

/** More than a program has different overrides: checking a new one is expensive, comparing is cheap. */
const most = 16;

export class Overrides {
  private readonly parts: Parts;
  private readonly known: Known[] = [];
  /** The index of the entry to be replaced next. */
  private oldest = 0;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /** The settings of a rule under these options. */
  over(inherited: Settings, options: OverrideOptions): Settings {
    for (const entry of this.known) {
      if (entry.inherited === inherited && isSame(entry.options, options)) return entry.settings;
    }
    const { check } = this.parts;
    const checked =
      check === undefined ? this.unchecked(options) : check.checkedOverride(options, this.parts);
    const settings = fillIn(checked, inherited, this.parts);
    this.known[this.oldest] = { options: checked, inherited, settings };
    this.oldest = (this.oldest + 1) % most;
    return settings;
  }

  private unchecked(given: OverrideOptions): OverrideOptions {
    const options = frozenCopy(given);
    const missing = missingAt('', options, this.parts);
    if (missing.length > 0) throw new PolicyError(missing);
    return options;
  }
}

/** Whether the given options equal the checked ones, which are a finite tree, so this terminates. */
function isSame(checked: unknown, given: unknown): boolean {
  if (Object.is(checked, given)) return true;
  if (!isObject(checked) || !isObject(given)) {
    return false;
  }
  try {
    const isList = Array.isArray(given);
    if (isList !== Array.isArray(checked) || !(isList || isPlain(given))) return false;
    let said = 0;
    // Of a list, this is its length, too.
    for (const key of Reflect.ownKeys(given)) {
      const value: unknown = Reflect.get(given, key);
      // Undefined means not set.
      if (value === undefined) continue;
      if (!Object.hasOwn(checked, key) || !isSame(Reflect.get(checked, key), value)) return false;
      said += 1;
    }
    return said === Reflect.ownKeys(checked).length;
  } catch {
    // A getter that throws, or a proxy: the check reports it.
    return false;
  }
}
