/** What a sending needs to know about its request, and whom it reports to. */

import type { Duplex } from 'node:stream';
import type { Ports } from '../../runtime/ports.js';
import type { RequestContext } from './context.js';
import type { ResponseHeaders } from './handlers.js';
import type { Sending } from './sending.js';

/** Callbacks about a request that is being sent. */
export type SendingCallback = 'onBodySent' | 'onRequestSent' | 'onResponseStarted';

/** Is told everything that is meant for the caller, and which sending it came from. */
export interface Receiver {
  readonly context: RequestContext;
  readonly ports: Ports;
  /** The caller has paused the response. */
  readonly paused: boolean;
  /** The final head has been handed over, so only the rest of its body can follow. */
  readonly expectsBody: boolean;
  told(callback: SendingCallback, given: unknown[]): void;
  headed(sending: Sending, status: number, headers: ResponseHeaders, statusText: string | undefined): void;
  received(sending: Sending, chunk: Buffer): void;
  ended(sending: Sending, trailers: ResponseHeaders): void;
  upgraded(sending: Sending, status: number, headers: ResponseHeaders, socket: Duplex): void;
  failed(sending: Sending, error: unknown): void;
  /** Ends the answer where it is, and tells the caller this error, since nothing underneath will. */
  endWith(sending: Sending, error: unknown): void;
}
