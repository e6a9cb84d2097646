/** What the caller asked for, in all the ways that fetch may be asked. */

import { type HeadersShape, type InitShape, isRequest } from './shapes.js';

export type Pair = readonly [name: string, value: unknown];

/** Once it is a list of pairs, an iterator, or a record. */
export function pairsOf(headers: unknown): Pair[] {
  if (typeof headers !== 'object' || headers === null) return [];
  return Symbol.iterator in headers ? [...(headers as Iterable<Pair>)] : Object.entries(headers);
}

/** Those in init replace those of a Request. */
export function headersOf(input: unknown, init: InitShape | null | undefined): unknown {
  return init?.headers ?? (isRequest(input) ? input.headers : undefined);
}

export function methodOf(input: unknown, init: InitShape | null | undefined): string {
  const method = init?.method ?? (isRequest(input) ? input.method : 'GET');
  return String(method).toUpperCase();
}

/** `null` in init takes that of a Request away. */
export function signalOf(input: unknown, init: InitShape | null | undefined): AbortSignal | undefined {
  const own = init?.signal;
  if (own !== undefined) return own ?? undefined;
  return isRequest(input) ? (input.signal ?? undefined) : undefined;
}

export function addressOf(input: unknown): string {
  if (typeof input === 'string') return input;
  return isRequest(input) ? input.url : String(input);
}

/**
 * As things stand at the call: what the caller makes of it afterwards is for another request, and bare fetch would not
 * see it either. What is no plain object, such as a Request, may have what it has from its class.
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

/** Of an iterator there is nothing left afterwards; so it is read here, once. */
export function copyOfHeaders(headers: unknown): unknown {
  if (typeof headers !== 'object' || headers === null) return headers;
  return Symbol.iterator in headers ? [...(headers as HeadersShape)] : { ...headers };
}

/** What a request at another address has of a Request: that is its init then. */
export function initFrom(request: object): InitShape {
  return Object.fromEntries(
    ofRequest.flatMap((key) => {
      const value: unknown = Reflect.get(request, key);
      const isUsable = value !== undefined && !(key === 'mode' && value === 'navigate');
      return isUsable ? [[key, value]] : [];
    }),
  );
}

const ofRequest = [
  'method',
  'mode',
  'credentials',
  'cache',
  'redirect',
  'referrer',
  'referrerPolicy',
  'integrity',
  'keepalive',
  'signal',
  'duplex',
  'cf',
];
