/**
 * Errors that are the caller's own, where the platform does not say so: browsers call nearly everything "Failed to
 * fetch". Asked only of a failure that nothing explains.
 */

import { addressOf } from './request.js';
import { type InitShape, isRequest } from './shapes.js';

const untold = /^(Failed to fetch|Load failed|NetworkError when attempting to fetch resource\.)/;

export function isMisuse(error: unknown, input: unknown, init: InitShape | null | undefined): boolean {
  const { message, code, cause } = Object(error) as { message?: unknown; code?: unknown; cause?: unknown };
  if (code !== undefined || cause !== undefined || !untold.test(String(message))) return false;
  const address = addressOf(input);
  const scheme = /^\s*([a-z][a-z\d+.-]*):/i.exec(address)?.[1]?.toLowerCase();
  // What is not sent over a network does not fail for its sake.
  if (scheme !== undefined && !/^(https?|blob)$/.test(scheme)) return true;
  // A Request has been checked; and without a scheme, only who resolves the address could check it.
  return (
    scheme !== undefined &&
    !isRequest(input) &&
    init !== undefined &&
    init !== null &&
    isRefused(address, init)
  );
}

/** By a Request that goes nowhere: with text for a body, so that nothing of the caller's is used up. */
function isRefused(address: string, init: InitShape): boolean {
  if (typeof Request !== 'function') return false;
  const { method, headers, body } = init;
  try {
    new Request(address, {
      ...(method !== undefined && { method }),
      ...(headers !== undefined && { headers: headers as HeadersInit }),
      ...(body !== undefined && body !== null && { body: 'x' }),
    });
    return false;
  } catch {
    return true;
  }
}
