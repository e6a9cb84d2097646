/** Failures after which, as the vendor says, a request may be sent once more, and no more than once. */

import type { Finding } from '../types.js';

export const onceReason = 'google-once';

export function mayBeRepeatedOnce(finding: Finding): boolean {
  return finding.hint?.reason === onceReason;
}
