/**
 * What is known of a request that axios has sent. Its `http` adapter follows redirects through follow-redirects, which
 * counts them. What `fetch` does, its hops tell, and XMLHttpRequest tells nothing but where the answer came from.
 */

import { originIn } from '../kernel/address.js';
import type { Session } from '../kernel/session.js';
import { HopCounter, needsProof } from './hop-counter.js';
import { platformFetch } from './platform-fetch.js';

/** Of the configuration, what decides by what the request goes. */
interface Config {
  adapter?: unknown;
  fetchOptions?: { readonly dispatcher?: unknown } | undefined;
  readonly env?: { readonly fetch?: unknown } | undefined;
  readonly transport?: unknown;
  readonly maxRedirects?: number;
  readonly httpVersion?: unknown;
}

/** What Node and follow-redirects show of a request. */
interface SentRequest {
  readonly _redirectCount?: unknown;
  /** The request of follow-redirects that this one was made for. */
  readonly _redirectable?: { readonly _redirectCount?: unknown };
  /** HTTP/1 only. */
  readonly getHeader?: unknown;
  /** Where the answer came from: in Node, and in browsers. */
  readonly res?: { readonly responseUrl?: unknown };
  readonly responseURL?: unknown;
}

function redirectsOf(sent: unknown): number | undefined {
  const { _redirectCount, _redirectable } = Object(sent) as SentRequest;
  const count = _redirectCount ?? _redirectable?._redirectCount;
  return typeof count === 'number' ? count : undefined;
}

// ---------------------------------------------------------------- credentials, which stay at their origin

/** Whether redirects are known to have led to another origin than this. */
export function hasLeft(sent: unknown, origin: string | undefined): boolean {
  const { res, responseURL } = Object(sent) as SentRequest;
  const url = (redirectsOf(sent) ?? 0) > 0 ? res?.responseUrl : responseURL;
  return typeof url === 'string' && url !== '' && origin !== undefined && originIn(url) !== origin;
}

/** The request that follows a redirect. */
interface RedirectOptions {
  readonly href?: unknown;
  readonly headers?: Record<string, unknown>;
}

type BeforeRedirect = (options: RedirectOptions, ...rest: readonly unknown[]) => void;

/**
 * Takes these headers away from a request that a redirect leads to another origin. follow-redirects does so with
 * `authorization` and `cookie`, but not if that is a subdomain, and with no other header.
 */
export function keptAtHome(
  names: readonly string[],
  origin: string | undefined,
  next: BeforeRedirect | undefined,
): BeforeRedirect {
  return (options, ...rest) => {
    const { href, headers = {} } = options;
    if (typeof href !== 'string' || originIn(href) !== origin) {
      for (const name of Object.keys(headers)) if (names.includes(name.toLowerCase())) delete headers[name];
    }
    next?.(options, ...rest);
  };
}

// ---------------------------------------------------------------- evidence

/**
 * Whether the outcome is, or may be, that of another server than the one that was asked first, which has acted then. It
 * has to be known only where the evidence counts. `isCounted`: whether its hops show that there was no other.
 */
export function isOfAnother(
  sent: unknown,
  config: Config,
  session: Session,
  isCounted: () => boolean,
): boolean {
  if ((redirectsOf(sent) ?? 0) > 0) return true;
  return needsProof(session) && !isKnownHop(sent, config) && !isCounted();
}

/** An adapter or a transport of the caller's may follow redirects or send other requests, and hide both. */
function isKnownHop(sent: unknown, config: Config): boolean {
  if (typeof sent !== 'object' || sent === null || isCallers(config)) return false;
  const redirects = redirectsOf(sent);
  if (redirects !== undefined) return redirects === 0;
  const { maxRedirects, httpVersion } = config;
  if (maxRedirects === 0 && typeof (sent as SentRequest).getHeader === 'function') return true;
  // Over HTTP/2, axios follows no redirects.
  return Number(httpVersion) === 2 && 'rstCode' in sent;
}

function isCallers({ adapter, transport }: Config): boolean {
  return Boolean(transport) || [adapter].flat().some((one) => typeof one === 'function');
}

/** Undefined: this attempt's hops need not be counted, they cannot be, or something else counts them. */
export function hopsOf({ adapter, env, fetchOptions }: Config, session: Session): HopCounter | undefined {
  if (!needsProof(session) || !goesByFetch(adapter)) return undefined;
  const fetch = env?.fetch ?? (globalThis as { readonly fetch?: unknown }).fetch;
  return platformFetch(fetch) === 'undici' ? HopCounter.to(fetchOptions?.dispatcher) : undefined;
}

/** False if another adapter comes first, unless this build of axios lacks it. */
function goesByFetch(given: unknown): boolean {
  const adapters: readonly unknown[] = Array.isArray(given) ? given : [given];
  const first = adapters.find((one) => one && (one !== 'xhr' || typeof XMLHttpRequest !== 'undefined'));
  return typeof first === 'string' && first.toLowerCase() === 'fetch';
}

/** A copy, so that the caller does not see our dispatcher in its configuration. */
export function countedCopy<Sent extends Config>(config: Sent, hops: HopCounter): Sent {
  const copy = Object.create(Object.getPrototypeOf(config)) as Sent;
  return Object.assign(copy, config, { fetchOptions: { ...config.fetchOptions, dispatcher: hops } });
}
