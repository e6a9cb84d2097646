/** The policies under `fixtures/policies`, one per file. */

import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../fixtures/policies/', import.meta.url);

export interface InvalidPolicy {
  /** What finds the problems: the schema and the check, or only the check. */
  readonly by: 'schema' | 'check';
  /** All problems, in any order; `says` is a part of the message. */
  readonly problems: readonly { readonly path: string; readonly says: string }[];
  readonly policy: unknown;
}

export const validPolicies: readonly (readonly [name: string, policy: unknown])[] = read('valid');
export const invalidPolicies: readonly (readonly [name: string, invalid: InvalidPolicy])[] = read('invalid');

function read<T>(kind: 'valid' | 'invalid'): (readonly [string, T])[] {
  const inside = new URL(`${kind}/`, folder);
  return readdirSync(inside)
    .sort()
    .map((file) => [file.replace('.json', ''), JSON.parse(readFileSync(new URL(file, inside), 'utf8'))]);
}
