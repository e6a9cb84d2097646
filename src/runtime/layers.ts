/**
 * Layers of ours beneath each other, as attachRetry() with axios's adapter `fetch` over a dispatcher with retry(), or
 * withRetry() over withRetry(): of those that one request goes through, the outermost acts. Nothing is done where there can be no other.
 */

import { targetOf } from '../core/policy/routes/target.js';
import type { RequestFacts } from '../core/types.js';
import { contextStorage, type Enclosure, type Suppression, suppressionInContext } from './context.js';

/** What an adapter may send through. */
type Beneath = 'fetch' | 'anything';

interface Layers {
  /** How many there are that fetch may go through. */
  dispatchers: number;
  /** How many there are on instances of axios. */
  instances: number;
  /** How many there are around a fetch, which may be the global one. */
  fetches: number;
  /** While an adapter is being called: all that is known where no context follows a request. */
  sending: Enclosure | undefined;
}

/** Of the whole process, so that another copy of this package knows it, too. */
const layersKey: unique symbol = Symbol.for('undaunted.layers');

const host = globalThis as { [layersKey]?: Layers };

host[layersKey] ??= { dispatchers: 0, instances: 0, fetches: 0, sending: undefined };
const layers: Layers = host[layersKey];

export function countLayer(kind: 'dispatchers' | 'instances' | 'fetches'): void {
  layers[kind] += 1;
}

/** Whether there is another layer that such an adapter of axios could reach. */
export function mayMeet(beneath: Beneath): boolean {
  const { dispatchers, instances, fetches } = layers;
  return dispatchers > 0 || fetches > 0 || (beneath === 'anything' && instances > 1);
}

/** Whether there is another one that a fetch could reach which one of them is around. */
export function mayMeetBeneathFetch(): boolean {
  const { dispatchers, instances, fetches } = layers;
  return dispatchers > 0 || instances > 0 || fetches > 1;
}

/** Sends an attempt. What other layers of ours send within, of the same request, they send once. */
export function enclosed<Given, Sent>(
  request: RequestFacts,
  beneath: Beneath,
  send: (given: Given) => Promise<Sent>,
  given: Given,
): Promise<Sent> {
  // An adapter of the caller may also ask for something else, as for a token.
  const enclosure: Enclosure = { request: beneath === 'fetch' ? undefined : request, isOver: false };
  const storage = contextStorage();
  const sent =
    storage === undefined ? sendAtOnce(enclosure, send, given) : storage.run(enclosure, () => send(given));
  const end = (): void => {
    enclosure.isOver = true;
  };
  // Sockets that were opened within keep its context, and what comes of a body that is still being read is not its own.
  Promise.resolve(sent).then(end, end);
  return sent;
}

/** In browsers, nothing follows a request: so much is known of one that is made before anything is waited for. */
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

/** For a request that begins here and now. */
export function enclosureAtOnce(): Enclosure | undefined {
  return layers.sending;
}

/** The attempt that what is asked for here belongs to. */
export function enclosureHere(): Enclosure | undefined {
  const enclosure = layers.sending ?? suppressionInContext();
  return enclosure === true || enclosure?.isOver === true ? undefined : enclosure;
}

export function isSuppressed(suppression: Suppression | undefined, request: RequestFacts): true | undefined {
  if (suppression === undefined || suppression === true) return suppression;
  const { request: outer, isOver } = suppression;
  return !isOver && (outer === undefined || isSame(outer, request)) ? true : undefined;
}

/** As far as both can tell: not every client knows the origin, and axios's does not say what `params` become. */
function isSame(outer: RequestFacts, inner: RequestFacts): boolean {
  if (outer.method.toUpperCase() !== inner.method.toUpperCase()) return false;
  const [one, other] = [outer, inner].map(({ origin, path }) => targetOf(origin, path));
  const isSameOrigin =
    one?.origin === other?.origin || one?.origin === undefined || other?.origin === undefined;
  return isSameOrigin && one?.path === other?.path;
}
