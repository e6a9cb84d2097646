/** The label of an outcome in events and metrics: its status, or its error's code or name. */

import type { Finding } from './types.js';

export function labelOfFinding(finding: Finding): number | string {
  return finding.kind === 'response' ? finding.status : (finding.code ?? finding.name);
}

/** For a status, or for any thrown value. */
export function labelOf(outcome: unknown): number | string {
  if (typeof outcome === 'number') return outcome;
  const { code, name } = Object(outcome) as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === 'string' ? code : String(name ?? 'NonError');
}
