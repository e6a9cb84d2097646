/**
 * undici's first generation of callbacks, in terms of the second: the caller's handler may have it, and so may the
 * dispatcher that calls an attempt (`sending.ts`).
 */

import type { Duplex } from 'node:stream';
import type { Controller, Handler, Head, OldHandler, RawHeaders, ResponseHeaders } from './handlers.js';
import { rawFrom } from './headers.js';

/**
 * The caller's handler with callbacks of the second generation; undefined if it has callbacks of neither. A handler
 * with both is one of undici 7's wrappers, whose first generation passes raw headers on unchanged, so that one is used.
 */
export function handlerFor(given: Handler & OldHandler): Handler | undefined {
  if (typeof given?.onConnect === 'function') return new TranslatedHandler(given);
  return typeof given?.onRequestStart === 'function' ? given : undefined;
}

/** Has the callbacks of the second generation, and calls those of the first on the caller's handler. */
export class TranslatedHandler implements Handler {
  readonly #handler: OldHandler;

  constructor(handler: OldHandler) {
    this.#handler = handler;
  }

  onRequestStart(controller: Controller, context: unknown): void {
    this.#handler.onConnect?.((reason) => controller.abort(reason), context);
  }

  onRequestUpgrade(controller: Controller, status: number, headers: ResponseHeaders, socket: Duplex): void {
    this.#handler.onUpgrade?.(status, rawFrom(controller.rawHeaders, headers), socket);
  }

  /** Raw headers are passed on, as nobody may have to parse them: a copy, because the caller may change what it gets. */
  onHead(controller: Controller, status: number, sending: Pick<Head, 'headers'>, statusText?: string): void {
    const { rawHeaders } = controller;
    const raw = Array.isArray(rawHeaders) ? rawHeaders.slice() : rawFrom(rawHeaders, sending.headers);
    const goesOn = this.#handler.onHeaders?.(status, raw, () => controller.resume(), statusText);
    // The return value for a 1xx means nothing: fetch returns false there, too.
    if (goesOn === false && status >= 200) controller.pause();
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#handler.onData?.(chunk) === false) controller.pause();
  }

  onResponseEnd(controller: Controller, trailers: ResponseHeaders): void {
    this.#handler.onComplete?.(rawFrom(controller.rawTrailers, trailers));
  }

  onResponseError(_controller: Controller | null, error: unknown): void {
    this.#handler.onError?.(error);
  }

  onBodySent(...sent: unknown[]): void {
    this.#handler.onBodySent?.(...sent);
  }

  onRequestSent(): void {
    this.#handler.onRequestSent?.();
  }

  onResponseStarted(): void {
    this.#handler.onResponseStarted?.();
  }
}

// ---------------------------------------------------------------- called by a dispatcher

/** In the first generation, callbacks pause the connection by their return value. */
export class OldController implements Controller {
  paused = false;
  aborted = false;
  reason: unknown = null;
  rawHeaders: RawHeaders = null;
  rawTrailers: RawHeaders = null;
  onResume: (() => void) | undefined = undefined;
  /** undici itself calls the handler, and not its MockAgent: it catches what the handler throws at the start. */
  readonly isOfUndici: boolean;
  private readonly onAbort: (reason?: unknown) => void;

  constructor(onAbort: (reason?: unknown) => void, isOfUndici: boolean) {
    this.onAbort = onAbort;
    this.isOfUndici = isOfUndici;
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.onResume?.();
  }

  abort(reason?: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.onAbort(reason);
  }
}

/**
 * Keeps an attempt that was given up from being sent. To be called in onRequestStart. undici destroys the connection if
 * a request is aborted here, and does not if its handler throws; nothing is sent either way.
 */
export function refuse(controller: Controller): void {
  const error = new Error('undaunted: this attempt was given up before it was sent');
  if (isOfUndici(controller)) throw error;
  controller.abort(error);
}

/**
 * Whatever else calls handlers (a MockAgent, a cache, an interceptor of the user's) may do so much later than the
 * dispatch, where nothing would catch the error. Their controllers are plain objects.
 */
function isOfUndici(controller: Controller): boolean {
  if (controller instanceof OldController) return controller.isOfUndici;
  const prototype: unknown = Object.getPrototypeOf(controller);
  // Of any realm: Object.prototype is the one that has no prototype itself.
  return Object.getPrototypeOf(prototype) !== null;
}
