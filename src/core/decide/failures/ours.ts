import type { Failures } from './row.js';
import { unclear } from './row.js';

export const ourFailures: Failures = {
  byCode: [
    ['ERR_UNDAUNTED_ATTEMPT_TIMEOUT', unclear],
    // No time is left for another attempt, but the gate has to know that the server did not answer.
    ['ERR_UNDAUNTED_DEADLINE', unclear],
  ],
  timeouts: ['ERR_UNDAUNTED_ATTEMPT_TIMEOUT'],
};
