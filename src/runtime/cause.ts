/** The last real outcome, as an error of our own has it for its cause. */

import type { ErrorOutcome, ResponseOutcome } from '../core/types.js';

/** Each request that waits may keep one: of an answer it is the head alone. */
export function causeOf(outcome: ResponseOutcome | ErrorOutcome): ErrorOptions {
  if (outcome.kind === 'error') return { cause: outcome.error };
  const { status, headers } = outcome;
  return { cause: { status, headers } };
}
