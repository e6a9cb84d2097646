/** fetch alone, with other retry layers, and with ours. */

import { withRetry } from '../src/adapters/fetch/index.js';
import { type PolicyOptions, presets } from '../src/index.js';
import { type Fetch, labelOf, type Peers } from './fetch-peers.js';

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

export const service = 'undaunted, service';
export const withoutWhole = 'undaunted, service without wholeBodyBytes';

/** What a realistic policy asks for, which is more than the defaults: with whole answers, and without. */
export const services: Readonly<Record<string, PolicyOptions>> = {
  [withoutWhole]: { ...presets.policies.service, wholeBodyBytes: 0 },
  [service]: presets.policies.service,
};

export function serving(fetch: Fetch, name: string, more: PolicyOptions = {}): Contestant {
  return { name, send: withRetry(fetch, { ...services[name], ...more }) };
}

export const copying = "the platform's clone().arrayBuffer()";

/** Reads a copy of each answer to its end before it is handed over, as `wholeBodyBytes` does, and nothing else. */
export function copyingBy(fetch: Fetch): Contestant {
  const send = async (url: string): Promise<Response> => {
    const response = await fetch(url);
    await response.clone().arrayBuffer();
    return response;
  };
  return { name: copying, send };
}

export const timing = 'AbortSignal.timeout()';

/** Limits each request as the platform does by itself, and does nothing else. */
export function timingBy(fetch: Fetch): Contestant {
  return { name: timing, send: (url) => fetch(url, { signal: AbortSignal.timeout(2_000) }) };
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
