/**
 * One sending of a request, as the handler that undici calls. It speaks both generations of callbacks, so
 * that any dispatcher can be underneath, and hears nothing more once it is over.
 */

import type { Duplex } from 'node:stream';
import { Aside, type Late } from './aside.js';
import { innerContext } from './context.js';
import { movedError } from './errors.js';
import type { Exchange } from './exchange.js';
import type { Controller, Handler, OldHandler, RawHeaders, ResponseHeaders } from './handlers.js';
import { parseRaw } from './headers.js';
import { OldController } from './old-controller.js';
import type { Upload } from './upload.js';

const nothing: unknown[] = [];

export class Attempt implements Handler, OldHandler {
  /**
   * `live`: what comes is for the caller; `held`: perhaps; `handing`: for the caller, after what came before;
   * `draining`: for nobody; `over`: no more comes.
   */
  private state: 'live' | 'held' | 'handing' | 'draining' | 'over' = 'live';
  /** Of the connection; undefined until the request begins to be sent. */
  controller: Controller | undefined = undefined;
  /** How often undici began to send: more than once when it moved the request to another connection. */
  starts = 0;
  /** What it sends of a body that is kept. */
  upload: Upload | undefined = undefined;
  private readonly exchange: Exchange;
  private aside: Aside | undefined = undefined;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
  }

  get isLive(): boolean {
    return this.state === 'live';
  }

  get isHeld(): boolean {
    return this.state === 'held';
  }

  private get isAside(): boolean {
    return this.state === 'held' || this.state === 'handing';
  }

  /** It has begun more than once, and not because undici moved it to another connection. */
  get isRedirected(): boolean {
    const { history } = this.exchange.context.shown as { readonly history?: unknown };
    return this.starts > 1 && Array.isArray(history) && history.length > 0;
  }

  // -------------------------------------------------------------- what undici tells

  onRequestStart(controller: Controller, context: unknown): void {
    const inner = innerContext(context);
    if (inner !== undefined) {
      // Not yet a start: it asks whether it is needed.
      inner.claim();
      return;
    }
    if (this.isAnswered) {
      this.startedAgain(controller);
      return;
    }
    // What lies underneath may have a context for the caller.
    if (typeof context === 'object' && context !== null) this.exchange.context.adopt(context);
    this.starts += 1;
    this.controller = controller;
    // Of what it sends, a part is gone.
    if (this.starts > 1 && this.upload?.readableDidRead === true && !this.isRedirected) {
      this.startedAgain(controller);
      return;
    }
    if (this.state === 'over') controller.abort(new Error('undaunted: this attempt was given up'));
  }

  /** Its head has been seen, and what follows can only be the rest of its body. */
  private get isAnswered(): boolean {
    return this.state === 'live' ? this.exchange.expectsBody : this.state !== 'over';
  }

  /** undici 6 moves a request to another connection even in the middle of its answer: that would come twice. */
  private startedAgain(controller: Controller): void {
    const error = movedError();
    this.onResponseError(controller, error);
    controller.abort(error);
  }

  onResponseStart(controller: Controller, status: number, headers: ResponseHeaders, text?: string): void {
    if (this.state === 'live') this.exchange.headed(this, controller, status, headers, text);
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (this.state === 'live') this.exchange.received(this, chunk);
    else if (this.state === 'draining') this.aside?.count(chunk);
    else this.aside?.keep({ kind: 'data', chunk });
  }

  onResponseEnd(_controller: Controller, trailers: ResponseHeaders): void {
    if (this.state === 'live') {
      this.exchange.ended(this, trailers);
      this.state = 'over';
    } else if (this.isAside) this.aside?.keep({ kind: 'end', trailers });
    else this.finish();
  }

  onResponseError(_controller: Controller | null, error: unknown): void {
    const told = this.upload === undefined ? error : this.upload.explained(error);
    if (this.isAside) this.aside?.keep({ kind: 'error', error: told });
    else this.fail(told);
  }

  private fail(error: unknown): void {
    const isTheCallers = this.state === 'live' || this.state === 'handing';
    this.finish();
    if (isTheCallers) this.exchange.failed(this, error);
  }

  onRequestUpgrade(controller: Controller, status: number, headers: ResponseHeaders, socket: Duplex): void {
    this.controller = controller;
    if (this.state === 'live') this.exchange.upgraded(status, headers, socket);
    else socket.destroy();
  }

  onBodySent(...sent: unknown[]): void {
    if (this.state === 'live') this.exchange.told('onBodySent', sent);
  }

  onRequestSent(): void {
    if (this.state === 'live') this.exchange.told('onRequestSent', nothing);
  }

  onResponseStarted(): void {
    if (this.state === 'live') this.exchange.told('onResponseStarted', nothing);
  }

  // -------------------------------------------------------------- what becomes of it

  /** By the caller; a response that is held goes on when it is the caller's. */
  resume(): void {
    if (this.state === 'live') this.controller?.resume();
    else if (this.state === 'handing') this.handOver();
  }

  /** What comes is kept until it is decided whose it is. */
  hold(): void {
    if (this.state !== 'live') return;
    this.state = 'held';
    this.aside = new Aside();
    this.aside.hold(() => this.controller?.pause());
  }

  /** As much of the body as may be read for a hint, or as comes in the time for it. */
  gather(mostBytes: number, done: (bytes: Uint8Array) => void): void {
    this.state = 'held';
    this.aside = new Aside();
    const { aside } = this;
    aside.gather(this.exchange.ports.sleep, mostBytes, (bytes) => {
      aside.hold(() => this.controller?.pause());
      done(bytes);
    });
  }

  /** What was kept and all that follows is for the caller. */
  unhold(): void {
    if (this.state !== 'held') return;
    this.state = 'handing';
    this.handOver();
  }

  /** As far as the caller takes it. */
  private handOver(): void {
    const { aside, exchange } = this;
    if (aside === undefined || aside.isHandingOver) return;
    aside.isHandingOver = true;
    try {
      while (this.state === 'handing' && !exchange.paused) {
        const event = aside.late.shift();
        if (event === undefined) this.goOn();
        else this.deliver(event);
      }
    } catch (error) {
      exchange.failFromWithin(this, error);
    }
    aside.isHandingOver = false;
  }

  private goOn(): void {
    this.state = 'live';
    this.aside = undefined;
    this.controller?.resume();
  }

  private deliver(event: Late): void {
    if (event.kind === 'data') this.exchange.received(this, event.chunk);
    else if (event.kind === 'end') this.exchange.ended(this, event.trailers);
    else this.fail(event.error);
  }

  /** Nobody wants this response. A small rest is read, which costs less than a new connection. */
  drain(ms: number): void {
    if (this.aside?.hasEnded === true) {
      this.finish();
      return;
    }
    this.state = 'draining';
    this.aside = new Aside();
    this.aside.drain(this.exchange.ports.sleep, ms, () => this.cut());
    this.controller?.resume();
  }

  /** Gives up the attempt, and the connection if the request is on it. */
  cut(reason: unknown = new Error('undaunted: this response was not wanted')): void {
    if (this.state === 'over') return;
    this.finish();
    const { upload } = this;
    const abort = (): void => this.controller?.abort(reason);
    if (upload === undefined || !this.isUploading) abort();
    else {
      // Over HTTP/2, undici 7 and 8 abort by closing the stream, which Node makes a regular end of it: the server
      // would take a part of the body for all of it.
      upload.once('close', abort);
      upload.destroy(new Error('undaunted: the attempt that sent this body is over'));
    }
  }

  /** The server may still be waiting for some of the request. */
  get isUploading(): boolean {
    return this.upload?.readable === true;
  }

  private finish(): void {
    this.state = 'over';
    this.aside?.stop();
    this.aside = undefined;
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
