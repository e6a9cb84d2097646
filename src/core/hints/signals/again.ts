/** What several vendors' signals come to. */

import type { Hint } from '../../types.js';

/** A quota that starts anew in hours or never: repeating is of no use. */
export const longQuota: Hint = Object.freeze({ delayMs: null, retry: false, reason: 'quota-exhausted-long' });

export function again(reason: string, delayMs: number | null = null): Hint {
  return { delayMs, retry: true, reason };
}
