/** The caller's handler, translated if it has the callbacks of undici's first generation. */

import type { Duplex } from 'node:stream';
import type { Controller, Handler, OldHandler, ResponseHeaders } from './handlers.js';
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
class TranslatedHandler implements Handler {
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

  onResponseStart(
    controller: Controller,
    status: number,
    headers: ResponseHeaders,
    statusText?: string,
  ): void {
    const raw = rawFrom(controller.rawHeaders, headers);
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
