/** What the caller pauses, resumes and aborts by: one for the whole request, whatever attempt is under way. */

import type { Exchange } from './exchange.js';
import type { Controller, RawHeaders } from './handlers.js';

/** Plain fields: undici's own interceptors write to their controllers. */
export class StableController implements Controller {
  paused = false;
  aborted = false;
  reason: unknown = null;
  rawHeaders: RawHeaders = null;
  rawTrailers: RawHeaders = null;
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  pause(): void {
    this.paused = true;
    this.#exchange.attempt?.controller?.pause();
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.#exchange.attempt?.controller?.resume();
  }

  abort(reason?: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#exchange.abort(reason);
  }
}
