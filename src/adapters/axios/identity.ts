/**
 * What decides where a request goes, and as whom, beside its URL and its headers. `beforeRetry` does not see it, so none
 * of it may go along to another origin.
 */

import type { RequestConfig } from './shapes.js';

const keys = [
  'auth',
  'fetchOptions',
  'http2Options',
  'httpAgent',
  'httpsAgent',
  'proxy',
  'socketPath',
  'withCredentials',
  'withXSRFToken',
] as const;

export type Identity = Pick<RequestConfig, (typeof keys)[number]>;

/** The configuration's own, to be put back later. */
export function identityOf(config: RequestConfig): Identity {
  return Object.fromEntries(keys.flatMap((key) => (key in config ? [[key, config[key]]] : [])));
}

export function putIdentity(config: RequestConfig, identity: Identity): void {
  for (const key of keys) if (!(key in identity)) delete config[key];
  Object.assign(config, identity);
}

/** What is left of it for another origin: the ways there (proxies, agents, dispatchers), without the caller's identity. */
export function withoutIdentity({
  proxy,
  httpAgent,
  httpsAgent,
  http2Options,
  fetchOptions,
}: Identity): Identity {
  return {
    ...without({ httpAgent, httpsAgent, http2Options }, namesIdentity),
    ...(proxy !== undefined && { proxy: isObject(proxy) ? without(proxy, isCredential) : proxy }),
    ...(isObject(fetchOptions) && { fetchOptions: without(fetchOptions, isBunsOwn) }),
  };
}

/** An object of a class keeps what it has there, so it is returned as it is. */
function without<T extends object>(from: T, isDropped: (value: unknown, key: string) => boolean): Partial<T> {
  const own = Object.entries(from);
  if (own.length === 0) return from;
  const rest = own.filter(([key, value]) => value !== undefined && !isDropped(value, key));
  return Object.fromEntries(rest) as Partial<T>;
}

function isCredential(_value: unknown, key: string): boolean {
  return key === 'auth' || key === 'username' || key === 'password';
}

/** A client certificate, or a socket, in options of TLS, or in those that an agent of Node's was made with. */
function namesIdentity(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { options = value } = value as { readonly options?: unknown };
  return (
    isObject(options) && ['cert', 'key', 'pfx', 'secureContext', 'socketPath'].some((name) => name in options)
  );
}

/** Bun's fetch takes a socket and options of TLS. */
function isBunsOwn(value: unknown, key: string): boolean {
  return key === 'unix' || (key === 'tls' && namesIdentity(value));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
