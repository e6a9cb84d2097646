/** The name of a record: limit, rule, settings, scope, and the version of the messages about it. */

import type { LimitName } from '../core/limits/all.js';
import { protocolVersion } from '../core/limits/fleet/messages.js';
import type { Policy } from '../core/policy/policy.js';

/**
 * The first rule that has these settings; rules that inherit them share its record. Undefined: the settings are those
 * of a single request, which are not shared.
 */
export function recordName(
  { fallback, rules }: Policy,
  limit: LimitName,
  settings: object,
  scope: string,
): string | undefined {
  const rule = [fallback, ...rules].find((one) => one.settings[limit] === settings);
  if (rule === undefined) return undefined;
  return [`v${protocolVersion}`, limit, rule.name, hashOf(JSON.stringify(settings)), scope].join(' ');
}

/** FNV-1a, twice with different start values: it tells settings apart, but does not keep them secret. */
function hashOf(text: string): string {
  return [0x811c9dc5, 0x050c5d1f].map((begin) => fnv(text, begin).toString(36)).join('');
}

function fnv(text: string, begin: number): number {
  let hash = begin;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
