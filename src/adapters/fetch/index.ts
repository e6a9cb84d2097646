/** Retry for whatever is called as `fetch` is: `withRetry(globalThis.fetch)`. */

import { found } from '../../core/found.js';
import type { OverrideOptions, PolicyOptions } from '../../core/policy/options.js';
import type { PolicyLike } from '../../core/policy/policy.js';
import { countLayer, enclosureHere } from '../../runtime/layers.js';
import { begin } from '../../runtime/loop/begin.js';
import { errorOfOpening } from '../../runtime/override.js';
import type { RetrierLike } from '../../runtime/retrier.js';
import { retrierFor } from '../../runtime/retrier.js';
import { Exchange, type Installation } from './exchange.js';
import type { Fetch, InitShape, ResponseShape } from './shapes.js';

/** What can be wrapped: the platform's fetch, a package's, a framework's, a mock. */
export type AnyFetch = (...given: never[]) => PromiseLike<unknown>;

/** What goes with a request, beside what the fetch itself takes. */
export interface RetryInit<Body = unknown> {
  /** What this one request says for itself; lies over the rule that it matches. */
  retry?: OverrideOptions | false | undefined;
  /** Or a function that makes one for each attempt. */
  body?: Body | (() => Body | PromiseLike<Body>);
}

type WithRetryInit<Init> = Omit<NonNullable<Init>, 'body'> &
  RetryInit<NonNullable<Init> extends { body?: infer Body } ? Body : never>;

type Retrying<Given extends unknown[], Returned> = Given extends [infer Input, (infer Init)?, ...infer Rest]
  ? (input: Input, init?: WithRetryInit<Init>, ...rest: Rest) => Returned
  : unknown;

/** Each of its overloads once more; of one that has fewer, the first stands for the others. */
type RetryingOverloads<F> = F extends {
  (...given: infer G1): infer R1;
  (...given: infer G2): infer R2;
  (...given: infer G3): infer R3;
}
  ? Retrying<G1, R1> & Retrying<G2, R2> & Retrying<G3, R3>
  : unknown;

/** The same fetch, with its overloads and static members, which takes `retry` in init. */
export type RetryingFetch<F> = F & RetryingOverloads<F>;

/**
 * A fetch whose requests are retried. Without one to wrap, `globalThis.fetch` is looked up at each call, so that what
 * replaces it later is used; to put this one in its place, wrap it: `globalThis.fetch = withRetry(globalThis.fetch)`.
 */
export function withRetry(
  fetch?: undefined,
  given?: PolicyOptions | PolicyLike | RetrierLike,
): RetryingFetch<typeof globalThis.fetch>;
export function withRetry<F extends AnyFetch>(
  fetch: F,
  given?: PolicyOptions | PolicyLike | RetrierLike,
): RetryingFetch<F>;
export function withRetry(
  fetch?: AnyFetch,
  given?: PolicyOptions | PolicyLike | RetrierLike,
): RetryingFetch<AnyFetch> {
  if (fetch !== undefined && typeof fetch !== 'function') {
    throw new TypeError(
      `undaunted: withRetry() needs a fetch to wrap first, but got ${found(fetch)}: write withRetry(fetch, options) and call what it returns, or withRetry(undefined, options) for the global fetch`,
    );
  }
  const own = fetch as unknown as Fetch | undefined;
  const before = own ?? globalFetch();
  const send =
    own ?? ((...asked: Parameters<Fetch>) => (globalFetch(retrying) ?? before ?? missing)(...asked));
  const installation: Installation = { retrier: retrierFor(given), send };
  const beneath: Installation | undefined =
    own === undefined ? { ...installation, send: before ?? missing } : undefined;
  countLayer('fetches');
  // What is global may lead back to it.
  if (beneath !== undefined) countLayer('fetches');
  function retrying(input: unknown, init?: unknown, ...rest: unknown[]): Promise<ResponseShape> {
    let exchange: Exchange;
    try {
      const installed = beneath !== undefined && isWithin(beneath) ? beneath : installation;
      exchange = new Exchange(installed, input, init as InitShape | null | undefined, rest);
    } catch (error) {
      // An override that cannot be used, or a function of the policy's.
      return Promise.reject(errorOfOpening(error, 'init.retry'));
    }
    if (!exchange.isAborted) return begin<ResponseShape>(exchange);
    // Who has aborted before is told so by the fetch itself, and nothing of it is ours.
    exchange.session.abandon();
    return exchange.send();
  }
  // Its static members are there as they are, `preconnect` of Bun's among them, and nothing of it is changed.
  if (before !== undefined) Object.setPrototypeOf(retrying, before);
  return retrying as unknown as RetryingFetch<AnyFetch>;
}

/**
 * Whether it is asked for by what it has called itself: the global fetch has been put around it since, as instruments
 * and frameworks do, and would call it for ever.
 */
function isWithin(beneath: Installation): boolean {
  const request = enclosureHere()?.request;
  return request instanceof Exchange && request.installation.retrier === beneath.retrier;
}

/** Undefined: there is none, or it is this one, as it would call itself for ever. */
function globalFetch(butNot?: unknown): Fetch | undefined {
  const { fetch } = globalThis as unknown as { readonly fetch?: Fetch };
  return fetch === butNot ? undefined : fetch;
}

const missing: Fetch = () =>
  Promise.reject(
    new TypeError('undaunted: globalThis.fetch does not exist here: pass the fetch to wrap to withRetry()'),
  );
