/**
 * A configuration of its own for each of two attempts that are out at the same time, so that neither adapter meets what
 * the other one, or the caller, does with it.
 */

import { hasBrowserCache, pastTheCache } from '../../runtime/browser-cache.js';
import { withConfig } from './child.js';
import type { HeadersShape, ProgressShape, RequestConfig, ResponseShape, SignalShape } from './shapes.js';

/** What differs from one attempt to the other. */
interface Own {
  readonly signal: SignalShape;
  readonly headers: HeadersShape;
  readonly isHedge: boolean;
}

/** The exchange, as far as it is needed here. */
interface Exchanged {
  readonly config: RequestConfig;
  readonly method: string;
  readonly origin: string | undefined;
  sendConfig(config: RequestConfig): Promise<ResponseShape>;
}

/** Two attempts at once make progress side by side: the caller hears of the one that is ahead. */
export interface Progress {
  /** As many bytes as the caller has heard of. */
  up: number;
  down: number;
}

/** Sends a copy, and puts the caller's configuration into the result. */
export async function sendCopy(
  exchange: Exchanged,
  { signal, headers, isHedge }: Own,
  progress: Progress,
): Promise<ResponseShape> {
  const { config } = exchange;
  const copy: RequestConfig = Object.create(Object.getPrototypeOf(config));
  Object.assign(copy, config, { signal, headers }, listenersTo(config, progress));
  if (isHedge && hasBrowserCache(exchange.method)) bypassCache(copy, exchange.origin);
  try {
    return withConfig(await exchange.sendConfig(copy), copy, config);
  } catch (error) {
    throw withConfig(error, copy, config);
  }
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

function listenersTo({ onUploadProgress, onDownloadProgress }: Listening, progress: Progress): Listening {
  return {
    ...(typeof onUploadProgress === 'function' && {
      onUploadProgress: whenAhead(progress, 'up', onUploadProgress),
    }),
    ...(typeof onDownloadProgress === 'function' && {
      onDownloadProgress: whenAhead(progress, 'down', onDownloadProgress),
    }),
  };
}

function whenAhead(progress: Progress, way: keyof Progress, listener: Listener): Listener {
  return (event) => {
    if (event.loaded <= progress[way]) return;
    progress[way] = event.loaded;
    listener(event);
  };
}
