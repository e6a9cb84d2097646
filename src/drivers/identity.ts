/**
 * What `beforeRetry` changes: the headers of the next attempt, and its URL, without the options that decide as whom it goes,
 * whatever the URL says.
 */

import { isObject } from '../core/is-object.js';
import { originIn } from '../kernel/address.js';
import { initFrom } from './built-anew.js';
import type { HeaderRecord } from './header-record.js';
import type { Changes, Target } from './loop/exchange.js';

/** An object of a class keeps what it has there, so it is returned as it is. */
function without<T extends object>(from: T, isDropped: (value: unknown, key: string) => boolean): Partial<T> {
  const own = Object.entries(from);
  if (own.length === 0) return from;
  const rest = own.filter(([key, value]) => value !== undefined && !isDropped(value, key));
  return Object.fromEntries(rest) as Partial<T>;
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

/** A socket or a client certificate: in Bun's options, or in an agent that node-fetch takes. */
function staysAtHome(value: unknown, key: string): boolean {
  return isBunsOwn(value, key) || (key === 'agent' && namesIdentity(value));
}

// ---------------------------------------------------------------- a request by fetch

type Pair = readonly [name: string, value: unknown];

/** The attempts of a request by fetch, which `beforeRetry` may change. */
interface ChangedByFetch {
  readonly exchange: {
    readonly inputAtFirst: unknown;
    readonly initAtFirst: object | null | undefined;
    readonly origin: string | undefined;
    /** Of the input as it was at the call. */
    readonly addressAtFirst: string;
  };
  readonly headers: readonly Pair[];
  /** Those of the next attempt, if they are not the caller's. */
  pairs: readonly Pair[] | undefined;
}

/** Leads the attempts of a request by fetch to other URLs. */
export class FetchChanges implements Changes {
  private readonly of: ChangedByFetch;
  private url: string | undefined = undefined;

  constructor(of: ChangedByFetch) {
    this.of = of;
  }

  target(asSent: (address: string) => string): Target {
    const { exchange, headers } = this.of;
    return { url: this.url ?? asSent(exchange.addressAtFirst), headers };
  }

  change(headers: HeaderRecord, url: string | undefined): void {
    this.of.pairs = Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((one): Pair => [name, one]),
    );
    if (url !== undefined) this.url = url;
  }

  /** Input and init, once it leads to another URL: with everything that a Request says, and without what must stay at home. */
  get elsewhere(): { readonly input: string; readonly init: object | null | undefined } | undefined {
    const { url } = this;
    if (url === undefined) return undefined;
    const { inputAtFirst, initAtFirst, origin } = this.of.exchange;
    const own = originIn(url) === origin || !initAtFirst ? initAtFirst : without(initAtFirst, staysAtHome);
    const isRequest = isObject(inputAtFirst);
    return {
      input: url,
      init: isRequest ? { ...initFrom(inputAtFirst as { headers: Headers }), ...own } : own,
    };
  }
}

// ---------------------------------------------------------------- a request by axios

/**
 * What decides where a request by axios goes, and as whom, beside its URL and its headers. `beforeRetry` does not see it,
 * so none of it may go along to another origin.
 */
const identifying = [
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

type Identity = { [Key in (typeof identifying)[number]]?: unknown };

interface Config extends Identity {
  url?: unknown;
  baseURL?: unknown;
  params?: unknown;
  allowAbsoluteUrls?: boolean | undefined;
}

/** The attempts of a request by axios, which `beforeRetry` may change. */
interface Changed {
  readonly exchange: {
    readonly config: Config;
    /** As axios itself writes it, with `params`. */
    readonly uri: string;
    readonly origin: string | undefined;
    /** The address that the caller gave, wherever the next attempt may go. */
    whereabouts: Pick<Config, 'url' | 'baseURL' | 'allowAbsoluteUrls'>;
  };
  /** Those of the next attempt. */
  headers: Readonly<Record<string, unknown>>;
  beginAnew(): void;
}

/** Leads the attempts of a request by axios to other URLs, and gives the configuration back what is its own. */
export class AxiosChanges implements Changes {
  private readonly of: Changed;
  /** Undefined until it leads to another URL. */
  private identity: Identity | undefined = undefined;

  constructor(of: Changed) {
    this.of = of;
  }

  get isElsewhere(): boolean {
    return this.identity !== undefined;
  }

  target(asSent: (address: string) => string): Target {
    const { of } = this;
    of.beginAnew();
    // A header that is false is one that axios must not add.
    const headers = Object.entries(of.headers).filter(([, value]) => value !== false);
    return { url: asSent(of.exchange.uri), headers };
  }

  change(headers: HeaderRecord, url: string | undefined): void {
    const { of } = this;
    of.headers = changed(of.headers, headers);
    if (url !== undefined) this.goTo(url);
  }

  private goTo(url: string): void {
    const { exchange } = this.of;
    const { config } = exchange;
    if (this.identity === undefined) {
      const { url: first, baseURL, allowAbsoluteUrls } = config;
      exchange.whereabouts = { url: first, baseURL, allowAbsoluteUrls };
      this.identity = identityOf(config);
    }
    const { identity } = this;
    putIdentity(config, originIn(url) === exchange.origin ? identity : waysIn(identity));
    config.url = url;
    delete config.baseURL;
    delete config.params;
  }

  end(): void {
    if (this.identity !== undefined) putIdentity(this.of.exchange.config, this.identity);
  }
}

function identityOf(config: Config): Identity {
  return Object.fromEntries(identifying.flatMap((key) => (key in config ? [[key, config[key]]] : [])));
}

function putIdentity(config: Config, identity: Identity): void {
  for (const key of identifying) if (!(key in identity)) delete config[key];
  Object.assign(config, identity);
}

/** The ways to another origin (proxies, agents, dispatchers), without the caller's identity. */
function waysIn({ proxy, httpAgent, httpsAgent, http2Options, fetchOptions }: Identity): Identity {
  return {
    ...without({ httpAgent, httpsAgent, http2Options }, namesIdentity),
    ...(proxy !== undefined && { proxy: isObject(proxy) ? without(proxy, isCredential) : proxy }),
    ...(isObject(fetchOptions) && { fetchOptions: without(fetchOptions, isBunsOwn) }),
  };
}

function isCredential(_value: unknown, key: string): boolean {
  return key === 'auth' || key === 'username' || key === 'password';
}

/** The headers of an attempt by axios as `beforeRetry` has made them, with those that axios must not add. */
function changed(
  headers: Readonly<Record<string, unknown>>,
  added: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const names = new Set(Object.keys(added).map((name) => name.toLowerCase()));
  const isSuppressed = ([name, value]: [string, unknown]): boolean =>
    (value === false || value === null) && !names.has(name.toLowerCase());
  return { ...Object.fromEntries(Object.entries(headers).filter(isSuppressed)), ...added };
}
