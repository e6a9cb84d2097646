/** What is said to those who write a program. Where policies are not checked, nothing is said. */

import { limitNames } from '../core/limits/all.js';
import type { Part } from '../core/policy/parts.js';
import type { Policy } from '../core/policy/policy.js';
import { warnOnce } from './warning.js';

export interface Advice extends Part<'advice'> {
  readonly showRemarks: typeof showRemarks;
  readonly countsFirst: typeof countsFirst;
}

export function showRemarks({ remarks }: Policy): void {
  for (const { path, says, advice } of remarks) warnOnce(`${path}: ${says}. ${advice}`);
}

// Of a program that installs retries anew for every request, no two requests share a limit. Clients that are made once and kept send a second request sooner or later; a test
// makes a few dozen of them.

/** The scope of an installation, as far as it matters here. */
interface Used {
  readonly name: string;
  readonly uses: number;
}

/** The newest installation that has come to a scope of this name, and how many in a row have sent one request each. */
interface Row {
  readonly newest: Used;
  readonly length: number;
}

const longestRow = 200;
/** Rows of more scopes are not kept: the oldest goes. */
const mostRows = 20;
const rows: Map<string, Row> = new Map();
let hasWarned = false;

/** What counts the first scope of an installation with options of its own; undefined: its requests would share nothing anyway. */
export function countsFirst({ fallback: { settings } }: Policy): ((newest: Used) => void) | undefined {
  return limitNames.every((name) => settings[name] === false) ? undefined : countFirst;
}

/** An installation with options of its own sends its first request, to this scope. */
function countFirst(newest: Used): void {
  if (hasWarned) return;
  const { name } = newest;
  const row = rows.get(name);
  const length = row?.newest.uses === 1 ? row.length + 1 : 1;
  rows.delete(name);
  rows.set(name, { newest, length });
  for (const oldest of rows.keys()) if (rows.size > mostRows) rows.delete(oldest);
  if (length < longestRow) return;
  hasWarned = true;
  rows.clear();
  warnOnce(
    `${length} installations in a row sent one request each to ${name}. Made anew for every request, they share no retry budget: install once, or pass one definePolicy(options)`,
  );
}
