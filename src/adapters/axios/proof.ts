/**
 * Whether axios is known to have sent one request for an attempt. Its `http` adapter follows redirects through
 * follow-redirects, which counts them. What `fetch` does, its hops tell, and XMLHttpRequest tells nothing.
 */

import type { HopCounter } from '../../drivers/hop-counter.js';
import type { Evidence } from '../../drivers/parts.js';
import { originIn } from '../../kernel/address.js';
import { sendCopy } from './child.js';
import type { Adapter, RequestConfig, ResponseShape } from './shapes.js';

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

/** 0 if there is nothing that counts them. */
export function redirectsOf(sent: unknown): number {
  return countIn(sent) ?? 0;
}

function countIn(sent: unknown): number | undefined {
  const { _redirectCount, _redirectable } = Object(sent) as SentRequest;
  const count = _redirectCount ?? _redirectable?._redirectCount;
  return typeof count === 'number' ? count : undefined;
}

/** Whether redirects are known to have led to another origin than this. */
export function hasLeft(sent: unknown, origin: string | undefined): boolean {
  const { res, responseURL } = Object(sent) as SentRequest;
  const url = redirectsOf(sent) > 0 ? res?.responseUrl : responseURL;
  return typeof url === 'string' && url !== '' && origin !== undefined && originIn(url) !== origin;
}

/**
 * Takes these headers away from a request that a redirect leads to another origin. follow-redirects does so with
 * `authorization` and `cookie`, but not if that is a subdomain, and with no other header.
 */
export function keptAtHome(
  names: readonly string[],
  origin: string | undefined,
  next: RequestConfig['beforeRedirect'],
): NonNullable<RequestConfig['beforeRedirect']> {
  return (options, ...rest) => {
    const { href, headers = {} } = options;
    if (typeof href !== 'string' || originIn(href) !== origin) {
      for (const name of Object.keys(headers)) if (names.includes(name.toLowerCase())) delete headers[name];
    }
    next?.(options, ...rest);
  };
}

/** An adapter or a transport of the caller's may follow redirects or send other requests, and hide both. */
export function isKnownHop(sent: unknown, config: RequestConfig): boolean {
  if (typeof sent !== 'object' || sent === null || isCallers(config)) return false;
  const redirects = countIn(sent);
  if (redirects !== undefined) return redirects === 0;
  const { maxRedirects, httpVersion } = config;
  if (maxRedirects === 0 && typeof (sent as SentRequest).getHeader === 'function') return true;
  // Over HTTP/2, axios follows no redirects.
  return Number(httpVersion) === 2 && 'rstCode' in sent;
}

export function isCallers({ adapter, transport }: RequestConfig): boolean {
  return Boolean(transport) || [adapter].flat().some((one) => typeof one === 'function');
}

// ---------------------------------------------------------------- through `fetch`, which does not tell of redirects

/** False if another adapter comes first, unless this build of axios lacks it. */
export function goesByFetch(given: unknown): boolean {
  const adapters: readonly unknown[] = Array.isArray(given) ? given : [given];
  const first = adapters.find((one) => one && (one !== 'xhr' || typeof XMLHttpRequest !== 'undefined'));
  return typeof first === 'string' && first.toLowerCase() === 'fetch';
}

/** Undefined: this attempt's hops cannot be counted, or something else counts them. */
export function hopsFor(
  { env, fetchOptions }: RequestConfig,
  evidence: Evidence | undefined,
): HopCounter | undefined {
  const fetch = env?.fetch ?? (globalThis as { readonly fetch?: unknown }).fetch;
  if (evidence?.platformFetch(fetch) !== 'undici') return undefined;
  return evidence.HopCounter.to(fetchOptions?.dispatcher);
}

/** Sends a copy, so that the caller does not see our dispatcher in its configuration. */
export function sendCounted(
  adapter: Adapter,
  config: RequestConfig,
  hops: HopCounter,
): Promise<ResponseShape> {
  const copy: RequestConfig = Object.create(Object.getPrototypeOf(config));
  Object.assign(copy, config, { fetchOptions: { ...config.fetchOptions, dispatcher: hops } });
  return sendCopy(adapter, copy, config);
}
