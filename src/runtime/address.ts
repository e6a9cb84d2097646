/** Addresses as clients take them: in any spelling, and in browsers relative to the page. */

/** Most requests go where the one before went: its text is compared at once, and nothing is read anew. */
let lastAuthority = 'http://';
let lastOrigin: string | undefined;

/** The part that names the server, in one spelling; undefined where nobody says so, outside of a browser. */
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

/** Without userinfo: as it is, unless it names the server in a spelling of its own. */
export function written(address: string): string {
  if (lastAuthority === lastOrigin && hasAuthority(address, lastAuthority)) return address;
  const url = urlFrom(address);
  const origin = originOfUrl(url);
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

function originOfUrl(url: URL | undefined): string | undefined {
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
