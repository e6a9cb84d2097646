/** The caller's controller: it pauses, resumes and aborts the whole request, whichever attempt is under way. */

import { AsyncResource, type AsyncResourceOptions } from 'node:async_hooks';
import type { Controller, RawHeaders } from './handlers.js';
import { rawFrom } from './headers.js';
import { headersIn, over, type Phase, sendingIn } from './phase.js';

const atStart: Phase = { kind: 'waiting' };

/** The defaults of an AsyncResource. Reading them from Node's own object, which has no prototype, takes longer. */
const usual: AsyncResourceOptions = { requireManualDestroy: false };

/**
 * An AsyncResource, so that attempts, hooks and timers run in the caller's async context. The exchange extends this
 * class instead of holding one, since it is created for every request, and most requests need nothing more. undici's
 * own interceptors write to their controllers, so every property here is writable.
 */
export abstract class CallersController extends AsyncResource implements Controller {
  paused = false;
  protected phase: Phase = atStart;
  /** The phase before the end: the caller may still ask its connection for raw headers and trailers. */
  protected last: Phase = atStart;
  private abortion: { readonly reason: unknown } | undefined = undefined;

  constructor() {
    super('UNDAUNTED', usual);
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

  /**
   * The raw headers that undici has. Before 7.27.2 undici's controllers had none, and the fetch of Node 26 would then
   * see no headers: they are rebuilt from the parsed ones.
   */
  get rawHeaders(): RawHeaders {
    const raw = this.connection?.rawHeaders;
    if (raw !== undefined && raw !== null) return raw;
    const headers = headersIn(this.latest);
    return headers === undefined ? null : rawFrom(undefined, headers);
  }

  set rawHeaders(rawHeaders: RawHeaders) {
    Object.defineProperty(this, 'rawHeaders', { value: rawHeaders, writable: true, configurable: true });
  }

  /** Keeps the raw headers of the head that the caller saw, before another attempt brings the rest of the body. */
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
