/**
 * What is known of an attempt whose evidence counts: whether its answer or its error is that of the server that was asked
 * first. A fetch may follow redirects, and one that is not the platform's may send other requests, too. What is not known
 * is no proof.
 */

import type { HopCounter } from '../../drivers/hop-counter.js';
import type { FetchEvidence } from '../../drivers/parts.js';
import { hasServiceWorker, isNative, type PlatformFetch } from '../../drivers/platform-fetch.js';
import { type InitShape, isRequest, type ResponseShape } from './shapes.js';

type Init = InitShape | null | undefined;

export class Proof {
  private readonly fetch: PlatformFetch | undefined;
  private readonly hops: HopCounter | undefined;
  private readonly staysOnRedirect: boolean;

  /** Without the part for evidence, hops are not counted, and only a browser's own fetch is known. */
  constructor(fetch: unknown, input: unknown, init: Init, evidence: FetchEvidence | undefined) {
    this.fetch = evidence === undefined ? nativeKind(fetch) : evidence.platformFetch(fetch);
    this.hops = evidence && hopsOf(this.fetch, input, init, evidence);
    const redirect = init?.redirect ?? (isRequest(input) ? input.redirect : undefined);
    this.staysOnRedirect = redirect === 'manual' || redirect === 'error';
  }

  /** The init with our dispatcher in it. */
  counting(given: Init, atFirst: Init): Init {
    const { hops } = this;
    if (hops === undefined) return given;
    const isPlain = Object.getPrototypeOf(given ?? {}) === Object.prototype;
    return { ...(isPlain ? given : atFirst), dispatcher: hops };
  }

  /** Whether the answer is known to be that of the first server. */
  isOfFirst({ status, redirected }: ResponseShape): boolean {
    if (this.fetch !== undefined && redirected === false && !hasServiceWorker()) return true;
    return this.hops?.answered(status) === true;
  }

  /** Whether the error is known to be about the first server. */
  isAboutFirst(error: unknown): boolean {
    if (this.hops?.failed(error) === true) return true;
    return this.fetch === 'other' && this.staysOnRedirect && !hasServiceWorker();
  }
}

function nativeKind(fetch: unknown): PlatformFetch | undefined {
  return typeof fetch === 'function' && isNative(fetch) ? 'other' : undefined;
}

/**
 * A Request may have a dispatcher, which it does not show, so it is never given another one. Nor is a stranger's fetch,
 * which may have one of its own.
 */
function hopsOf(
  fetch: PlatformFetch | undefined,
  input: unknown,
  init: Init,
  { HopCounter }: FetchEvidence,
): HopCounter | undefined {
  const dispatcher = init?.['dispatcher'];
  const isGiven = dispatcher !== undefined && dispatcher !== null;
  const mayHaveItsOwn = fetch !== 'undici' || isRequest(input);
  return mayHaveItsOwn && !isGiven ? undefined : HopCounter.to(dispatcher);
}
