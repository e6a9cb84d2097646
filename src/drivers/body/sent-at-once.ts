import type { Settings } from '../../core/policy/settings.js';

/**
 * Whether the request is sent exactly once and without waiting first. Its body need not be kept, and there is no wait
 * in which it could fail unnoticed.
 */
export function isSentAtOnce({
  maxRetries,
  needsAdmission,
  credentials,
}: Pick<Settings, 'maxRetries' | 'needsAdmission' | 'credentials'>): boolean {
  return maxRetries === 0 && !needsAdmission && credentials === false;
}
