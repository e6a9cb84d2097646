/** Which keys are known where, and what to say about unknown ones. */

import type { Problem } from '../../errors.js';
import { unknownSetting } from '../../errors.js';
import { quote } from '../../found.js';
import { adviceOnForeign } from './foreign-names.js';
import type { JsonSchema } from './json-schema.js';
import { nearest } from './nearest.js';
import { functionKeys, policySchema } from './schema.js';
import { mostNames, oneOf, pathTo, problem, quoted } from './wording.js';

export function unknownKey(
  key: string | symbol,
  path: string,
  schema: JsonSchema,
  schemas: readonly JsonSchema[],
): Problem {
  const known = [...Object.keys(schema.properties ?? {}), ...functionKeysIn(path)];
  const isSetting = known.length > mostNames;
  return problem(
    pathTo(path, key),
    isSetting ? unknownSetting : 'an unknown key',
    isSetting ? 'the name of a setting' : `one of the keys ${quoted(known)}`,
    adviceOn(key, path, known, schemas),
  );
}

function adviceOn(
  key: string | symbol,
  path: string,
  known: readonly string[],
  schemas: readonly JsonSchema[],
): string | undefined {
  const home = homeOf(key, schemas);
  if (home !== undefined) return `It belongs to ${home}.`;
  const advice = typeof key === 'string' ? adviceOnForeign(key, withoutRule(path)) : undefined;
  return advice ?? didYouMean(key, known);
}

/** Where a key that is unknown here is allowed. */
function homeOf(key: string | symbol, schemas: readonly JsonSchema[]): string | undefined {
  const sibling = schemas.find(({ properties }) => Object.hasOwn(properties ?? {}, key));
  if (sibling !== undefined) return `the kind ${quote(kindOf(sibling))}`;
  const inPolicy = Object.hasOwn(policySchema().properties ?? {}, key);
  // Stryker disable next-line OptionalChaining: our own schema has it; the compiler cannot know.
  const inRule = Object.hasOwn(policySchema().$defs?.['rule']?.properties ?? {}, key);
  const homes = [...(inPolicy ? ['the policy itself'] : []), ...(inRule ? ['a rule'] : [])];
  return homes.length === 0 ? undefined : oneOf(homes);
}

export function didYouMean(name: unknown, known: readonly string[]): string | undefined {
  const meant = typeof name === 'string' ? nearest(name, known) : undefined;
  return meant && `Did you mean ${quote(meant)}?`;
}

export function mayBeFunction(path: string): boolean {
  return functionKeys.has(withoutRule(path));
}

/** Keys of this object that may be functions. */
function functionKeysIn(path: string): string[] {
  const place = withoutRule(path);
  const prefix = place === '' ? '' : `${place}.`;
  return [...functionKeys].flatMap((key) => {
    const name = key.slice(prefix.length);
    return key.startsWith(prefix) && !name.includes('.') ? [name] : [];
  });
}

/** The same keys may be functions in the policy and in a rule. */
function withoutRule(path: string): string {
  // Stryker disable next-line Regex: `rules` stands at the beginning or nowhere.
  return path.replace(/^rules\[\d+\]\.?/, '');
}

/** The value of `kind` that identifies one of several kinds of object. */
export function kindOf({ properties }: JsonSchema): string {
  // Stryker disable next-line OptionalChaining: each of several kinds has its word.
  return String(properties?.['kind']?.const);
}
