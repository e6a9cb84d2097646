/** Which server an error of connecting is about, where a client follows redirects in silence. */

/** What Node says of the server that it could not reach. */
interface Failure {
  readonly hostname?: unknown;
  readonly host?: unknown;
  readonly address?: unknown;
  readonly port?: unknown;
  readonly message?: unknown;
  readonly errors?: unknown;
  readonly cause?: unknown;
}

/**
 * After redirects that nobody tells of, an error of connecting may be about another server: whether it is about the one
 * that was asked. The same port of another server, or a server by another name, would say the same.
 */
export function isAboutFirstServer(error: unknown, url: string): boolean {
  const { hostname, port, protocol } = new URL(url);
  const name = hostname.replace(/^\[|\]$/g, '');
  const number = Number(port || (protocol === 'https:' ? 443 : 80));
  const isIt = (failure: Failure): boolean =>
    failure.hostname === name ||
    // undici gives a port as text to TLS, which says it back.
    ((failure.host === name || isSameAddress(failure.address, name)) && Number(failure.port) === number) ||
    // undici's timeout of connecting has it in the text alone.
    (typeof failure.message === 'string' && failure.message.includes(`${name}:${number},`));
  let at: unknown = error;
  for (let depth = 0; depth < 10 && typeof at === 'object' && at !== null; depth += 1) {
    const failure = at as Failure;
    if (isIt(failure)) return true;
    if (Array.isArray(failure.errors) && failure.errors.some((part) => isIt(Object(part) as Failure)))
      return true;
    at = failure.cause;
  }
  return false;
}

/** `localhost` is the only name whose addresses are known to be its own. */
function isSameAddress(address: unknown, name: string): boolean {
  return address === name || (name === 'localhost' && (address === '127.0.0.1' || address === '::1'));
}
