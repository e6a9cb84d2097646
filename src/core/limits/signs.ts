/** What the end of an attempt says about the server's health. */

import type { Finding } from '../types.js';
import { priceOf } from './budget/budget.js';

export type Sign =
  | 'alive'
  | 'dead'
  /** Dead, and already when the attempt was sent: it timed out. */
  | 'silent'
  /** Dead, but from a request whose failure has counted already. */
  | 'still-dead'
  /** The server answers, but with an error such as 500. That is news only while the gate is shut. */
  | 'answers'
  | 'neutral';

/**
 * Transport errors, timeouts and the errors of gateways are failures. 408, 425, 429, aborts and attempts that were
 * never sent say nothing. If this process stood still meanwhile, neither does a deadline, and an attempt that timed out
 * was given its whole time, but later: it says nothing about the time before.
 */
export function signOf(finding: Finding): Sign {
  if (finding.kind === 'response') return signOfStatus(finding.status);
  if (finding.aborted || finding.class === 'final' || finding.unasked === true) return 'neutral';
  if (finding.stalled === true) return finding.code === 'ERR_UNDAUNTED_DEADLINE' ? 'neutral' : 'dead';
  return priceOf(finding) === 'timeout' ? 'silent' : 'dead';
}

export function isFailure(sign: Sign): boolean {
  return sign === 'dead' || sign === 'silent';
}

export function signOfStatus(status: number): Sign {
  if (status >= 502 && status <= 504) return 'dead';
  if (status >= 500) return 'answers';
  return status === 408 || status === 425 || status === 429 ? 'neutral' : 'alive';
}
