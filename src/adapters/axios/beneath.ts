/** Other layers of ours, which an adapter of axios may send through. */

import { mayMeet } from '../../runtime/layers.js';

/** Undefined: nothing of ours, since there is nothing, or the adapter is one that knows no dispatchers. */
export function beneath(adapter: unknown): 'fetch' | 'anything' | undefined {
  if (typeof adapter === 'function') return mayMeet('anything') ? 'anything' : undefined;
  return mayMeet('fetch') && isFetch(adapter) ? 'fetch' : undefined;
}

/** Of several, axios takes the first that this place has; in Node, that is never xhr. */
function isFetch(adapter: unknown): boolean {
  if (!Array.isArray(adapter)) return adapter === 'fetch';
  return adapter.find((name) => name !== 'xhr') === 'fetch';
}
