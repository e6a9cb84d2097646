/**
 * A runtime plays the scenarios through a fetch that is not the platform's. What that cannot prove is the same in Node, so
 * a scenario that needs another exception fails here, and not only where the runtimes are installed.
 */

import { type RetryingFetch, withRetry } from '../../src/adapters/fetch/index.js';
import { createRetrier, type Retrier } from '../../src/index.js';
import { conformsBut } from '../conformance/conform.js';
import { fetchPlay } from '../conformance/fetch-play.js';
import { policyOf } from '../conformance/functions.js';
import { refusals, refusedPosts } from './exceptions.js';

type Fetch = typeof globalThis.fetch;

/** Its agent is out of our sight. */
function wrapStranger(fetch: Fetch, retrier: Retrier): RetryingFetch<Fetch> {
  const through = (url: string, { dispatcher, ...asked }: { readonly dispatcher?: unknown }) => {
    const stranger: Fetch = (to, init) => fetch(to, { ...init, dispatcher } as RequestInit);
    return withRetry(stranger, retrier)(url, asked);
  };
  return through as RetryingFetch<Fetch>;
}

const unproven = new Set([...refusals, ...refusedPosts]);

conformsBut(
  ({ name, skip }) => skip?.fetch ?? (unproven.has(name) ? "a fetch of one's own proves nothing" : undefined),
  fetchPlay((scenario, ports) => createRetrier(policyOf(scenario), ports), wrapStranger),
);
