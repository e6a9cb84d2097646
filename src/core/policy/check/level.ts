/** What contradictions are judged by, and how they are told. */

import type { Problem } from '../../errors.js';
import { found } from '../../found.js';
import type { SettingsOptions } from '../options.js';
import type { Settings } from '../settings.js';
import { problem } from './wording.js';

type SettingKey = keyof SettingsOptions;

/** The policy, a rule or an override, for contradictions: what is written, and the settings that result. */
export interface Level {
  /** `rules[2]`; empty for the policy and for an override. */
  readonly path: string;
  /** The valid settings that are written here. */
  readonly own: SettingsOptions;
  /** Own ones, inherited ones, defaults. */
  readonly settings: Settings;
  /** Whether the setting that applies here is known. It is not if it is invalid, or if an override leaves it to the rule. */
  knows(key: SettingKey): boolean;
}

export interface Contradiction {
  /** Judged where one of these is written. Inherited settings are reported where they were written. */
  readonly written: readonly SettingKey[];
  /** And only if these are known, written or inherited. */
  readonly with?: readonly SettingKey[];
  /** It makes a setting useless at this level, but rules that inherit the setting may use it. */
  readonly inheritable?: true;
  /** Paths are relative to the level. */
  find(level: Level): Findings;
}

/** What is false or undefined is no problem. */
export type Findings = Problem | false | undefined | readonly Findings[];

/** The path of the first key that is written, or else of the object itself, since the others are defaults. */
export function writtenPath(path: string, object: unknown, ...keys: readonly string[]): string {
  const key = keys.find((name) => Object.hasOwn(Object(object), name));
  return key === undefined ? path : `${path}.${key}`;
}

/** A lower bound above the upper one is told of the one that is written. */
export function reversedBounds(
  place: string,
  written: unknown,
  [lowest, from]: readonly [key: string, ms: number],
  maxMs: number,
): Problem | false {
  const path = writtenPath(place, written, lowest, 'maxMs');
  if (from <= maxMs) return false;
  return path.endsWith('.maxMs')
    ? problem(path, found(maxMs), `at least ${lowest}, which is ${from}`)
    : problem(path, found(from), `at most maxMs, which is ${maxMs}`);
}
