import type { RequestFacts } from './types.js';

/**
 * A plain copy of the facts for the caller's functions, which may copy or print it. The clients' own objects hold more
 * than that, secrets among it.
 */
export function factsOf({ method, origin, path, keyed }: RequestFacts): RequestFacts {
  return { method, origin, path, keyed };
}
