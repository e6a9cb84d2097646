/** Other layers of undaunted that an axios adapter may send through. */

import { mayMeet } from '../../runtime/layers.js';

/** Undefined if no other layer of ours can be underneath: there is none, or the adapter knows no dispatchers. */
export function beneath(adapter: unknown): 'fetch' | 'anything' | undefined {
  if (typeof adapter === 'function') return mayMeet('anything') ? 'anything' : undefined;
  return mayMeet('fetch') && isFetch(adapter) ? 'fetch' : undefined;
}

/** From a list, axios takes the first adapter that this platform has; in Node, that is never xhr. */
function isFetch(adapter: unknown): boolean {
  if (!Array.isArray(adapter)) return adapter === 'fetch';
  return adapter.find((name) => name !== 'xhr') === 'fetch';
}
