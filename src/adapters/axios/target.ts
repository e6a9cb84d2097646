/** Where a request goes, as axios puts it together from `baseURL` and `url`. */

import type { RequestConfig } from './shapes.js';

export type Whereabouts = Pick<RequestConfig, 'url' | 'baseURL' | 'allowAbsoluteUrls'>;

/** A scheme, or the two slashes of an address without one. */
const absolute = /^([a-z][a-z\d+\-.]*:)?\/\//i;

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

/** Most requests go where the one before went: its text is compared at once, and nothing is read anew. */
let lastAuthority = 'http://';
let lastOrigin: string | undefined;

/** The part that names the server, in one spelling; undefined where neither URL nor baseURL says so, outside of a browser. */
export function originOf(whereabouts: Whereabouts): string | undefined {
  const address = baseOf(whereabouts) ?? whereabouts.url ?? '';
  if (hasAuthority(address, lastAuthority)) return lastOrigin;
  const colon = address.indexOf('://');
  if (colon < 1) return originIn(urlFrom(address));
  let end = colon + 3;
  while (!endsAt(address, end)) end += 1;
  lastAuthority = address.slice(0, end);
  lastOrigin = originIn(urlFrom(lastAuthority));
  return lastOrigin;
}

/** Absolute where it can be, without `params` and without userinfo. */
export function urlOf(whereabouts: Whereabouts): string {
  const { url = '' } = whereabouts;
  const base = baseOf(whereabouts);
  if (base === undefined) return written(url);
  return written(url === '' ? base : `${base.replace(/\/?\/$/, '')}/${url.replace(/^\/+/, '')}`);
}

/** As it is, unless it names the server in a spelling of its own. */
function written(address: string): string {
  if (lastAuthority === lastOrigin && hasAuthority(address, lastAuthority)) return address;
  const url = urlFrom(address);
  const origin = originIn(url);
  return url === undefined || origin === undefined ? address : `${origin}${url.pathname}${url.search}`;
}

function hasAuthority(address: string, authority: string): boolean {
  return endsAt(address, authority.length) && address.startsWith(authority);
}

/** / \\ ? # or the end. */
function endsAt(address: string, index: number): boolean {
  const code = address.charCodeAt(index);
  return code === 47 || code === 92 || code === 63 || code === 35 || index >= address.length;
}

function originIn(url: URL | undefined): string | undefined {
  return url === undefined || url.host === '' ? undefined : `${url.protocol}//${url.host}`;
}

/** As adapters read it: any spelling that the standard takes. In a browser, an address may begin anywhere. */
function urlFrom(address: string): URL | undefined {
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  // An exception is dear.
  if (location === undefined && address.startsWith('/')) return undefined;
  try {
    return new URL(address, location?.href);
  } catch {
    return undefined;
  }
}
