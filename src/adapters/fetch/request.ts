/** Reads the caller's request, in all the forms that fetch accepts. */

import { isObject } from '../../core/is-object.js';
import { type InitShape, isRequest } from './shapes.js';

export type Pair = readonly [name: string, value: unknown];

/** Takes a list of pairs, an iterator or a record. */
export function pairsOf(headers: unknown): Pair[] {
  if (!isObject(headers)) return [];
  return Symbol.iterator in headers ? [...(headers as Iterable<Pair>)] : Object.entries(headers);
}

/** Headers in init replace those of a Request. */
export function headersOf(input: unknown, init: InitShape | null | undefined): unknown {
  return init?.headers ?? (isRequest(input) ? input.headers : undefined);
}

export function methodOf(input: unknown, init: InitShape | null | undefined): string {
  const method = init?.method ?? (isRequest(input) ? input.method : 'GET');
  // Fast path: most requests are a GET, and each is asked for its method several times.
  return method === 'GET' ? method : String(method).toUpperCase();
}

/** `null` in init removes the signal of a Request. */
export function signalOf(input: unknown, init: InitShape | null | undefined): AbortSignal | undefined {
  const own = init?.signal;
  if (own !== undefined) return own ?? undefined;
  return isRequest(input) ? (input.signal ?? undefined) : undefined;
}

/** Of any package. Callers may give something else by mistake, such as the controller. */
export function isSignal(signal: AbortSignal | undefined): signal is AbortSignal {
  return typeof signal?.addEventListener === 'function';
}

export function addressOf(input: unknown): string {
  if (typeof input === 'string') return input;
  return isRequest(input) ? input.url : String(input);
}

/**
 * A copy of init as it is at the call: the caller may change the object afterwards for another request, and bare fetch
 * would not see that either. An init that is not a plain object, such as a Request, may get its values from its class.
 */
export function asItStands(init: InitShape): InitShape {
  const isPlain = Object.getPrototypeOf(init) === Object.prototype || Object.getPrototypeOf(init) === null;
  const copy: Record<string, unknown> = isPlain ? { ...init } : allOf(init);
  const { headers } = copy;
  if (headers !== undefined && headers !== null) copy['headers'] = copyOfHeaders(headers);
  return copy;
}

function allOf(init: InitShape): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (
    let from: object = init;
    from !== null && from !== Object.prototype;
    from = Object.getPrototypeOf(from)
  ) {
    for (const key of Object.getOwnPropertyNames(from)) {
      if (key !== 'constructor' && !(key in copy)) copy[key] = init[key];
    }
  }
  return copy;
}

/** An iterator can be read only once, so it is read here. */
function copyOfHeaders(headers: unknown): unknown {
  if (!isObject(headers)) return headers;
  return Symbol.iterator in headers ? [...(headers as Iterable<Pair>)] : { ...headers };
}
