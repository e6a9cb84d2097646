/** Reads addresses as clients take them: in any spelling, and in browsers relative to the page. */

import { originOfUrl, parsedUrl } from '../core/url.js';

/**
 * Most requests go to the same server as the request before: a comparison of the text is enough, and nothing is parsed.
 */
let lastAuthority = 'http://';
let lastOrigin: string | undefined;

/**
 * The origin of an address, in its normal spelling. Undefined if the address does not name a server (outside of a
 * browser, which has a page to start from).
 */
export function originIn(address: string): string | undefined {
  if (hasAuthority(address, lastAuthority)) return lastOrigin;
  const colon = address.indexOf('://');
  if (colon < 1) return originOfUrl(urlFrom(address));
  let end = colon + 3;
  while (!endsAt(address, end)) end += 1;
  lastAuthority = address.slice(0, end);
  lastOrigin = originOfUrl(urlFrom(lastAuthority));
  return lastOrigin;
}

/** The address without userinfo. It is returned as it is, unless it spells the origin in an unusual way. */
export function written(address: string): string {
  if (lastAuthority === lastOrigin && hasAuthority(address, lastAuthority)) return address;
  const url = urlFrom(address);
  const origin = originOfUrl(url);
  return url === undefined || origin === undefined ? address : `${origin}${url.pathname}${url.search}`;
}

/** The address as it is sent: absolute, in its normal spelling and without a fragment. As it is if it cannot be read. */
export function asSent(address: string): string {
  const url = urlFrom(address);
  if (url === undefined) return address;
  url.hash = '';
  return url.href;
}

function hasAuthority(address: string, authority: string): boolean {
  // As `startsWith`, which V8 compiles to a loop over the characters: of a long name, that takes several times as long.
  return endsAt(address, authority.length) && address.lastIndexOf(authority, 0) === 0;
}

/** Whether the authority ends here: at / \ ? # or the end of the address. */
function endsAt(address: string, index: number): boolean {
  const code = address.charCodeAt(index);
  return code === 47 || code === 92 || code === 63 || code === 35 || index >= address.length;
}

/** Parses any spelling that the URL standard allows. In a browser, the address may be relative. */
export function urlFrom(address: string): URL | undefined {
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  // Without a page, `new URL` would throw, and an exception costs far more than this check.
  if (location === undefined && address.startsWith('/')) return undefined;
  return parsedUrl(address, location?.href);
}
