/** What the caller pauses, resumes and aborts by: one for the whole request, whatever attempt is under way. */

import { AsyncResource } from 'node:async_hooks';
import type { Attempt } from './attempt.js';
import type { Controller, RawHeaders, ResponseHeaders } from './handlers.js';
import { rawFrom } from './headers.js';

/**
 * An AsyncResource, so that attempts, hooks and timers run in the caller's context. The exchange is built on
 * this instead of owning one: it is made for every request, and most of them need no more than this.
 * undici's own interceptors write to their controllers, so everything here can be written to.
 */
export abstract class CallersController extends AsyncResource implements Controller {
  paused = false;
  private abortion: { readonly reason: unknown } | undefined = undefined;
  /** The one under way; undefined while waiting. */
  attempt: Attempt | undefined = undefined;
  /** The final head that the caller was given, in parts: most requests need no object for it. */
  deliveredStatus = 0;
  deliveredHeaders: ResponseHeaders | undefined = undefined;

  constructor() {
    super('UNDAUNTED');
  }

  protected abstract giveUp(reason: unknown): void;

  get aborted(): boolean {
    return this.abortion !== undefined;
  }

  get reason(): unknown {
    return this.abortion?.reason ?? null;
  }

  /** As undici has them. Before 7.27.2 it had none, and the fetch of Node 26 would see no headers. */
  get rawHeaders(): RawHeaders {
    const raw = this.attempt?.controller?.rawHeaders;
    if (raw !== undefined && raw !== null) return raw;
    return this.deliveredHeaders === undefined ? null : rawFrom(undefined, this.deliveredHeaders);
  }

  set rawHeaders(rawHeaders: RawHeaders) {
    Object.defineProperty(this, 'rawHeaders', { value: rawHeaders, writable: true, configurable: true });
  }

  /** Those of the head that the caller saw, when another attempt brings the rest of its body. */
  keepRawHeaders(): void {
    const { rawHeaders } = this;
    this.rawHeaders = rawHeaders;
  }

  get rawTrailers(): RawHeaders {
    return this.attempt?.controller?.rawTrailers ?? null;
  }

  set rawTrailers(rawTrailers: RawHeaders) {
    Object.defineProperty(this, 'rawTrailers', { value: rawTrailers, writable: true, configurable: true });
  }

  pause(): void {
    this.paused = true;
    this.attempt?.controller?.pause();
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.attempt?.resume();
  }

  abort(reason?: unknown): void {
    if (this.aborted) return;
    this.abortion = { reason };
    this.giveUp(reason);
  }

  /** In the context of the caller, not in that of whoever opened the socket or set the timer. */
  inScope<Given extends unknown[]>(of: object, method: (...given: Given) => unknown, ...given: Given): void {
    this.runInAsyncScope(method, of, ...given);
  }
}
