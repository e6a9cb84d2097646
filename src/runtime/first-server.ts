/** Which server a connection error is about, if the client follows redirects silently. */

import { urlFrom } from './address.js';

/** What Node's errors say about the server that it could not reach. */
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
 * Whether a connection error is about the server that was asked first. After silent redirects it may be about another
 * one. The port alone proves nothing, since another server may use the same; neither does the address of a server that
 * goes by another name.
 */
export function isAboutFirstServer(error: unknown, url: string): boolean {
  const first = urlFrom(url);
  if (first === undefined) return false;
  const { hostname, port, protocol } = first;
  const name = hostname.replace(/^\[|\]$/g, '');
  const number = Number(port || (protocol === 'https:' ? 443 : 80));
  const isIt = (failure: Failure): boolean =>
    failure.hostname === name ||
    // undici gives TLS the port as text, and TLS repeats it as text.
    ((failure.host === name || isSameAddress(failure.address, name)) && Number(failure.port) === number) ||
    // undici's connect timeout names the server only in its message.
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

/** `localhost` is the only name whose addresses are known without asking DNS. */
function isSameAddress(address: unknown, name: string): boolean {
  return address === name || (name === 'localhost' && (address === '127.0.0.1' || address === '::1'));
}
