/** A controller for undici's first generation, in which callbacks pause the connection by their return value. */

import type { Controller, RawHeaders } from './handlers.js';

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
 * Keeps an attempt that was given up from being sent. To be called in onRequestStart. undici destroys the connection if a request is aborted here, and does not if its
 * handler throws; nothing is sent either way.
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
