/**
 * One sending of a request, as the handler that undici calls. It speaks both generations of callbacks, so
 * that any dispatcher can be underneath, and hears nothing more once it is over.
 */

import type { Duplex } from 'node:stream';
import type { Cancel } from '../../runtime/sleep.js';
import type { Exchange } from './exchange.js';
import type { Controller, Handler, Head, OldHandler, RawHeaders, ResponseHeaders } from './handlers.js';
import { parseRaw } from './headers.js';

/** A discarded response is read so far, to keep its connection; what is longer is cut off. */
const drainBytes = 65_536;
/** And for so long. */
const drainMs = 1_000;
/** A body with a hint in it is waited for so long. */
const gatherMs = 1_000;

type Late =
  | { readonly kind: 'data'; readonly chunk: Buffer }
  | { readonly kind: 'end'; readonly trailers: ResponseHeaders }
  | { readonly kind: 'error'; readonly error: unknown };

function textOf(late: readonly Late[], mostBytes: number): string {
  const chunks = late.flatMap((event) => (event.kind === 'data' ? [event.chunk] : []));
  return Buffer.concat(chunks).subarray(0, mostBytes).toString();
}

export class Attempt implements Handler, OldHandler {
  /** `live`: what comes is for the caller; `held`: not yet; `draining`: for nobody; `over`: no more comes. */
  private state: 'live' | 'held' | 'draining' | 'over' = 'live';
  /** Of the connection; undefined until the request begins to be sent. */
  controller: Controller | undefined = undefined;
  /** How often undici began to send: more than once when it moved the request to another connection. */
  starts = 0;
  /** All of the request has been written. */
  isSent = false;
  private readonly exchange: Exchange;
  private late: Late[] = [];
  private wantedBytes = 0;
  private onGathered: (() => void) | undefined = undefined;
  private drained = 0;
  private cancelDrain: Cancel | undefined = undefined;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
  }

  // -------------------------------------------------------------- what undici tells

  onRequestStart(controller: Controller, context: unknown): void {
    this.starts += 1;
    this.controller = controller;
    if (this.state === 'over') controller.abort(new Error('undaunted: this attempt was given up'));
    else this.exchange.started(context);
  }

  onResponseStart(controller: Controller, status: number, headers: ResponseHeaders, text?: string): void {
    if (this.state === 'live') this.exchange.headed(this, controller, { status, headers, statusText: text });
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (this.state === 'live') this.exchange.received(this, chunk);
    else if (this.state === 'held') this.keepLate({ kind: 'data', chunk });
    else if (this.state === 'draining') this.drain(chunk.byteLength);
  }

  onResponseEnd(controller: Controller, trailers: ResponseHeaders): void {
    if (this.state === 'live') this.exchange.ended(this, controller, trailers);
    else if (this.state === 'held') this.keepLate({ kind: 'end', trailers });
    else this.finish();
  }

  onResponseError(_controller: Controller | null, error: unknown): void {
    const { state } = this;
    if (state === 'held') {
      this.keepLate({ kind: 'error', error });
      return;
    }
    this.finish();
    if (state === 'live') this.exchange.failed(this, error);
  }

  onRequestUpgrade(controller: Controller, status: number, headers: ResponseHeaders, socket: Duplex): void {
    if (this.state === 'live') this.exchange.upgraded(controller, status, headers, socket);
    else socket?.destroy();
  }

  onBodySent(...sent: unknown[]): void {
    if (this.state === 'live') this.exchange.handler.onBodySent?.(...sent);
  }

  onRequestSent(): void {
    this.isSent = true;
    if (this.state === 'live') this.exchange.handler.onRequestSent?.();
  }

  onResponseStarted(): void {
    if (this.state === 'live') this.exchange.handler.onResponseStarted?.();
  }

  // -------------------------------------------------------------- what becomes of it

  get isLive(): boolean {
    return this.state === 'live';
  }

  get isHeld(): boolean {
    return this.state === 'held';
  }

  /** What comes is kept until it is decided whose it is. Not every dispatcher can pause. */
  hold(): void {
    if (this.state !== 'live') return;
    this.state = 'held';
    this.controller?.pause();
  }

  /** As much of the body as may be read for a hint, or as comes in the time for it. */
  gather(mostBytes: number, done: (content: string) => void): void {
    this.state = 'held';
    const cancel = this.exchange.ports.sleep(gatherMs, () => this.onGathered?.(), { unref: true });
    this.wantedBytes = mostBytes;
    this.onGathered = () => {
      cancel();
      this.onGathered = undefined;
      this.controller?.pause();
      if (this.state !== 'over') done(textOf(this.late, mostBytes));
    };
  }

  private keepLate(event: Late): void {
    this.late.push(event);
    if (event.kind === 'data') this.wantedBytes -= event.chunk.byteLength;
    if (event.kind !== 'data' || this.wantedBytes <= 0) this.onGathered?.();
  }

  /** What was kept and all that follows is for the caller. */
  unhold(): void {
    if (this.state !== 'held') return;
    this.state = 'live';
    const { late } = this;
    this.late = [];
    for (const event of late) this.deliver(event);
    if (!this.exchange.controller.paused) this.controller?.resume();
  }

  private deliver(event: Late): void {
    if (this.state !== 'live') return;
    if (event.kind === 'data') this.exchange.received(this, event.chunk);
    else if (event.kind === 'end') this.exchange.ended(this, this.controller, event.trailers);
    else {
      this.finish();
      this.exchange.failed(this, event.error);
    }
  }

  /** Nobody wants this response. A small rest is read, which costs less than a new connection. */
  discard({ headers }: Head, isUploading: boolean): void {
    if (this.late.some(({ kind }) => kind !== 'data')) {
      this.finish();
      return;
    }
    this.late = [];
    const length = Number(headers['content-length'] ?? 0);
    // While the request is still being written, the server would wait for the rest of it.
    if (isUploading || length > drainBytes) {
      this.cut();
      return;
    }
    this.state = 'draining';
    this.cancelDrain = this.exchange.ports.sleep(drainMs, () => this.cut(), { unref: true });
    this.controller?.resume();
  }

  private drain(bytes: number): void {
    this.drained += bytes;
    if (this.drained > drainBytes) this.cut();
  }

  /** Gives up the attempt, and the connection if the request is on it. */
  cut(reason: unknown = new Error('undaunted: this response was not wanted')): void {
    if (this.state === 'over') return;
    this.finish();
    this.controller?.abort(reason);
  }

  private finish(): void {
    this.state = 'over';
    this.late = [];
    this.cancelDrain?.();
    this.cancelDrain = undefined;
  }

  // -------------------------------------------------------------- the first generation

  onConnect(abort: (reason?: unknown) => void, context: unknown): void {
    this.onRequestStart(new OldController(abort), context);
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
    // MockAgent of undici 6 answers without having begun.
    if (!(this.controller instanceof OldController)) this.controller = new OldController(() => undefined);
    return this.controller as OldController;
  }
}

/** Pausing by what the callbacks return, as the first generation has it. */
class OldController implements Controller {
  paused = false;
  aborted = false;
  reason: unknown = null;
  rawHeaders: RawHeaders = null;
  rawTrailers: RawHeaders = null;
  onResume: (() => void) | undefined = undefined;
  private readonly onAbort: (reason?: unknown) => void;

  constructor(onAbort: (reason?: unknown) => void) {
    this.onAbort = onAbort;
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
