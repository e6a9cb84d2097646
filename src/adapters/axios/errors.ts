/** Errors of our own, in the form that axios's callers expect. */

import type { RequestConfig } from './shapes.js';

/** Makes `axios.isAxiosError` accept the error, whichever copy of axios asks. */
export function asAxiosError<E extends Error>(error: E, config: RequestConfig): E {
  Object.assign(error, { isAxiosError: true, config });
  // The configuration is left out of JSON: it holds agents, sockets and secrets.
  const toJSON = (): object => {
    const { name, message, stack, code } = error as { code?: unknown } & Error;
    return { name, message, stack, code };
  };
  return Object.defineProperty(error, 'toJSON', { value: toJSON, configurable: true, writable: true });
}
