/** A fetch whose requests are retried, whatever parts it has. */

import { found } from '../../core/found.js';
import type { OverrideOptions } from '../../core/policy/options.js';
import { begin } from '../../drivers/loop/begin.js';
import { errorOfOpening } from '../../drivers/override.js';
import type { FetchParts, Installed } from '../../drivers/parts.js';
import { FetchExchange, type Installation } from './exchange.js';
import type { Fetch, InitShape, ResponseShape } from './shapes.js';

/** A fetch that can be wrapped: the platform's, a package's, a framework's, or a mock. */
export type AnyFetch = (...given: never[]) => PromiseLike<unknown>;

/**
 * Keys of init beside those that the fetch itself takes. `Making`: a sentence in the place of what a function makes, if the
 * body cannot be one.
 */
export interface RetryInit<Body = unknown, Override = OverrideOptions, Making extends string | true = true> {
  /** Settings for this request alone; they override those of the rule that it matches. */
  retry?: Override | false | undefined;
  /** The body, or a function that makes one for each attempt. */
  body?: Body | (() => Making extends true ? Body | PromiseLike<Body> : Making);
}

type WithRetryInit<Init, Override, Making extends string | true> = Omit<NonNullable<Init>, 'body'> &
  RetryInit<NonNullable<Init> extends { body?: infer Body } ? Body : never, Override, Making>;

type Retrying<Given extends unknown[], Returned, Override, Making extends string | true> = Given extends [
  infer Input,
  (infer Init)?,
  ...infer Rest,
]
  ? (input: Input, init?: WithRetryInit<Init, Override, Making>, ...rest: Rest) => Returned
  : unknown;

/** Adds `retry` to each overload; for a fetch with fewer than three, the first one stands in for the rest. */
type RetryingOverloads<F, Override, Making extends string | true> = F extends {
  (...given: infer G1): infer R1;
  (...given: infer G2): infer R2;
  (...given: infer G3): infer R3;
}
  ? Retrying<G1, R1, Override, Making> &
      Retrying<G2, R2, Override, Making> &
      Retrying<G3, R3, Override, Making>
  : unknown;

/** The same fetch, with its overloads and static members, whose init also takes `retry`. */
export type RetryingFetch<F, Override = OverrideOptions, Making extends string | true = true> = F &
  RetryingOverloads<F, Override, Making>;

/**
 * What is wrapped: without a fetch, the global one. The last signature takes both, so that an error is about what is wrong in
 * it; the one before is for functions that are generic themselves, where this type stays open.
 */
export type Wrapped<F> = F extends undefined ? typeof globalThis.fetch : F;

/** `installed` is asked once the fetch is known to be one. */
export function wrapFetch(
  fetch: AnyFetch | undefined,
  installed: () => Installed<FetchParts>,
): RetryingFetch<AnyFetch> {
  if (fetch !== undefined && typeof fetch !== 'function') {
    throw new TypeError(
      `undaunted: withRetry() needs a fetch to wrap first, but got ${found(fetch)}: write withRetry(fetch, options) and call what it returns, or withRetry(undefined, options) for the global fetch`,
    );
  }
  const own = fetch as unknown as Fetch | undefined;
  const before = own ?? globalFetch();
  const fetchNow = own === undefined ? () => globalFetch(retrying) ?? before ?? missing : () => own;
  const installation: Installation = { ...installed(), fetchNow, isCalling: false };
  const beneath: Installation | undefined =
    own === undefined ? { ...installation, fetchNow: () => before ?? missing } : undefined;
  const { layers } = installation.parts;
  layers?.of.countLayer('fetches');
  // The global fetch may lead back to this one, which then counts as a second layer.
  if (beneath !== undefined) layers?.of.countLayer('fetches');
  function retrying(input: unknown, init?: unknown, ...rest: unknown[]): Promise<ResponseShape> {
    let exchange: FetchExchange;
    try {
      // Instruments and frameworks may wrap the global fetch later, which would then call this one for ever.
      const isWithin =
        beneath !== undefined && (installation.isCalling || layers?.isWithin(beneath.retrier) === true);
      const here = isWithin ? beneath : installation;
      exchange = new FetchExchange(here, input, init as InitShape | null | undefined, rest);
    } catch (error) {
      // The override is invalid, or a function of the policy's threw.
      return Promise.reject(errorOfOpening(error, 'init.retry'));
    }
    if (!exchange.isAborted) return begin<ResponseShape>(exchange);
    // The fetch itself rejects a request whose caller has aborted already; we change nothing about it.
    exchange.session.abandon();
    return exchange.send();
  }
  installation.parts.evidence?.isOurs(retrying, fetchNow);
  // Static members, such as `preconnect` in Bun, are inherited, so the wrapped fetch stays unchanged.
  if (before !== undefined) Object.setPrototypeOf(retrying, before);
  return retrying as unknown as RetryingFetch<AnyFetch>;
}

/** Undefined if there is no global fetch, or if it is this one, which would call itself forever. */
function globalFetch(butNot?: unknown): Fetch | undefined {
  const { fetch } = globalThis as unknown as { readonly fetch?: Fetch };
  return fetch === butNot ? undefined : fetch;
}

const missing: Fetch = () =>
  Promise.reject(
    new TypeError('undaunted: globalThis.fetch does not exist here: pass the fetch to wrap to withRetry()'),
  );
