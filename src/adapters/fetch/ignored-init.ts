/**
 * Recognises a Request whose fetch ignores init. happy-dom's does, and its constructor takes the body of a Request rather
 * than that of init: it sends the Request as it is, and the second time never, or without its body.
 */

import type { RequestShape } from './shapes.js';

type RequestClass = new (input: unknown, init: object) => RequestShape;

const known: WeakMap<RequestClass, boolean> = new WeakMap();

/** The caller's Request is not touched. */
export function ignoresInit({ constructor: given }: RequestShape): boolean {
  if (typeof given !== 'function') return false;
  const Class = given as RequestClass;
  const found = known.get(Class) ?? takesOldBody(Class);
  known.set(Class, found);
  return found;
}

/**
 * The type of its body becomes a header of a Request, so that it shows which body is taken. A class with a constructor
 * of its own is not understood here, and counts as any other.
 */
function takesOldBody(Class: RequestClass): boolean {
  const init = { method: 'POST', headers: {} };
  const isForm = (input: unknown): boolean => {
    const { headers } = new Class(input, { ...init, body: new URLSearchParams('a=1') });
    return headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') === true;
  };
  try {
    const address = 'http://localhost/';
    const first = new Class(address, { ...init, body: 'a' });
    return first.url === address && isForm(address) && !isForm(first);
  } catch {
    return false;
  }
}
