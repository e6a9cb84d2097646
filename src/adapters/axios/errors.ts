/** Errors of our own, as axios's callers know errors. */

import type { RequestConfig } from './shapes.js';

/** So that `axios.isAxiosError` of every copy of axios says yes. */
export function asAxiosError<E extends Error>(error: E, config: RequestConfig): E {
  Object.assign(error, { isAxiosError: true, config });
  // The configuration holds agents, sockets and secrets.
  const toJSON = (): object => {
    const { name, message, stack, code } = error as { code?: unknown } & Error;
    return { name, message, stack, code };
  };
  return Object.defineProperty(error, 'toJSON', { value: toJSON, configurable: true, writable: true });
}
