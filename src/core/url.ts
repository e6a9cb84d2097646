/** Reads URLs as the platform does: no other parser treats hexadecimal IPv4, full-width letters and IDNA in the same way. */

/** `URL.canParse` is too young: jsdom and older browsers do not have it. */
export function parsedUrl(address: string, base?: string): URL | undefined {
  try {
    return new URL(address, base);
  } catch {
    return undefined;
  }
}

/** Undefined for a URL that names no server, such as `data:`. */
export function originOfUrl(url: URL | undefined): string | undefined {
  return url === undefined || url.host === '' ? undefined : `${url.protocol}//${url.host}`;
}
