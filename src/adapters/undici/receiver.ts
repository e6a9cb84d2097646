/** What a sending needs of its request, and tells it. */

import type { Duplex } from 'node:stream';
import type { Ports } from '../../runtime/ports.js';
import type { RequestContext } from './context.js';
import type { ResponseHeaders } from './handlers.js';
import type { Sending } from './sending.js';

/** What undici tells of a request that is being sent. */
export type SendingCallback = 'onBodySent' | 'onRequestSent' | 'onResponseStarted';

/** Hears what is for the caller, and from which sending. */
export interface Receiver {
  readonly context: RequestContext;
  readonly ports: Ports;
  /** The caller takes no more for now. */
  readonly paused: boolean;
  /** A head was seen, so that only the rest of its body can follow. */
  readonly expectsBody: boolean;
  told(callback: SendingCallback, given: unknown[]): void;
  headed(sending: Sending, status: number, headers: ResponseHeaders, statusText: string | undefined): void;
  received(sending: Sending, chunk: Buffer): void;
  ended(sending: Sending, trailers: ResponseHeaders): void;
  upgraded(sending: Sending, status: number, headers: ResponseHeaders, socket: Duplex): void;
  failed(sending: Sending, error: unknown): void;
  /** What the caller has got of the answer is all that it gets: it is told this error, though nothing underneath tells it. */
  endWith(sending: Sending, error: unknown): void;
}
