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
