/** Other retry layers for fetch. */

import { labelOf as labelIn, type Packages, packagesIn, type Scratch, withPackages } from './packages.js';

export type Fetch = (input: string | Request, init?: RequestInit) => Promise<Response>;

/** The parts of each that are called here. */
interface Ofetch {
  createFetch(own: { readonly fetch: Fetch }): {
    raw(url: string, options: { readonly retry?: number; readonly retryDelay?: number }): Promise<Response>;
  };
}

interface Ky {
  readonly default: {
    create(options: {
      readonly fetch: Fetch;
      readonly timeout: false;
      readonly retry?: { readonly limit: number; readonly delay: () => number };
    }): (url: string) => Promise<Response>;
  };
}

interface PRetry {
  default<T>(
    attempt: () => Promise<T>,
    options?: { readonly retries: number; readonly minTimeout: number },
  ): Promise<T>;
}

/** The newest versions when this was written. */
const packages = {
  ofetch: { version: '1.5.1', node: 20 },
  ky: { version: '2.1.0', node: 22 },
  // Its manifest asks for Node 22; it runs on this one as well.
  'p-retry': { version: '9.0.0', node: 20 },
} as const satisfies Packages;

type Name = keyof typeof packages;

export interface Peers {
  readonly ofetch?: Ofetch;
  readonly ky?: Ky;
  readonly 'p-retry'?: PRetry;
  /** Where they are installed; another process can load them from there. */
  readonly scratch: Scratch;
}

export function withPeers<T>(measure: (peers: Peers) => Promise<T>): Promise<T> {
  return withPackages(packages, async (scratch) => measure(await peersIn(scratch)));
}

export async function peersIn(scratch: Scratch): Promise<Peers> {
  return { ...(await packagesIn(scratch, packages)), scratch };
}

export function labelOf(name: Name): string {
  return labelIn(packages, name);
}
