/** What is known of a request that fetch has sent, or has refused to send. */

import type { ClientOutcome } from '../core/events.js';
import type { ResponseOutcome } from '../core/types.js';
import { originIn } from '../kernel/address.js';
import type { Session } from '../kernel/session.js';
import type { HintedAnswer, readerOf, textOfHint } from './body/copied.js';
import type { seenOf } from './body/whole.js';
import { HopCounter } from './hop-counter.js';
import { hasServiceWorker, type PlatformFetch, platformFetch } from './platform-fetch.js';

interface Init {
  readonly method?: string;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly redirect?: string;
  readonly [key: string]: unknown;
}

interface Answer {
  readonly status: number;
  readonly redirected?: boolean;
  readonly url?: string;
}

/** Whether redirects are known to have led to another origin than this. */
function wentElsewhere({ redirected, url }: Answer, origin: string | undefined): boolean {
  return redirected === true && typeof url === 'string' && url !== '' && originIn(url) !== origin;
}

// ---------------------------------------------------------------- evidence

/**
 * What is known of an attempt whose evidence counts: whether its answer or its error is that of the server that was asked
 * first. A fetch may follow redirects, and one that is not the platform's may send other requests, too. What is not known
 * is no proof.
 */
export class FetchProof {
  private readonly fetch: PlatformFetch | undefined;
  private readonly hops: HopCounter | undefined;
  private readonly staysOnRedirect: boolean;

  /** `request`: the input, if it is a Request. */
  constructor(
    fetch: unknown,
    request: { readonly redirect?: string } | undefined,
    init: Init | null | undefined,
  ) {
    this.fetch = platformFetch(fetch);
    this.hops = hopsOf(this.fetch, request !== undefined, init);
    const redirect = init?.redirect ?? request?.redirect;
    this.staysOnRedirect = redirect === 'manual' || redirect === 'error';
  }

  /** The init with our dispatcher in it. `atFirst`: a plain copy of it. */
  counting<Given extends Init | null | undefined>(given: Given, atFirst: Given): Given | Init {
    const { hops } = this;
    if (hops === undefined) return given;
    const isPlain = Object.getPrototypeOf(given ?? {}) === Object.prototype;
    return { ...(isPlain ? given : atFirst), dispatcher: hops };
  }

  /** Whether the answer is known to be that of the first server. */
  isOfFirst({ status, redirected }: Answer): boolean {
    if (this.fetch !== undefined && redirected === false && !hasServiceWorker()) return true;
    return this.hops?.answered(status) === true;
  }

  /** Whether the error is known to be about the first server. */
  isAboutFirst(error: unknown): boolean {
    if (this.hops?.failed(error) === true) return true;
    return this.fetch === 'other' && this.staysOnRedirect && !hasServiceWorker();
  }
}

/**
 * A Request may have a dispatcher, which it does not show, so it is never given another one. Nor is a stranger's fetch,
 * which may have one of its own.
 */
function hopsOf(
  fetch: PlatformFetch | undefined,
  isRequest: boolean,
  init: Init | null | undefined,
): HopCounter | undefined {
  const dispatcher = init?.['dispatcher'];
  const isGiven = dispatcher !== undefined && dispatcher !== null;
  const mayHaveItsOwn = fetch !== 'undici' || isRequest;
  return mayHaveItsOwn && !isGiven ? undefined : HopCounter.to(dispatcher);
}

// ---------------------------------------------------------------- answers

interface Waits {
  readonly seenOf: typeof seenOf;
}

/** The request whose attempt was answered. */
interface JudgedExchange {
  readonly isAborted: boolean;
  readonly session: Session;
  readonly parts: {
    readonly bodyHints?: { readonly textOfHint: typeof textOfHint };
    readonly hooks?: { readonly readerOf: typeof readerOf };
    readonly streamStart?: Waits;
    readonly wholeAnswers?: Waits;
  };
}

/**
 * The outcome with how the body was that was waited for, and with what functions and hints of the policy look for in the
 * answer.
 */
export function detailsByFetch(
  outcome: ResponseOutcome,
  answer: HintedAnswer,
  { isAborted, parts, session }: JudgedExchange,
): ClientOutcome | Promise<ClientOutcome> {
  const { bodyHints, hooks, streamStart, wholeAnswers } = parts;
  const { request, scope, settings } = session;
  const seen = (wholeAnswers ?? streamStart)?.seenOf(answer);
  if (typeof seen === 'object' && 'cut' in seen)
    return { kind: 'error', error: seen.cut, aborted: isAborted, evidence: 'unknown' };
  const began = typeof seen === 'object' ? seen.failed : undefined;
  const isElsewhere = settings.credentials !== false && wentElsewhere(answer, request.origin);
  const told: ClientOutcome = {
    ...outcome,
    ...(began !== undefined && { began }),
    ...(isElsewhere && { isElsewhere }),
    ...(settings.retryIf !== undefined && hooks !== undefined && { body: hooks.readerOf(answer) }),
  };
  const { headers, status } = outcome;
  const mostBytes = settings.bodies?.bytesToRead(settings, request, status, headers) ?? 0;
  // One that was waited for, and is not whole, is waited for no longer.
  if (bodyHints === undefined || mostBytes === 0 || seen === 'undecided' || began !== undefined) return told;
  return bodyHints
    .textOfHint(answer, mostBytes, settings, scope.ports.sleep)
    .then((content) => (content === undefined ? told : { ...told, content }));
}

// ---------------------------------------------------------------- the caller's own mistakes

/** Browsers call nearly every failure "Failed to fetch". */
const untold = /^(Failed to fetch|Load failed|NetworkError when attempting to fetch resource\.)/;

/** Only asked about failures that nothing else explains. */
export function isMisuse(
  error: unknown,
  address: string,
  isRequest: boolean,
  init: Init | null | undefined,
): boolean {
  const { message, code, cause } = Object(error) as { message?: unknown; code?: unknown; cause?: unknown };
  if (code !== undefined || cause !== undefined || !untold.test(String(message))) return false;
  const scheme = /^\s*([a-z][a-z\d+.-]*):/i.exec(address)?.[1]?.toLowerCase();
  // Other schemes are not sent over a network, so the network is not to blame.
  if (scheme !== undefined && !/^(https?|blob)$/.test(scheme)) return true;
  // A Request has been checked already. An address without a scheme can be checked only by the platform that resolves
  // it.
  return (
    scheme !== undefined && !isRequest && init !== undefined && init !== null && isRefused(address, init)
  );
}

/**
 * Tries to construct a Request that is never sent. Its body is a short text, so that the caller's own is not used up.
 */
function isRefused(address: string, init: Init): boolean {
  if (typeof Request !== 'function') return false;
  const { method, headers, body } = init;
  try {
    new Request(address, {
      ...(method !== undefined && { method }),
      ...(headers !== undefined && { headers: headers as HeadersInit }),
      ...(body !== undefined && body !== null && { body: 'x' }),
    });
    return false;
  } catch {
    return true;
  }
}
