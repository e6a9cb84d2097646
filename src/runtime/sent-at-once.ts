import type { Settings } from '../core/policy/settings.js';

/** Once, and without a wait before it, in which a body could fail unheard: nothing is kept of it. */
export function isSentAtOnce({
  maxRetries,
  gate,
  hold,
}: Pick<Settings, 'maxRetries' | 'gate' | 'hold'>): boolean {
  return maxRetries === 0 && gate === false && hold === false;
}
