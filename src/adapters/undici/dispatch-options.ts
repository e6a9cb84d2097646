/** Options for the next dispatch: the caller's own object where nothing differs, otherwise a copy. */

import { stringify } from 'node:querystring';
import type { RetryContext } from '../../core/events.js';
import { iterates } from '../../drivers/body/iterates.js';
import { isWebStream } from '../../drivers/body/stream-like.js';
import { recordOf } from '../../drivers/header-record.js';
import type { DispatchOptions } from './handlers.js';
import { copyOf, pairsOf, withHeaders } from './headers.js';

/**
 * The options of a caller that has callbacks of the first generation, such as `request()` of undici 6 and 7. That makes
 * them by a spread and more keys, of which Node 20 makes an object with a shape of its own each time: each read of it by
 * name then costs as much as this copy, whose shape is the usual one. Options of a class of their own stay what they are:
 * its getters may read what no copy has.
 */
export function reshaped(options: DispatchOptions): DispatchOptions {
  if (Object.getPrototypeOf(options) !== Object.prototype) return options;
  const copy = { ...options };
  // They are hidden from enumeration.
  return copy.path === undefined || copy.method === undefined ? options : copy;
}

/**
 * An iterator of headers may be readable only once, which would leave the next attempt without any: it becomes a list.
 */
export function repeatable(options: DispatchOptions): DispatchOptions {
  const { headers } = options;
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return options;
  if (!iterates(headers, Symbol.iterator) || headers instanceof Map || headers instanceof Headers)
    return options;
  return changed(options, { headers: pairsOf(headers).flat() });
}

/** A copy with these headers added. Even without any, the headers are copied, in whatever form they are. */
export function withMore(
  options: DispatchOptions,
  more: Readonly<Record<string, string | undefined>>,
): DispatchOptions {
  const { headers } = options;
  if (Object.keys(more).length > 0) return changed(options, { headers: withHeaders(headers, more) });
  return typeof headers === 'object' && headers !== null
    ? changed(options, { headers: copyOf(headers) })
    : options;
}

/**
 * The fetch of undici 8.12 gives a second body, for a MockAgent that lets real requests through: `body` is then only
 * compared with what is expected, and this one is sent.
 */
const sentUnlessMocked = '__mockAgentBodyForDispatch';

export function bodyIn(options: DispatchOptions): unknown {
  return options[sentUnlessMocked] ?? options.body ?? undefined;
}

export function withBody(options: DispatchOptions, body: unknown): DispatchOptions {
  if (body === bodyIn(options)) return options;
  const sent = options[sentUnlessMocked] ?? undefined;
  if (sent === undefined) return changed(options, { body });
  const { body: compared } = options;
  // A stream can be read only once, whether it is compared or sent.
  const isStream = isWebStream(compared);
  return changed(options, { [sentUnlessMocked]: body, ...((compared === sent || isStream) && { body }) });
}

/**
 * A copy with these values. Options that inherit from a prototype of their own keep it. What its getters say is read from
 * the caller's object, which alone has the private fields that they may read.
 */
export function changed(options: DispatchOptions, values: Partial<DispatchOptions>): DispatchOptions {
  const prototype: object | null = Object.getPrototypeOf(options);
  // These two may be hidden from enumeration, and nothing can be sent without them.
  const { path, method } = options;
  if (prototype === Object.prototype) return Object.assign({ path, method }, options, values);
  const said = Object.fromEntries(gettersOf(prototype).map((key) => [key, options[key]]));
  return Object.create(prototype, Object.getOwnPropertyDescriptors({ ...said, ...options, ...values }));
}

function gettersOf(prototype: object | null): string[] {
  if (prototype === null) return [];
  const own = Object.entries(Object.getOwnPropertyDescriptors(prototype));
  const getters = own.filter(([key, { get }]) => get !== undefined && key !== '__proto__');
  return [...getters.map(([key]) => key), ...gettersOf(Object.getPrototypeOf(prototype))];
}

/** The URL and headers that `beforeRetry` may change. */
export function targetOf(options: DispatchOptions): Pick<RetryContext, 'url' | 'headers'> {
  return { url: urlOf(options), headers: recordOf(pairsOf(options.headers)) };
}

/** The options with the changes that `beforeRetry` made. */
export function asChanged(options: DispatchOptions, { url, headers }: RetryContext): DispatchOptions {
  if (url === urlOf(options)) return changed(options, { headers });
  const { origin, pathname, search } = new URL(url);
  return changed(options, { headers, origin, path: pathname + search, query: undefined });
}

export function goesTo(one: DispatchOptions, other: DispatchOptions): boolean {
  return urlOf(one) === urlOf(other);
}

function urlOf({ origin, path, query }: DispatchOptions): string {
  return withQuery(`${origin === undefined ? '' : withoutPath(String(origin))}${path}`, query);
}

export function withQuery(path: string, query: unknown): string {
  if (typeof query !== 'object' || query === null) return path;
  const text = stringify(query as Record<string, string>);
  return text === '' ? path : `${path}?${text}`;
}

/** An origin that is not a URL stays as it is: an interceptor underneath may know what it means. */
function withoutPath(origin: string): string {
  const known = URL.canParse(origin) ? new URL(origin).origin : 'null';
  return known === 'null' ? origin : known;
}
