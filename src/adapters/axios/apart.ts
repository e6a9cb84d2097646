/**
 * A configuration of its own for each of two attempts that are out at the same time, so that neither adapter meets what
 * the other one, or the caller, does with it.
 */

import { hasBrowserCache, pastTheCache } from '../../drivers/browser-cache.js';
import type { Ending } from '../../drivers/loop/exchange.js';
import { withConfig } from './child.js';
import { answerOf } from './outcome.js';
import type { HeadersShape, ProgressShape, RequestConfig, ResponseShape, SignalShape } from './shapes.js';

/** What differs from one attempt to the other. */
interface Own {
  readonly signal: SignalShape;
  readonly headers: HeadersShape;
  readonly isHedge: boolean;
}

/** The request, as far as its attempts need it to be sent apart. */
export interface SentApart {
  readonly config: RequestConfig;
  readonly method: string;
  readonly origin: string | undefined;
  sendConfig(config: RequestConfig): Promise<ResponseShape>;
}

/** Two attempts at once make progress side by side: the caller hears about the one that is ahead. */
export interface Progress {
  /** How many bytes the caller has been told about. */
  up: number;
  down: number;
  /** Once the request is over: the caller hears about this attempt only. */
  only?: Attempted | undefined;
}

/** Undefined: the caller does not ask for it. */
export function progressOf({ onUploadProgress, onDownloadProgress }: Listening): Progress | undefined {
  const isAsked = typeof onUploadProgress === 'function' || typeof onDownloadProgress === 'function';
  return isAsked ? { up: 0, down: 0 } : undefined;
}

/** Stands for an attempt. It does not hold the answer, which the caller may have long dropped. */
type Attempted = object;

const attemptOf: WeakMap<ResponseShape, Attempted> = new WeakMap();

/** The request is over, with this answer: the caller hears no more of the attempt that has lost. */
export function endProgress(progress: Progress | undefined, answer: ResponseShape | undefined): void {
  if (progress !== undefined) progress.only = (answer && attemptOf.get(answer)) ?? {};
}

/** Sends a copy, and puts the caller's configuration into the result. */
export async function sendCopy(
  exchange: SentApart,
  { signal, headers, isHedge }: Own,
  progress: Progress | undefined,
): Promise<ResponseShape> {
  const { config } = exchange;
  const copy: RequestConfig = Object.create(Object.getPrototypeOf(config));
  const attempted: Attempted = {};
  Object.assign(copy, config, { signal, headers }, progress && listenersTo(config, progress, attempted));
  if (isHedge && hasBrowserCache(exchange.method)) bypassCache(copy, exchange.origin);
  try {
    const response = withConfig(await exchange.sendConfig(copy), copy, config);
    if (progress !== undefined) remember({ kind: 'response', response }, attempted);
    return response;
  } catch (error) {
    if (progress !== undefined) remember({ kind: 'error', error }, attempted);
    throw withConfig(error, copy, config);
  }
}

/** An adapter of the caller's may return nothing at all. */
function remember(ending: Ending<ResponseShape>, attempted: Attempted): void {
  const answer = answerOf(ending);
  if (typeof answer === 'object' && answer !== null) attemptOf.set(answer, attempted);
}

/** To another origin, the header would make the browser ask that server first, so only `fetch` bypasses its cache. */
function bypassCache(copy: RequestConfig, origin: string | undefined): void {
  const { location } = globalThis as { readonly location?: { readonly origin: string } };
  const isSameOrigin = origin === undefined || origin === location?.origin;
  if (isSameOrigin) copy.headers.set('Cache-Control', 'no-cache', false);
  copy.fetchOptions = { cache: pastTheCache, ...copy.fetchOptions };
}

type Listener = (event: ProgressShape) => void;
type Listening = Pick<RequestConfig, 'onUploadProgress' | 'onDownloadProgress'>;

function listenersTo(
  { onUploadProgress, onDownloadProgress }: Listening,
  progress: Progress,
  attempted: Attempted,
): Listening {
  const whenAhead =
    (way: 'up' | 'down', listener: Listener): Listener =>
    (event) => {
      const { only = attempted } = progress;
      if (only !== attempted || event.loaded <= progress[way]) return;
      progress[way] = event.loaded;
      listener(event);
    };
  return {
    ...(typeof onUploadProgress === 'function' && { onUploadProgress: whenAhead('up', onUploadProgress) }),
    ...(typeof onDownloadProgress === 'function' && {
      onDownloadProgress: whenAhead('down', onDownloadProgress),
    }),
  };
}
