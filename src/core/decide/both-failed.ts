/** Two attempts were out at the same time and have both failed: chooses the one that counts. */

import type { Evidence, Finding } from '../types.js';

export interface Failed {
  readonly finding: Finding;
  /** What `retryIf` returned for it. */
  readonly verdict: boolean | undefined;
}

/**
 * A veto of the server comes first, then the longest hint, then a response before an error; if nothing sets them apart,
 * the one that failed last.
 */
export function decidingOf<F extends Failed>(earlier: F, later: F): F {
  return rankOf(earlier.finding) > rankOf(later.finding) ? earlier : later;
}

function rankOf(finding: Finding): number {
  if (finding.kind === 'error') return -1;
  if (finding.hint?.retry === false) return Infinity;
  return Math.max(0, finding.hint?.delayMs ?? 0);
}

/** The finding after this time, in which a part of the wait that its hint asks for has passed. */
export function agedBy(finding: Finding, ms: number): Finding {
  if (finding.kind === 'error' || finding.hint === undefined || finding.hint.delayMs === null) return finding;
  const delayMs = Math.max(0, finding.hint.delayMs - ms);
  return { ...finding, hint: { ...finding.hint, delayMs } };
}

/** The finding with what is proven of both attempts: a write that may have been carried out once is not sent again. */
export function withEvidenceOfBoth(deciding: Finding, other: Finding): Finding {
  const evidence = proves.find((one) => one === deciding.evidence || one === other.evidence);
  return evidence === undefined || evidence === deciding.evidence ? deciding : { ...deciding, evidence };
}

/** The least first. */
const proves: readonly Evidence[] = ['unknown', 'refused', 'unsent'];

/** A veto of the caller counts for both: the request is not sent again. */
export function verdictOnBoth(deciding: Failed, other: Failed): boolean | undefined {
  return other.verdict === false ? false : deciding.verdict;
}

/** Whether an attempt ended with an answer that needs no retry. Such an answer wins while another attempt is out. */
export function isWhole({ finding, verdict }: Failed): boolean {
  return finding.kind === 'response' && finding.class === 'final' && verdict !== true;
}
