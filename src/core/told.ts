/** The request as the functions of a policy are told it: the same by every client, whatever its own objects look like. */

import type { RequestFacts, ToldRequest } from './types.js';
import { originOfUrl, parsedUrl } from './url.js';

/**
 * A plain object, which functions may copy or print. The clients' own objects hold more than that, secrets among it. It
 * is made only where there is a function to call.
 */
export function toldRequest(request: RequestFacts): ToldRequest {
  const { origin, path } = asSent(request);
  // The path of `OPTIONS *` and of CONNECT begins without a slash.
  const slash = origin === undefined || path.startsWith('/') ? '' : '/';
  return {
    method: request.method.toUpperCase(),
    origin,
    path,
    url: `${origin ?? ''}${slash}${path}`,
    keyed: request.keyed,
    header: (name) => request.header?.(String(name).toLowerCase()),
  };
}

/**
 * A path is sent as it is; a URL is sent as the URL standard reads it. An origin that is not a URL stays as it is: an
 * interceptor underneath may know what it means.
 */
function asSent({ origin, path, address = path }: RequestFacts): Pick<ToldRequest, 'origin' | 'path'> {
  const url = address.startsWith('/') ? undefined : parsedUrl(address);
  const own = originOfUrl(url);
  return url === undefined || own === undefined
    ? { origin: origin && (originOfUrl(parsedUrl(origin)) ?? origin), path: address }
    : { origin: own, path: `${url.pathname}${url.search}` };
}

/** A header's value as one text, in whatever form it is given; false and null are headers that are not sent. */
export function headerText(value: unknown): string | undefined {
  const lines = [value].flat().filter((line) => line !== undefined && line !== null && line !== false);
  return lines.length === 0 ? undefined : lines.map((line) => String(line).trim()).join(', ');
}
