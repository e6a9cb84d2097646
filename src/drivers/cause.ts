/** The last real outcome, as the `cause` of an error of our own. */

import { isObject } from '../core/is-object.js';
import type { ErrorOutcome, ResponseOutcome } from '../core/types.js';

/** Every waiting request may keep a cause, so of a response it holds only the head. */
export function causeOf(outcome: ResponseOutcome | ErrorOutcome): ErrorOptions {
  if (outcome.kind === 'error') return { cause: outcome.error };
  const { status, headers } = outcome;
  return { cause: { status, headers } };
}

// ---------------------------------------------------------------- an error of axios

/** How deep a chain of causes is followed. */
const deepest = 10;

/**
 * Lightens an error that is kept as a `cause`: each waiting request holds one, so it must be small. Drops what does not
 * tell why the request failed: an answer's body, and a request's connection and data. The copy has the same class,
 * message, code and status.
 */
export function lightened(error: unknown, depth: number = 0): unknown {
  if (!isObject(error)) return error;
  const { message, stack, cause } = error as Partial<Error>;
  // Some versions of axios wrap the error with the answer in another error.
  const lightCause = depth < deepest ? lightened(cause, depth + 1) : undefined;
  const isLight = !('response' in error || 'request' in error) && lightCause === cause;
  if (isLight) return error;

  const light = new Error(message);
  const others = Object.entries(error).filter(([name]) => !heavy.has(name));
  const { response } = error as { readonly response?: Described };
  Object.setPrototypeOf(light, Object.getPrototypeOf(error));
  Object.assign(
    light,
    Object.fromEntries(others),
    typeof response?.status === 'number' && { response: headOf(response) },
  );
  const hidden = { configurable: true, writable: true };
  if (cause !== undefined) Object.defineProperty(light, 'cause', { ...hidden, value: lightCause });
  return Object.defineProperty(light, 'stack', { ...hidden, value: stack });
}

const heavy: ReadonlySet<string> = /* @__PURE__ */ new Set(['request', 'response', 'cause']);

/** A text this short most likely says why the server refused. */
const shortText = 1_000;

interface Described {
  readonly status: number;
  readonly statusText?: string;
  readonly headers: unknown;
  readonly config?: unknown;
  readonly data: unknown;
}

function headOf({ status, statusText, headers, config, data }: Described): Partial<Described> {
  const isShort = typeof data === 'string' && data.length <= shortText;
  return { status, headers, config, ...(statusText && { statusText }), ...(isShort && { data }) };
}
