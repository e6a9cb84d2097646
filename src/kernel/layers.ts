/**
 * Layers of ours over each other, such as attachRetry() with axios's adapter `fetch` over a dispatcher with retry(), or
 * withRetry() over withRetry(). If a request goes through several, only the outermost acts. Nothing is done where there
 * can be only one.
 */

import { usualDefaults } from '../core/policy/defaults.js';
import type { Part } from '../core/policy/parts.js';
import { targetOf } from '../core/policy/routes/target.js';
import type { HeadersLike, RequestFacts } from '../core/types.js';
import { originIn, written } from './address.js';
import { retryNumberIn } from './attempt-header.js';
import { contextStorage, type Enclosure, type Suppression, suppressionInContext } from './context.js';
import { shared } from './shared.js';

/** As a part: who has it knows of layers of ours over each other, and of retries that are suppressed. */
export interface Layers extends Part<'layers'> {
  readonly of: {
    readonly belongsTo: typeof belongsTo;
    readonly countLayer: typeof countLayer;
    readonly currentEnclosure: typeof currentEnclosure;
    readonly isSuppressed: typeof isSuppressed;
  };
}

/** What axios's adapter may send through. */
type Beneath = 'fetch' | 'anything';

interface Counts {
  /** How many layers are on dispatchers, which fetch may go through. */
  dispatchers: number;
  /** How many layers are on instances of axios. */
  instances: number;
  /** How many layers are around a fetch, which may be the global one. */
  fetches: number;
  /**
   * Set while an adapter is being called. On platforms where no context follows a request, this is all that is known.
   */
  sending: Enclosure | undefined;
  /** Whether any attempt has ever enclosed others. Until then, there is no context to look at. */
  hasEnclosed?: boolean;
}

/** A global symbol, so that another copy of this package in the process shares the counts. */
const layersKey: unique symbol = Symbol.for('undaunted.layers');

const host = shared as { [layersKey]?: Counts };

const layers: Counts = /* @__PURE__ */ (() => {
  host[layersKey] ??= { dispatchers: 0, instances: 0, fetches: 0, sending: undefined };
  return host[layersKey];
})();

export function countLayer(kind: 'dispatchers' | 'instances' | 'fetches'): void {
  layers[kind] += 1;
}

/** Whether there is another layer that such an adapter could reach. */
export function mayMeet(beneath: Beneath): boolean {
  const { dispatchers, instances, fetches } = layers;
  return dispatchers > 0 || fetches > 0 || (beneath === 'anything' && instances > 1);
}

/** Whether there is another layer that a wrapped fetch could reach. The platform's own reaches those on dispatchers only. */
export function mayMeetBeneathFetch(isPlatforms: () => boolean): boolean {
  const { dispatchers, instances, fetches } = layers;
  // The one that asks is one of them.
  return dispatchers > 0 || (instances + fetches > 1 && !isPlatforms());
}

/** Sends an attempt. Within it, other layers of ours send the same request only once. */
export function enclosed<Given, Sent>(
  request: RequestFacts,
  beneath: Beneath,
  send: (given: Given) => Promise<Sent>,
  given: Given,
): Promise<Sent> {
  // A custom adapter may also send other requests, for example for a token, so the enclosure names its request.
  layers.hasEnclosed = true;
  const enclosure: Enclosure = { request: beneath === 'fetch' ? undefined : request, isOver: false };
  const storage = contextStorage();
  const sent =
    storage === undefined ? sendAtOnce(enclosure, send, given) : storage.run(enclosure, () => send(given));
  const end = (): void => {
    enclosure.isOver = true;
  };
  // The enclosure ends with the attempt: sockets that were opened within keep its context, and so does a body that is
  // still being read, but requests made there are not part of the attempt.
  Promise.resolve(sent).then(end, end);
  return sent;
}

/**
 * In browsers, no context follows a request. Only requests that the adapter makes synchronously are known to belong to
 * the attempt.
 */
function sendAtOnce<Given, Sent>(
  enclosure: Enclosure,
  send: (given: Given) => Promise<Sent>,
  given: Given,
): Promise<Sent> {
  const before = layers.sending;
  layers.sending = enclosure;
  try {
    return send(given);
  } finally {
    layers.sending = before;
  }
}

/** An attempt as the layers beneath it know it: `beforeRetry` may have sent it to another URL than the caller's. */
export class EnclosingAttempt implements RequestFacts {
  /** Whose attempt it is. */
  readonly owner: object;
  private readonly request: Pick<RequestFacts, 'method' | 'keyed'>;
  private readonly readAddress: () => string;

  constructor(request: Pick<RequestFacts, 'method' | 'keyed'>, readAddress: () => string, owner: object) {
    this.request = request;
    this.readAddress = readAddress;
    this.owner = owner;
  }

  get method(): string {
    return this.request.method;
  }

  get origin(): string | undefined {
    return originIn(this.readAddress());
  }

  get path(): string {
    return written(this.readAddress());
  }

  get keyed(): boolean {
    return this.request.keyed;
  }
}

/** Whether a request made here belongs to an attempt of this owner. */
export function isWithin(owner: object): boolean {
  const request = currentEnclosure()?.request;
  return request instanceof EnclosingAttempt && request.owner === owner;
}

/** The attempt that a request made here belongs to. */
export function currentEnclosure(): Enclosure | undefined {
  if (layers.hasEnclosed !== true) return undefined;
  const enclosure = layers.sending ?? suppressionInContext();
  return enclosure === true || enclosure?.isOver === true ? undefined : enclosure;
}

/** Whether another layer retries this request, or its retries are suppressed where it is made. */
export function isSuppressed(enclosure: Enclosure | undefined, request: RequestFacts): true | undefined {
  const suppression: Suppression | undefined = enclosure ?? suppressionInContext();
  if (suppression === undefined || suppression === true) return suppression;
  return !suppression.isOver && belongsTo(suppression, request) ? true : undefined;
}

export function belongsTo({ request: outer }: Enclosure, request: RequestFacts): boolean {
  return outer === undefined || isSame(outer, request);
}

/**
 * Compares what both layers know: not every client knows the origin, and axios does not say what `params` become in the
 * URL.
 */
function isSame(outer: RequestFacts, inner: RequestFacts): boolean {
  if (outer.method.toUpperCase() !== inner.method.toUpperCase()) return false;
  const [one, other] = [outer, inner].map(({ origin, path }) => targetOf(origin, path));
  const isSameOrigin =
    one?.origin === other?.origin || one?.origin === undefined || other?.origin === undefined;
  return isSameOrigin && one?.path === other?.path;
}

// ---------------------------------------------------------------- retries that the caller suppresses

// Requests that a server makes while it serves a retry are not retried again. This costs next to nothing until it is
// used.

/**
 * Switches retries off for every request that `work` makes, also after it has awaited something: each is sent once, and
 * a failure has the reason `retries-suppressed`. Listeners that were added to emitters before run outside of it.
 */
export function suppressRetries<T>(work: () => T): T {
  const storage = contextStorage();
  if (storage !== undefined) return storage.run(true, work);
  throw new Error(
    'undaunted: suppressRetries needs AsyncLocalStorage, which this platform does not have; it is meant for servers, such as Node.js',
  );
}

/** Serves an incoming request. If that is itself a retry, the requests that `serve` makes are not retried. */
export function suppressWhenRetried<T>(
  { headers }: { readonly headers: HeadersLike },
  serve: () => T,
  attemptHeader: string = usualDefaults.attemptHeader,
): T {
  const isRetry = retryNumberIn(headerIn(headers, attemptHeader.toLowerCase())) !== undefined;
  return isRetry ? suppressRetries(serve) : serve();
}

function headerIn(headers: HeadersLike, name: string): unknown {
  const { get } = headers;
  if (typeof get === 'function') return get.call(headers, name);
  // Node's headers are in lower case; those of API gateways and cloud functions may be spelled as the client sent them.
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}
