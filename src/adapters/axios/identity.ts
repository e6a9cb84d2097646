/**
 * What decides where a request goes, and as whom, beside its URL and its headers. `beforeRetry` does not see it, so none
 * of it may go along to another origin.
 */

import { isBunsOwn, isObject, namesIdentity, without } from '../../drivers/identity.js';
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

/**
 * What is left of it for another origin: the ways there (proxies, agents, dispatchers), without the caller's identity.
 */
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

function isCredential(_value: unknown, key: string): boolean {
  return key === 'auth' || key === 'username' || key === 'password';
}
