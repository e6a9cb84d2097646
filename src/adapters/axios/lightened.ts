/** Lightens the errors that are kept as a `cause`: each waiting request holds one, so it must be small. */

import { answerOf } from './outcome.js';
import type { ResponseShape } from './shapes.js';

/** How deep a chain of causes is followed. */
const deepest = 10;

/**
 * Drops what does not tell why the request failed: an answer's body, and a request's connection and data. The copy has
 * the same class, message, code and status.
 */
export function lightened(error: unknown, depth: number = 0): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const { message, stack, cause } = error as Partial<Error>;
  // Some versions of axios wrap the error with the answer in another error.
  const lightCause = depth < deepest ? lightened(cause, depth + 1) : undefined;
  const isLight = !('response' in error || 'request' in error) && lightCause === cause;
  if (isLight) return error;

  const light = new Error(message);
  const others = Object.entries(error).filter(([name]) => !heavy.has(name));
  const answer = answerOf({ kind: 'error', error });
  Object.setPrototypeOf(light, Object.getPrototypeOf(error));
  Object.assign(light, Object.fromEntries(others), answer && { response: headOf(answer) });
  const hidden = { configurable: true, writable: true };
  if (cause !== undefined) Object.defineProperty(light, 'cause', { ...hidden, value: lightCause });
  return Object.defineProperty(light, 'stack', { ...hidden, value: stack });
}

const heavy: ReadonlySet<string> = new Set(['request', 'response', 'cause']);

/** A text this short most likely says why the server refused. */
const shortText = 1_000;

interface Described extends ResponseShape {
  readonly statusText?: string;
  readonly config?: unknown;
}

function headOf({ status, statusText, headers, config, data }: Described): Partial<Described> {
  const isShort = typeof data === 'string' && data.length <= shortText;
  return { status, headers, config, ...(statusText && { statusText }), ...(isShort && { data }) };
}
