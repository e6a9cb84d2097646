/**
 * One sending of a request, as the handler that undici calls: it knows what the answer is for. It is the caller's, or
 * not yet (it is set aside until that is decided), or never (a small rest is drained, anything else cut off). It hears
 * nothing more once it is over.
 */

import type { Duplex } from 'node:stream';
import { Aside, type Late } from './aside.js';
import { BothGenerations } from './both-generations.js';
import { innerContext } from './context.js';
import { movedError } from './errors.js';
import type { Controller, ResponseHeaders } from './handlers.js';
import type { Receiver } from './receiver.js';
import type { Upload } from './upload.js';

/** What becomes of what undici tells. */
type Course =
  /** It goes to the caller. */
  | { readonly kind: 'live' }
  /** It is kept: it may be the caller's; it is, after what was kept before; or it is only read to save the connection. */
  | { readonly kind: 'aside' | 'handing' | 'draining'; readonly aside: Aside }
  /** No more comes. */
  | { readonly kind: 'over' };

const live: Course = { kind: 'live' };
const over: Course = { kind: 'over' };
const nothing: unknown[] = [];

export class Sending extends BothGenerations {
  readonly kind = 'sending';
  /** How often undici began to send: more than once when it moved the request to another connection. */
  starts = 0;
  /** What it sends of a body that is kept. */
  upload: Upload | undefined = undefined;
  /** A function of the caller's is making its body: undici does not know of it yet. */
  isAwaitingBody = false;
  private readonly receiver: Receiver;
  private course: Course = live;

  constructor(receiver: Receiver) {
    super();
    this.receiver = receiver;
  }

  get isLive(): boolean {
    return this.course.kind === 'live';
  }

  get isAside(): boolean {
    return this.course.kind === 'aside';
  }

  /** It has begun more than once, and not because undici moved it to another connection. */
  get isRedirected(): boolean {
    const { history } = this.receiver.context.shown as { readonly history?: unknown };
    return this.starts > 1 && Array.isArray(history) && history.length > 0;
  }

  /** The server may still be waiting for some of the request. */
  get isUploading(): boolean {
    return this.upload?.readable === true;
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
    if (typeof context === 'object' && context !== null) this.receiver.context.adopt(context);
    this.starts += 1;
    this.controller = controller;
    // Of what it sends, a part is gone.
    if (this.starts > 1 && this.upload?.readableDidRead === true && !this.isRedirected) {
      this.startedAgain(controller);
      return;
    }
    if (this.course.kind === 'over') controller.abort(new Error('undaunted: this attempt was given up'));
  }

  /** Its head has been seen, and what follows can only be the rest of its body. */
  private get isAnswered(): boolean {
    return this.isLive ? this.receiver.expectsBody : this.course.kind !== 'over';
  }

  /** undici 6 moves a request to another connection even in the middle of its answer: that would come twice. */
  private startedAgain(controller: Controller): void {
    const error = movedError();
    this.onResponseError(controller, error);
    controller.abort(error);
  }

  onResponseStart(controller: Controller, status: number, headers: ResponseHeaders, text?: string): void {
    if (!this.isLive) return;
    this.controller = controller;
    this.receiver.headed(this, status, headers, text);
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    const { course } = this;
    if (course.kind === 'live') this.receiver.received(this, chunk);
    else if (course.kind === 'draining') course.aside.count(chunk);
    else if (course.kind !== 'over') course.aside.keep({ kind: 'data', chunk });
  }

  onResponseEnd(_controller: Controller, trailers: ResponseHeaders): void {
    const { course } = this;
    if (course.kind === 'live') {
      this.receiver.ended(this, trailers);
      this.course = over;
    } else if (course.kind === 'aside' || course.kind === 'handing')
      course.aside.keep({ kind: 'end', trailers });
    else this.finish();
  }

  onResponseError(_controller: Controller | null, error: unknown): void {
    const { course } = this;
    const told = this.upload === undefined ? error : this.upload.explained(error);
    if (course.kind === 'aside' || course.kind === 'handing')
      course.aside.keep({ kind: 'error', error: told });
    else this.fail(told);
  }

  private fail(error: unknown): void {
    const isTheCallers = this.isLive || this.course.kind === 'handing';
    this.finish();
    if (isTheCallers) this.receiver.failed(this, error);
  }

  onRequestUpgrade(controller: Controller, status: number, headers: ResponseHeaders, socket: Duplex): void {
    this.controller = controller;
    if (this.isLive) this.receiver.upgraded(this, status, headers, socket);
    else socket.destroy();
  }

  onBodySent(...sent: unknown[]): void {
    if (this.isLive) this.receiver.told('onBodySent', sent);
  }

  onRequestSent(): void {
    if (this.isLive) this.receiver.told('onRequestSent', nothing);
  }

  onResponseStarted(): void {
    if (this.isLive) this.receiver.told('onResponseStarted', nothing);
  }

  // -------------------------------------------------------------- what becomes of the answer

  /** The caller takes more. */
  resume(): void {
    if (this.isLive) this.controller?.resume();
    else this.handOver();
  }

  /** What comes is kept until it is decided whose it is. */
  setAside(): void {
    if (this.isLive) this.setAsideUntilFull(new Aside());
  }

  private setAsideUntilFull(aside: Aside): void {
    this.course = { kind: 'aside', aside };
    aside.fillUp(() => this.controller?.pause());
  }

  /** As much of the body as may be read for a hint, or as comes in the time for it; then it stays aside. */
  gather(mostBytes: number, done: (bytes: Uint8Array) => void): void {
    const aside = new Aside();
    this.course = { kind: 'aside', aside };
    aside.gather(this.receiver.ports.sleep, mostBytes, (bytes) => {
      this.setAsideUntilFull(aside);
      done(bytes);
    });
  }

  /** What was kept and all that follows is for the caller. */
  goOn(): void {
    if (this.course.kind !== 'aside') return;
    this.course = { kind: 'handing', aside: this.course.aside };
    this.handOver();
  }

  /** As far as the caller takes it. */
  private handOver(): void {
    const { course, receiver } = this;
    if (course.kind !== 'handing' || course.aside.isHandingOver) return;
    const { aside } = course;
    aside.isHandingOver = true;
    try {
      while (this.course === course && !receiver.paused) {
        const event = aside.late.shift();
        if (event === undefined) this.goLive();
        else this.pass(event);
      }
    } catch (error) {
      receiver.endWith(this, error);
    }
    aside.isHandingOver = false;
  }

  private goLive(): void {
    this.course = live;
    this.controller?.resume();
  }

  private pass(event: Late): void {
    if (event.kind === 'data') this.receiver.received(this, event.chunk);
    else if (event.kind === 'end') this.receiver.ended(this, event.trailers);
    else this.fail(event.error);
  }

  /** This response is not wanted. A small rest is read, which costs less than a new connection. */
  drain(ms: number): void {
    const { course } = this;
    if ((course.kind === 'aside' || course.kind === 'handing') && course.aside.hasEnded) {
      this.finish();
      return;
    }
    const aside = new Aside();
    this.course = { kind: 'draining', aside };
    aside.drain(this.receiver.ports.sleep, ms, () => this.cut());
    this.controller?.resume();
  }

  /** Gives up the attempt, and the connection if the request is on it. */
  cut(reason: unknown = new Error('undaunted: this response was not wanted')): void {
    if (this.course.kind === 'over') return;
    this.finish();
    const abort = (): void => this.controller?.abort(reason);
    if (this.upload === undefined || !this.isUploading) abort();
    else this.upload.breakOff(abort);
  }

  /** By the caller. undici makes an error of its own where there is no reason, and tells it while this is live. */
  abort(reason: unknown): void {
    if (this.isLive && !this.isUploading) this.controller?.abort(reason);
  }

  private finish(): void {
    const { course } = this;
    this.course = over;
    if (course.kind !== 'live' && course.kind !== 'over') course.aside.stop();
  }
}
