/** Options that decide to which server a connection goes, and as whom, whatever the URL says. */

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

/** What of an init of fetch may go to another origin. */
export function withoutIdentity<T extends object>(init: T): Partial<T> {
  return without(init, staysAtHome);
}

/** A socket or a client certificate: in Bun's options, or in an agent that node-fetch takes. */
function staysAtHome(value: unknown, key: string): boolean {
  return isBunsOwn(value, key) || (key === 'agent' && namesIdentity(value));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
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
}

/** Leads the attempts of a request by axios to other URLs, and gives the configuration back what is its own. */
export class Detour {
  private readonly config: Config;
  private readonly identity: Identity;

  constructor(config: Config) {
    this.config = config;
    this.identity = Object.fromEntries(
      identifying.flatMap((key) => (key in config ? [[key, config[key]]] : [])),
    );
  }

  goTo(url: string, isHome: boolean): void {
    const { config, identity } = this;
    putIdentity(config, isHome ? identity : waysIn(identity));
    config.url = url;
    delete config.baseURL;
    delete config.params;
  }

  end(): void {
    putIdentity(this.config, this.identity);
  }
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
