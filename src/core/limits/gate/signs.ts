/** What the end of an attempt says of the server's health. */

import type { Finding } from '../../types.js';
import { priceOf } from '../budget/budget.js';

export type Sign =
  | 'alive'
  | 'dead'
  /** Dead, and for as long as its attempt has taken. */
  | 'silent'
  /** Dead, but of a request whose failure has counted already. */
  | 'still-dead'
  /** It answers, with an error of its own: news only of a server that was taken for dead. */
  | 'answers'
  | 'neutral';

/** Transport errors, timeouts and the errors of gateways are failures; 408, 425, 429, aborts and what was never asked say nothing. */
export function signOf(finding: Finding): Sign {
  if (finding.kind === 'response') return signOfStatus(finding.status);
  if (finding.aborted || finding.class === 'final' || finding.unasked === true) return 'neutral';
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
