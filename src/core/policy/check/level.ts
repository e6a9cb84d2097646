import type { SettingsOptions } from '../options.js';
import type { Settings } from '../settings.js';

export type SettingKey = keyof SettingsOptions;

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

/** The path of the first key that is written, or else of the object itself, since the others are defaults. */
export function writtenPath(path: string, object: unknown, ...keys: readonly string[]): string {
  const key = keys.find((name) => Object.hasOwn(Object(object), name));
  return key === undefined ? path : `${path}.${key}`;
}
