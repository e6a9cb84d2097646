/**
 * One request on its way through undici: sends attempts and hands one response or error over. It holds the
 * transport's state; counting and deciding are the session's.
 *
 * The caller's handler is started at once, not when a connection is there: its abort must act from then on,
 * and it must hear of one start only, however many attempts there are (fetch adds a listener at each).
 */

import type { Duplex } from 'node:stream';
import { DeadlineError } from '../../core/errors.js';
import { isPromise } from '../../core/returned.js';
import type { ErrorOutcome, RefusalReason, ResponseOutcome } from '../../core/types.js';
import { isListening } from '../../runtime/events.js';
import { remember } from '../../runtime/history.js';
import { KeptBody } from '../../runtime/kept-body.js';
import type { Ports } from '../../runtime/ports.js';
import { refusalError } from '../../runtime/refusal.js';
import type { Session } from '../../runtime/session.js';
import { Attempt } from './attempt.js';
import type { Body } from './body.js';
import { sourceBeingSent } from './body.js';
import type { RequestContext } from './context.js';
import { setStarting } from './context.js';
import { CallersController } from './controller.js';
import { abortError, errorFrom, ShortResponseError } from './errors.js';
import type { Controller, Dispatch, DispatchOptions, Handler, Head, ResponseHeaders } from './handlers.js';
import { evidenceOf, outcomeOfError } from './outcome.js';
import { withBody, withMore } from './outgoing.js';
import { Recovery } from './recovery.js';
import { Times } from './times.js';
import { Upload } from './upload.js';

/** What all requests through one `compose()` have in common. */
export interface Line {
  readonly dispatch: Dispatch;
  readonly ports: Ports;
}

const nothingMore: Readonly<Record<string, string>> = Object.freeze({});

export class Exchange extends CallersController {
  readonly handler: Handler;
  readonly session: Session;
  readonly body: Body;
  receivedBytes = 0;
  private readonly line: Line;
  /**
   * `thrown`: by the caller's own handler, which is nobody's to retry; the error is still to come. `upgraded`: the
   * caller has the connection; an error may come, as where it refuses what it got.
   */
  private state: 'open' | 'thrown' | 'upgraded' | 'over' = 'open';
  private recovery: Recovery | undefined = undefined;

  constructor(line: Line, handler: Handler, session: Session, body: Body) {
    super();
    this.line = line;
    this.handler = handler;
    this.session = session;
    this.body = body;
    if (body.kind === 'kept') this.mind(body.value);
  }

  get isOver(): boolean {
    return this.state === 'over';
  }

  /** The caller has a final head, and perhaps some of its body. */
  get isDelivered(): boolean {
    return this.deliveredStatus !== 0;
  }

  /** The head that it is about was delivered. */
  get expectsBody(): boolean {
    return this.isDelivered && this.recovery?.rest === undefined;
  }

  get context(): RequestContext {
    return this.session.request as RequestContext;
  }

  /** The caller's, unless something had to be changed. */
  get options(): DispatchOptions {
    return this.recovery?.options ?? this.context.options;
  }

  get ports(): Ports {
    return this.line.ports;
  }

  // -------------------------------------------------------------- sending

  /** What the first dispatch returned: false asks the caller to wait for `drain`. */
  start(): boolean {
    const { context } = this;
    const { deadlineMs, attemptTimeoutMs } = this.session.settings;
    if (deadlineMs !== undefined || attemptTimeoutMs !== undefined) this.recover().times = new Times(this);
    const before = setStarting(context);
    try {
      this.handler.onRequestStart?.(this, context.shown);
    } catch (error) {
      this.fail(error);
    } finally {
      setStarting(before);
    }
    return this.isOver || context.isClaimed || this.proceed();
  }

  /** Sends the next attempt, or waits until the scope lets it go. */
  proceed(): boolean {
    this.recovery?.times?.startDeadline();
    const admission = this.session.admit();
    if (admission.kind === 'go') return this.send();
    if (admission.kind === 'wait') this.proceedIn(admission.delayMs);
    else this.refuse(admission.reason);
    return true;
  }

  private send(): boolean {
    const { body } = this;
    const attempt = new Attempt(this);
    this.attempt = attempt;
    this.recovery?.times?.startAttempt(attempt);
    try {
      if (body.kind !== 'made') return this.dispatchWith(attempt, body.value);
      const made = body.make();
      if (!isPromise(made)) return this.dispatchWith(attempt, made);
      this.dispatchOnceMade(attempt, made);
    } catch (error) {
      this.failToSend(attempt, error);
    }
    return true;
  }

  // A function that makes closures keeps a place for what they know, whether they are made or not: every request would.

  private proceedIn(delayMs: number): void {
    this.recover().wait(delayMs, () => this.proceed());
  }

  private dispatchOnceMade(attempt: Attempt, made: PromiseLike<unknown>): void {
    made.then(
      (value) => this.inScope(this, this.dispatchLater, attempt, value),
      (error: unknown) => this.inScope(this, this.fail, error),
    );
  }

  private dispatchLater(attempt: Attempt, body: unknown): void {
    if (this.isOver || this.attempt !== attempt || !attempt.isLive) {
      if (body instanceof KeptBody) body.close(abortError());
      return;
    }
    try {
      this.dispatchWith(attempt, body);
    } catch (error) {
      this.failToSend(attempt, error);
    }
  }

  /** undici throws what it cannot tell; and what the caller's last callback throws goes up, as it does without us. */
  private failToSend(attempt: Attempt, error: unknown): void {
    if (this.isOver) throw error;
    if (this.attempt === attempt) this.fail(error);
  }

  private dispatchWith(attempt: Attempt, body: unknown): boolean {
    if (this.body.kind === 'made') this.body.value = body;
    if (body instanceof KeptBody) {
      attempt.upload = Upload.of(body);
      this.mind(body);
    }
    const extra = this.recovery?.extraHeaders ?? this.firstExtraHeaders;
    const outgoing = extra === undefined ? this.options : withMore(this.options, extra);
    // What is dispatched from here on starts for itself.
    const before = setStarting(undefined);
    try {
      return this.line.dispatch(withBody(outgoing, attempt.upload ?? body), attempt);
    } finally {
      setStarting(before);
    }
  }

  /**
   * What lies underneath may write into the headers that it gets, as the ProxyAgent of undici 6 and 7 does. The
   * caller's own go down once, as without us; every other attempt gets a copy, and where a hook will ask what the
   * caller gave, the first one, too.
   */
  private get firstExtraHeaders(): Readonly<Record<string, string>> | undefined {
    return this.session.settings.beforeRetry === undefined ? undefined : nothingMore;
  }

  // -------------------------------------------------------------- what an attempt tells

  /** What is not about the response; `thrown` by the caller's handler it ends the request all the same. */
  told(callback: 'onBodySent' | 'onRequestSent' | 'onResponseStarted', given: unknown[]): void {
    try {
      this.handler[callback]?.(...given);
    } catch (error) {
      this.state = 'thrown';
      throw error;
    }
  }

  headed(
    attempt: Attempt,
    controller: Controller,
    status: number,
    headers: ResponseHeaders,
    statusText: string | undefined,
  ): void {
    if (status < 200) {
      // RFC 9110 15.2: interim, and not counted.
      if (!this.isDelivered) this.tellHead(status, headers, statusText);
      return;
    }
    this.recovery?.times?.stopAttempt();
    if (this.recovery?.rest === undefined && this.accepts(status)) {
      this.deliver(controller, status, headers, statusText);
    } else {
      const recovery = this.recover();
      this.inScope(recovery, recovery.judgeHead, attempt, controller, { status, headers, statusText });
    }
  }

  received(attempt: Attempt, chunk: Buffer): void {
    // Node 20 calls the getter of `byteLength`, ten times as long as all else here; `length` it compiles away.
    this.receivedBytes += chunk.length;
    if (this.recovery?.isSpoilt(this.receivedBytes, false) === true) {
      this.recovery.giveUpBody(attempt);
      return;
    }
    try {
      this.handler.onResponseData?.(this, chunk);
    } catch (error) {
      this.state = 'thrown';
      throw error;
    }
  }

  ended(attempt: Attempt, trailers: ResponseHeaders): void {
    // undici compares a body with its own Content-Length; the sum of several is ours.
    if (this.recovery?.isSpoilt(this.receivedBytes, true) === true) {
      this.recovery.giveUpBody(attempt);
      return;
    }
    if (!this.isDelivered || this.recovery?.isCutShort(this.receivedBytes) === true) {
      this.failed(attempt, new ShortResponseError());
      return;
    }
    this.settle();
    try {
      this.handler.onResponseEnd?.(this, trailers);
    } catch (error) {
      // undici tells the one who threw.
      this.state = 'thrown';
      throw error;
    }
  }

  upgraded(status: number, headers: ResponseHeaders, socket: Duplex): void {
    if (!this.accepts(status)) this.session.abandon(status);
    this.deliveredStatus = status;
    this.deliveredHeaders = headers;
    this.settle();
    this.state = 'upgraded';
    this.handler.onRequestUpgrade?.(this, status, headers, socket);
  }

  failed(attempt: Attempt, error: unknown): void {
    this.recovery?.times?.stopAttempt();
    if (this.state !== 'open' || this.aborted) {
      if (this.state === 'thrown' && !this.isDelivered) this.session.abandon(error);
      this.deliverError(error);
      return;
    }
    const recovery = this.recover();
    const judge = this.isDelivered ? recovery.judgeBreak : recovery.judgeError;
    this.inScope(recovery, judge, attempt, error);
  }

  /** Until the next one begins. */
  endAttempt(): void {
    this.attempt = undefined;
    const source = sourceBeingSent(this.body);
    source?.leave();
    if (this.body.kind === 'made') source?.close();
  }

  recover(): Recovery {
    this.recovery ??= new Recovery(this);
    return this.recovery;
  }

  // -------------------------------------------------------------- handing over

  private accepts(status: number): boolean {
    const { session } = this;
    // A listener is told in the caller's context.
    if (isListening(session.settings)) return this.runInAsyncScope(session.acceptAtOnce, session, status);
    return session.acceptAtOnce(status);
  }

  private deliver(
    controller: Controller,
    status: number,
    headers: ResponseHeaders,
    statusText: string | undefined,
  ): void {
    this.deliveredStatus = status;
    this.deliveredHeaders = headers;
    this.recovery?.times?.stopAtHead();
    // HTTP/2 has no reason phrases; where HTTP/1.1 has none either, undici has compared it before.
    if ((statusText ?? '') === '') this.mindLength(headers);
    this.tellHead(status, headers, statusText);
    if (this.paused) controller.pause();
  }

  private mindLength(headers: ResponseHeaders): void {
    if (headers['content-length'] !== undefined) this.recover().announced = Number(headers['content-length']);
  }

  /** A head that was held back while somebody thought about it. */
  deliverHeld(attempt: Attempt, controller: Controller, { status, headers, statusText }: Head): void {
    if (!attempt.isHeld) {
      this.deliver(controller, status, headers, statusText);
      return;
    }
    try {
      this.deliver(controller, status, headers, statusText);
    } catch (error) {
      this.failFromWithin(attempt, error);
      return;
    }
    // As on a connection, the head comes first and alone: fetch hangs if its body fails in the same turn.
    setImmediate(() => this.inScope(attempt, attempt.unhold));
  }

  /** The caller's handler threw, and nobody below is waiting for what it throws. */
  failFromWithin(attempt: Attempt, error: unknown): void {
    attempt.cut(error);
    this.deliverError(error);
  }

  private tellHead(status: number, headers: ResponseHeaders, statusText: string | undefined): void {
    try {
      this.handler.onResponseStart?.(this, status, headers, statusText);
    } catch (error) {
      this.state = 'thrown';
      throw error;
    }
  }

  restIsHere(): void {
    this.recovery?.times?.stopAtHead();
  }

  /**
   * What the handler throws here is for whoever called: undici, or the caller who aborts. Nothing of the request is
   * left by then.
   */
  deliverError(given: unknown): void {
    if (this.isOver) return;
    const error = errorFrom(given);
    this.settle(error);
    remember(error, this.session);
    this.handler.onResponseError?.(this, error);
  }

  /** Something of the caller's went wrong: a hook, a body, a handler. */
  fail(error: unknown): void {
    if (this.isOver) return;
    const told = errorFrom(error);
    this.attempt?.cut(told);
    this.session.abandon(told);
    this.deliverError(told);
  }

  /** What breaks while nothing reads it is the request's end, too; without an error, in undici's words. */
  private mind(source: KeptBody): void {
    source.onFailure = (error) => this.inScope(this, this.fail, error ?? abortError());
  }

  /** A gate or a hold lets nothing through in time. */
  private refuse(reason: RefusalReason): void {
    this.fail(refusalError(this.session, reason, this.recovery?.cause));
  }

  expire(deadlineMs: number): void {
    const { attempt } = this;
    const error = new DeadlineError(deadlineMs, this.recovery?.cause);
    if (attempt === undefined) this.session.abandon(error);
    else this.tellEnd(outcomeOfError(error, evidenceOf(attempt, error)));
    attempt?.cut(error);
    this.deliverError(error);
  }

  protected override giveUp(reason: unknown): void {
    const { attempt } = this;
    // Of a connection that was upgraded, the socket lives on, and what undici makes of it is told.
    if (this.isOver || this.state === 'upgraded') {
      attempt?.controller?.abort(reason);
      return;
    }
    // To undici, too, a reason that is not even true is none: its callers take an error that is falsy for no error.
    const error = reason || abortError();
    const isOut = attempt !== undefined && (!this.isDelivered || this.recovery?.rest !== undefined);
    if (isOut) this.inScope(this, this.tellEnd, { kind: 'error', error, aborted: true });
    else if (attempt === undefined) this.session.abandon(error);
    // undici makes an error of its own where there is no reason.
    if (attempt?.isLive === true && !attempt.isUploading) attempt.controller?.abort(reason);
    attempt?.cut(error);
    this.deliverError(error);
  }

  /** An end that no decision can change, and no schedule of the caller's that throws. */
  private tellEnd(outcome: ErrorOutcome | ResponseOutcome): void {
    try {
      this.session.next(outcome, { replayable: this.isReplayable });
    } catch {
      this.session.abandon();
    }
  }

  /** Nothing of this request is left behind. */
  private settle(error?: unknown): void {
    this.state = 'over';
    this.context.release();
    this.recovery?.times?.stop();
    this.recovery?.stopWaiting();
    sourceBeingSent(this.body)?.close(error);
  }

  // -------------------------------------------------------------- the request's body

  get isReplayable(): boolean {
    return this.body.kind === 'kept' ? this.body.value.isReplayable : this.body.kind !== 'once';
  }
}
