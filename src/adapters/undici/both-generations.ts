/**
 * A handler that any dispatcher can call: callbacks of undici's first generation are translated into those of the
 * second, so that only the second has to be implemented.
 */

import type { Duplex } from 'node:stream';
import type { Controller, Handler, OldHandler, RawHeaders, ResponseHeaders } from './handlers.js';
import { parseRaw } from './headers.js';
import { OldController } from './old-controller.js';

export abstract class BothGenerations implements Handler, OldHandler {
  /** The connection's controller; undefined until undici begins to send the request. */
  controller: Controller | undefined = undefined;

  abstract onRequestStart(controller: Controller, context: unknown): void;
  abstract onRequestUpgrade(
    controller: Controller,
    status: number,
    headers: ResponseHeaders,
    socket: Duplex,
  ): void;
  abstract onResponseStart(
    controller: Controller,
    status: number,
    headers: ResponseHeaders,
    statusText?: string,
  ): void;
  abstract onResponseData(controller: Controller, chunk: Buffer): void;
  abstract onResponseEnd(controller: Controller, trailers: ResponseHeaders): void;
  abstract onResponseError(controller: Controller | null, error: unknown): void;

  onConnect(abort: (reason?: unknown) => void, context: unknown): void {
    // The MockAgent gives null.
    this.onRequestStart(new OldController(abort, context !== null), context);
  }

  onHeaders(status: number, rawHeaders: RawHeaders, resume: () => void, statusText?: string): boolean {
    const controller = this.oldController();
    controller.rawHeaders = rawHeaders;
    controller.onResume = resume;
    this.onResponseStart(controller, status, parseRaw(rawHeaders), statusText);
    return !controller.paused;
  }

  onData(chunk: Buffer): boolean {
    const controller = this.oldController();
    this.onResponseData(controller, chunk);
    return !controller.paused;
  }

  onComplete(rawTrailers: RawHeaders): void {
    const controller = this.oldController();
    controller.rawTrailers = rawTrailers;
    this.onResponseEnd(controller, parseRaw(rawTrailers));
  }

  onError(error: unknown): void {
    this.onResponseError(this.controller ?? null, error);
  }

  onUpgrade(status: number, rawHeaders: RawHeaders, socket: Duplex): void {
    const controller = this.oldController();
    controller.rawHeaders = rawHeaders;
    this.onRequestUpgrade(controller, status, parseRaw(rawHeaders), socket);
  }

  private oldController(): OldController {
    // undici 6's MockAgent answers without calling onConnect.
    if (!(this.controller instanceof OldController))
      this.controller = new OldController(() => undefined, false);
    return this.controller as OldController;
  }
}
