/**
 * The fetches under test: Node's own, and that of the undici which UNDICI_UNDER_TEST names (`npm run test:matrix` sets
 * it), or else of the devDependency. The tests of this folder take undici only from here.
 */

import { undici } from '../undici/client.js';

export { undici, version } from '../undici/client.js';

export const nodeFetch: typeof fetch = fetch;
export const undiciFetch = undici.fetch as unknown as typeof fetch;

/**
 * The suites compare error codes, which fetch has in the cause of its only error: here, the caller's error gets them
 * itself, and so do its causes. Our own code has seen the original.
 */
export function withCodes(doFetch: typeof fetch): typeof fetch {
  return async (...asked) => {
    try {
      return await doFetch(...asked);
    } catch (error) {
      addCodes(error);
      throw error;
    }
  };
}

function addCodes(error: unknown): void {
  const { cause } = Object(error) as { readonly cause?: { readonly code?: unknown } };
  if (cause === undefined) return;
  addCodes(cause);
  if (error instanceof TypeError && cause.code !== undefined) Object.assign(error, { code: cause.code });
}
