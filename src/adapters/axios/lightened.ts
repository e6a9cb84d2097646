/** Failures as an error of our own has them for its cause. Each request that waits keeps one: it is small. */

import { answerOf } from './outcome.js';
import type { ResponseShape } from './shapes.js';

/** As far as causes are looked at. */
const deepest = 10;

/**
 * An answer keeps its body, and a request its connection and all that was sent: neither tells what failed. The rest is
 * the same to everybody who asks an error for its class, message, code or status.
 */
export function lightened(error: unknown, depth: number = 0): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const { message, stack, cause } = error as Partial<Error>;
  // Some versions of axios wrap the error that has the answer in another one.
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

/** In so few words, a server most likely says why. */
const shortText = 1_000;

interface Described extends ResponseShape {
  readonly statusText?: string;
  readonly config?: unknown;
}

function headOf({ status, statusText, headers, config, data }: Described): Partial<Described> {
  const isShort = typeof data === 'string' && data.length <= shortText;
  return { status, headers, config, ...(statusText && { statusText }), ...(isShort && { data }) };
}
