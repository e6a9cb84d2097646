/** fetch bare, under what else people retry it with, and under ours. */

import { withRetry } from '../src/adapters/fetch/index.js';
import type { PolicyOptions } from '../src/index.js';
import { type Fetch, labelOf, type Peers } from './fetch-peers.js';
import type { AsyncSubject } from './measure.js';
import type { Row } from './row.js';

export interface Contestant {
  readonly name: string;
  readonly send: (url: string) => Promise<Response>;
}

/** What each is told; as they come without it, but for times, which none has. */
export interface Manners {
  readonly ours?: PolicyOptions;
  /** At once, for all the others. */
  readonly retries?: number;
}

export const noise = 'bare fetch again (the noise)';

/** The first is what the others are compared with; the second tells how much of a difference is noise. */
export function bare(fetch: Fetch): Contestant[] {
  // Each a function of its own.
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

/** As p-retry's users write it, who read what they do not want, so that its connection is of use to the next. */
async function succeeding(fetch: Fetch, url: string): Promise<Response> {
  const response = await fetch(url);
  if (response.ok) return response;
  await response.arrayBuffer();
  throw new Error(`${url} has answered ${response.status}`);
}

/** With all of its body; ofetch has read it already. */
export async function statusOf({ send }: Contestant, url: string): Promise<number> {
  const response = await send(url);
  if (!response.bodyUsed) await response.arrayBuffer();
  return response.status;
}

/** One after the other, and nothing of them is read. */
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
