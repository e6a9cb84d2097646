import type { SettingsOptions } from '../options.js';
import type { Settings } from '../settings.js';

export type SettingKey = keyof SettingsOptions;

/** The policy, a rule or an override as contradictions see it: what is written, and what it amounts to. */
export interface Level {
  /** `rules[2]`; empty for the policy and for an override. */
  readonly path: string;
  /** Settings written here that are sound; the others are left out. */
  readonly own: SettingsOptions;
  /** Own ones, inherited ones, defaults. */
  readonly settings: Settings;
  /** Whether we know which setting applies here: a faulty one is not known, nor what an override leaves open. */
  knows(key: SettingKey): boolean;
}

/** The path of the first of the keys that is written, or else of the object itself: the rest are defaults. */
export function writtenPath(path: string, object: unknown, ...keys: readonly string[]): string {
  const key = keys.find((name) => Object.hasOwn(Object(object), name));
  return key === undefined ? path : `${path}.${key}`;
}
