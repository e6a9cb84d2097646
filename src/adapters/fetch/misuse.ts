/**
 * Recognises errors that are the caller's own mistake, where the platform does not say so: browsers call nearly every
 * failure "Failed to fetch". Only asked about failures that nothing else explains.
 */

import { addressOf } from './request.js';
import { type InitShape, isRequest } from './shapes.js';

const untold = /^(Failed to fetch|Load failed|NetworkError when attempting to fetch resource\.)/;

export function isMisuse(error: unknown, input: unknown, init: InitShape | null | undefined): boolean {
  const { message, code, cause } = Object(error) as { message?: unknown; code?: unknown; cause?: unknown };
  if (code !== undefined || cause !== undefined || !untold.test(String(message))) return false;
  const address = addressOf(input);
  const scheme = /^\s*([a-z][a-z\d+.-]*):/i.exec(address)?.[1]?.toLowerCase();
  // Other schemes are not sent over a network, so the network is not to blame.
  if (scheme !== undefined && !/^(https?|blob)$/.test(scheme)) return true;
  // A Request has been checked already. An address without a scheme can be checked only by the platform that resolves
  // it.
  return (
    scheme !== undefined &&
    !isRequest(input) &&
    init !== undefined &&
    init !== null &&
    isRefused(address, init)
  );
}

/**
 * Tries to construct a Request that is never sent. Its body is a short text, so that the caller's own is not used up.
 */
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
