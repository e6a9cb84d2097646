/** What the caller pauses, resumes and aborts by: one for the whole request, whatever attempt is under way. */

import { AsyncResource } from 'node:async_hooks';
import type { Controller, RawHeaders } from './handlers.js';
import { rawFrom } from './headers.js';
import { headersIn, over, type Phase, sendingIn } from './phase.js';

const atStart: Phase = { kind: 'waiting' };

/**
 * An AsyncResource, so that attempts, hooks and timers run in the caller's context. The exchange is built on
 * this instead of owning one: it is made for every request, and most of them need no more than this.
 * undici's own interceptors write to their controllers, so everything here can be written to.
 */
export abstract class CallersController extends AsyncResource implements Controller {
  paused = false;
  protected phase: Phase = atStart;
  /** The phase before it was over: its connection can still be asked for trailers. */
  protected last: Phase = atStart;
  private abortion: { readonly reason: unknown } | undefined = undefined;

  constructor() {
    super('UNDAUNTED');
  }

  get isOver(): boolean {
    return this.phase === over;
  }

  protected get latest(): Phase {
    return this.isOver ? this.last : this.phase;
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
    const raw = this.connection?.rawHeaders;
    if (raw !== undefined && raw !== null) return raw;
    const headers = headersIn(this.latest);
    return headers === undefined ? null : rawFrom(undefined, headers);
  }

  set rawHeaders(rawHeaders: RawHeaders) {
    Object.defineProperty(this, 'rawHeaders', { value: rawHeaders, writable: true, configurable: true });
  }

  /** Those of the head that the caller saw, when another attempt brings the rest of its body. */
  protected keepRawHeaders(): void {
    const { rawHeaders } = this;
    this.rawHeaders = rawHeaders;
  }

  protected get connection(): Controller | undefined {
    return sendingIn(this.latest)?.controller;
  }

  get rawTrailers(): RawHeaders {
    return this.connection?.rawTrailers ?? null;
  }

  set rawTrailers(rawTrailers: RawHeaders) {
    Object.defineProperty(this, 'rawTrailers', { value: rawTrailers, writable: true, configurable: true });
  }

  pause(): void {
    this.paused = true;
    this.connection?.pause();
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    sendingIn(this.latest)?.resume();
  }

  abort(reason?: unknown): void {
    if (this.aborted) return;
    this.abortion = { reason };
    this.giveUp(reason);
  }
}
