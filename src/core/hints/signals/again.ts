/** Hints that the signals of several vendors give. */

import type { Hint } from '../../types.js';

/** A quota that resets in hours or never: a retry is useless. */
export const longQuota: Hint = Object.freeze({ delayMs: null, retry: false, reason: 'quota-exhausted-long' });

export function again(reason: string, delayMs: number | null = null): Hint {
  return { delayMs, retry: true, reason };
}
