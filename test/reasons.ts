/** Every reason of a decision. A reason that is missing here, or does not exist, does not compile. */

import type { Reason } from '../src/core/types.js';

const all: Readonly<Record<Reason, true>> = {
  'transient-status': true,
  throttled: true,
  'transport-error': true,
  'attempt-timeout': true,
  'server-asks': true,
  'caller-asks': true,
  'fresh-credentials': true,
  success: true,
  'final-status': true,
  'final-error': true,
  aborted: true,
  'server-forbids': true,
  'caller-forbids': true,
  'unsafe-method': true,
  'body-spent': true,
  'not-resumable': true,
  'retries-off': true,
  'retries-suppressed': true,
  'retries-spent': true,
  'hint-too-long': true,
  'hint-past-deadline': true,
  'wait-past-deadline': true,
  'budget-spent': true,
  'gate-shut': true,
  held: true,
  crowded: true,
  cut: true,
  'other-pending': true,
};

export const reasons: readonly string[] = Object.keys(all);
