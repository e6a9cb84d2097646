import type { RequestFacts } from './types.js';

/** For functions of the caller's, which may want to copy or print it: clients' own objects know more than they should. */
export function factsOf({ method, origin, path, keyed }: RequestFacts): RequestFacts {
  return { method, origin, path, keyed };
}
