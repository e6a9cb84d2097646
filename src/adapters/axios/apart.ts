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

/** Sends a copy, and puts the caller's configuration into the result. */
export async function sendCopy(
  config: RequestConfig,
  own: Own,
  progress: Progress,
  send: (copy: RequestConfig) => Promise<ResponseShape>,
): Promise<ResponseShape> {
  const copy: RequestConfig = Object.create(Object.getPrototypeOf(config));
  Object.assign(copy, config, own, progress.listeners(config));
  try {
    return withConfig(await send(copy), copy, config);
  } catch (error) {
    throw withConfig(error, copy, config);
  }
}

type Listener = (event: ProgressShape) => void;
type Listening = Pick<RequestConfig, 'onUploadProgress' | 'onDownloadProgress'>;

/** Two attempts at once make progress side by side: the caller hears of the one that is ahead. */
export class Progress {
  private readonly most = { up: 0, down: 0 };

  listeners({ onUploadProgress, onDownloadProgress }: Listening): Listening {
    return {
      ...(typeof onUploadProgress === 'function' && { onUploadProgress: this.ahead('up', onUploadProgress) }),
      ...(typeof onDownloadProgress === 'function' && {
        onDownloadProgress: this.ahead('down', onDownloadProgress),
      }),
    };
  }

  private ahead(way: 'up' | 'down', listener: Listener): Listener {
    return (event) => {
      if (event.loaded <= this.most[way]) return;
      this.most[way] = event.loaded;
      listener(event);
    };
  }
}
