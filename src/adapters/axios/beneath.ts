/** Other layers of undaunted that an axios adapter may send through. */

import type { Layers } from '../../kernel/layers.js';
import type { Adapter } from './shapes.js';

/** Sends an attempt within which the layers beneath send the same request only once. */
type Enclose = (beneath: 'fetch' | 'anything') => ReturnType<Adapter>;

/** What axios chooses from if the configuration names no adapter. */
const byDefault = ['xhr', 'http', 'fetch'];

/**
 * The adapters for axios to choose from, so that it chooses what it would choose: only axios knows what its build and
 * this platform have. Whatever may send through other layers of ours is replaced by `enclose`. They are returned as they
 * are if no other layer can be underneath.
 */
export function enclosing(given: unknown, mayMeet: Layers['of']['mayMeet'], enclose: Enclose): unknown {
  const adapters: readonly unknown[] = Array.isArray(given) ? given : given ? [given] : byDefault;
  const beneath = adapters.some((one) => typeof one === 'function') ? 'anything' : 'fetch';
  if (!mayMeet(beneath)) return given;
  const uncertain = adapters.findIndex((one) => !goesByHttp(one));
  if (uncertain === -1) return given;
  const enclosed: Adapter = () => enclose(beneath);
  return uncertain === 0 ? enclosed : [...adapters.slice(0, uncertain), enclosed];
}

/** Or is passed over: axios does not take `false` and `null` from a list, nor what the platform does not have. */
function goesByHttp(adapter: unknown): boolean {
  if (typeof adapter === 'function') return false;
  if (!adapter) return true;
  const name = String(adapter).toLowerCase();
  return name === 'http' || (name === 'xhr' && typeof XMLHttpRequest === 'undefined');
}
