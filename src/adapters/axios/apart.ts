/**
 * A configuration of its own for each of two attempts that are out at the same time, so that neither adapter meets what
 * the other one, or the caller, does with it.
 */

import { withConfig } from './child.js';
import type { HeadersShape, ProgressShape, RequestConfig, ResponseShape, SignalShape } from './shapes.js';

/** What differs from one attempt to the other. */
interface Own {
  readonly signal: SignalShape;
  readonly headers: HeadersShape;
}

/** Two attempts at once make progress side by side: the caller hears of the one that is ahead. */
export interface Progress {
  /** As many bytes as the caller has heard of. */
  up: number;
  down: number;
}

/** Sends a copy, and puts the caller's configuration into the result. */
export async function sendCopy(
  config: RequestConfig,
  own: Own,
  progress: Progress,
  send: (copy: RequestConfig) => Promise<ResponseShape>,
): Promise<ResponseShape> {
  const copy: RequestConfig = Object.create(Object.getPrototypeOf(config));
  Object.assign(copy, config, own, listenersTo(config, progress));
  try {
    return withConfig(await send(copy), copy, config);
  } catch (error) {
    throw withConfig(error, copy, config);
  }
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
