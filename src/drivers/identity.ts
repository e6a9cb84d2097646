/** Options that decide to which server a connection goes, and as whom, whatever the URL says. */

/** An object of a class keeps what it has there, so it is returned as it is. */
export function without<T extends object>(
  from: T,
  isDropped: (value: unknown, key: string) => boolean,
): Partial<T> {
  const own = Object.entries(from);
  if (own.length === 0) return from;
  const rest = own.filter(([key, value]) => value !== undefined && !isDropped(value, key));
  return Object.fromEntries(rest) as Partial<T>;
}

/** A client certificate, or a socket, in options of TLS, or in those that an agent of Node's was made with. */
export function namesIdentity(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { options = value } = value as { readonly options?: unknown };
  return (
    isObject(options) && ['cert', 'key', 'pfx', 'secureContext', 'socketPath'].some((name) => name in options)
  );
}

/** Bun's fetch takes a socket and options of TLS. */
export function isBunsOwn(value: unknown, key: string): boolean {
  return key === 'unix' || (key === 'tls' && namesIdentity(value));
}

/** What of an init of fetch may go to another origin. */
export function withoutIdentity<T extends object>(init: T): Partial<T> {
  return without(init, staysAtHome);
}

/** A socket or a client certificate: in Bun's options, or in an agent that node-fetch takes. */
function staysAtHome(value: unknown, key: string): boolean {
  return isBunsOwn(value, key) || (key === 'agent' && namesIdentity(value));
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
