import type { Settings } from '../core/policy/settings.js';

/** Once, and without a wait before, in which nobody would listen to the errors of a body: nothing is kept of it. */
export function isSentAtOnce({
  maxRetries,
  gate,
  hold,
}: Pick<Settings, 'maxRetries' | 'gate' | 'hold'>): boolean {
  return maxRetries === 0 && gate === false && hold === false;
}
