/** The last real outcome, as the `cause` of an error of our own. */

import type { ErrorOutcome, ResponseOutcome } from '../core/types.js';

/** Every waiting request may keep a cause, so of a response it holds only the head. */
export function causeOf(outcome: ResponseOutcome | ErrorOutcome): ErrorOptions {
  if (outcome.kind === 'error') return { cause: outcome.error };
  const { status, headers } = outcome;
  return { cause: { status, headers } };
}
