/**
 * Notices a program that installs retries anew for every request, so that no two requests share a budget, a gate or a
 * hold. Clients that are made once and kept send a second request sooner or later; a test makes a few dozen of them.
 */

import type { Scope } from './scope.js';
import { warnOnce } from './warning.js';

/** The newest installation that has come to a scope of this name, and how many in a row have sent one request each. */
interface Row {
  readonly newest: Scope;
  readonly length: number;
}

const longestRow = 200;
/** Rows of more scopes are not kept: the oldest goes. */
const mostRows = 20;
const rows: Map<string, Row> = new Map();
let hasWarned = false;

/** An installation with options of its own sends its first request, to this scope. */
export function countFirst(newest: Scope): void {
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
    `undaunted: ${length} installations in a row sent one request each to ${name}. Made anew for every request, they share no retry budget: install once, or pass one definePolicy(options)`,
  );
}
