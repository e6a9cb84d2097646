/** Where a request goes, as axios puts it together from `baseURL` and `url`. */

import type { RequestConfig } from './shapes.js';

type Whereabouts = Pick<RequestConfig, 'url' | 'baseURL' | 'allowAbsoluteUrls'>;

/** A scheme, or the two slashes of an address without one. */
const absolute = /^([a-z][a-z\d+\-.]*:)?\/\//i;
const authority = /^[a-z][a-z\d+\-.]*:\/\/[^/\\?#]*/i;

function isRelative(url: string): boolean {
  // Nearly all are: a slash that is not followed by another.
  if (url.charCodeAt(0) === 47 && url.charCodeAt(1) !== 47) return true;
  return !absolute.test(url);
}

/** What `url` is added to, if anything. */
function baseOf({ url = '', baseURL, allowAbsoluteUrls }: Whereabouts): string | undefined {
  if (baseURL === undefined || baseURL === '') return undefined;
  return isRelative(url) || allowAbsoluteUrls === false ? baseURL : undefined;
}

/** The part that names the server; undefined where nobody says so, outside of a browser. */
export function originOf(whereabouts: Whereabouts): string | undefined {
  const address = baseOf(whereabouts) ?? whereabouts.url ?? '';
  return authority.exec(address)?.[0] ?? originOfPage(address);
}

/** In a browser, an address may begin anywhere. */
function originOfPage(address: string): string | undefined {
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  if (location === undefined) return undefined;
  try {
    return new URL(address, location.href).origin;
  } catch {
    return undefined;
  }
}

/** Absolute where it can be, without `params`. */
export function urlOf(whereabouts: Whereabouts): string {
  const { url = '' } = whereabouts;
  const base = baseOf(whereabouts);
  if (base === undefined) return url;
  return url === '' ? base : `${base.replace(/\/?\/$/, '')}/${url.replace(/^\/+/, '')}`;
}
