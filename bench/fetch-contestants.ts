/** fetch alone, with other retry layers, and with ours. */

import { withRetry } from '../src/adapters/fetch/index.js';
import type { PolicyOptions } from '../src/index.js';
import { type Fetch, labelOf, type Peers } from './fetch-peers.js';
import type { AsyncSubject } from './measure.js';
import type { Row } from './row.js';

export interface Contestant {
  readonly name: string;
  readonly send: (url: string) => Promise<Response>;
}

/** The options of each contestant; all others are defaults, except timeouts, which none has. */
export interface Manners {
  readonly ours?: PolicyOptions;
  /** The others retry at once. */
  readonly retries?: number;
}

export const noise = 'bare fetch again (the noise)';

/** The others are compared with the first; the second shows how much of a difference is noise. */
export function bare(fetch: Fetch): Contestant[] {
  // Each is a function of its own.
  return ['bare fetch', noise].map((name) => ({ name, send: (url) => fetch(url) }));
}

/** Ours is the first. */
export function retrying(fetch: Fetch, peers: Peers, { ours, retries }: Manners = {}): Contestant[] {
  const found: Contestant[] = [{ name: 'undaunted', send: withRetry(fetch, ours) }];
  const { ofetch, ky, 'p-retry': pRetry } = peers;
  if (ofetch !== undefined) {
    const { raw } = ofetch.createFetch({ fetch });
    const options = retries === undefined ? {} : { retry: retries, retryDelay: 0 };
    found.push({ name: labelOf('ofetch'), send: (url) => raw(url, options) });
  }
  if (ky !== undefined) {
    const retry = retries === undefined ? {} : { retry: { limit: retries, delay: () => 0 } };
    found.push({ name: labelOf('ky'), send: ky.default.create({ fetch, timeout: false, ...retry }) });
  }
  if (pRetry !== undefined) {
    const options = retries === undefined ? undefined : { retries, minTimeout: 0 };
    const send = (url: string) => pRetry.default(() => succeeding(fetch, url), options);
    found.push({ name: `${labelOf('p-retry')} around fetch`, send });
  }
  return found;
}

/** As users of p-retry write it; they read failures to the end, so that the connection can be reused. */
async function succeeding(fetch: Fetch, url: string): Promise<Response> {
  const response = await fetch(url);
  if (response.ok) return response;
  await response.arrayBuffer();
  throw new Error(`${url} has answered ${response.status}`);
}

/** Reads the whole body; ofetch has read it already. */
export async function statusOf({ send }: Contestant, url: string): Promise<number> {
  const response = await send(url);
  if (!response.bodyUsed) await response.arrayBuffer();
  return response.status;
}

/** One after the other, without reading their bodies. */
export function subjectOf({ name, send }: Contestant, url: string): AsyncSubject {
  return {
    name,
    async work(turns) {
      let sum = 0;
      for (let turn = 0; turn < turns; turn += 1) sum += (await send(url)).status;
      return sum;
    },
  };
}

export function rowsOfMissing({ missing }: Peers): Row[] {
  return missing.map(({ name, why }) => ({ name, note: why }));
}
