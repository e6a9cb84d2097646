/** The caller's side of an exchange: calls the caller's handler and functions, and ends the request. */

import { DeadlineError } from '../../core/errors.js';
import { asPromise, isPromise } from '../../core/returned.js';
import type { Outcome } from '../../core/types.js';
import type { KeptBody } from '../../runtime/kept-body.js';
import { rememberOutermost } from '../../runtime/outermost.js';
import type { Ports } from '../../runtime/ports.js';
import type { Session } from '../../runtime/session.js';
import { type Body, destroyStream, isReplayable, sourceOf } from './body.js';
import { type RequestContext, setStarting } from './context.js';
import { CallersController } from './controller.js';
import { abortError, errorFrom } from './errors.js';
import type { Dispatch, DispatchOptions, Handler, ResponseHeaders } from './handlers.js';
import { evidenceOf, outcomeOfError } from './outcome.js';
import { cancelWait, headersIn, over, sendingIn } from './phase.js';
import type { SendingCallback } from './receiver.js';
import type { Sending } from './sending.js';
import type { Times } from './times.js';

const noCause: ErrorOptions = Object.freeze({});

export abstract class CallersSide extends CallersController {
  readonly session: Session;
  readonly dispatch: Dispatch;
  readonly body: Body;
  /** The options to dispatch with, once a hook or a key has changed the caller's own. */
  private changed: DispatchOptions | undefined = undefined;
  /** Undefined without time limits. */
  times: Times | undefined = undefined;
  /** The last outcome that the caller did not see: it becomes the `cause` of an error of our own. */
  cause: ErrorOptions = noCause;
  protected readonly handler: Handler;

  constructor(dispatch: Dispatch, handler: Handler, session: Session, body: Body) {
    super();
    this.handler = handler;
    this.session = session;
    this.dispatch = dispatch;
    this.body = body;
  }

  get ports(): Ports {
    return this.session.scope.ports;
  }

  get context(): RequestContext {
    return this.session.request as RequestContext;
  }

  get options(): DispatchOptions {
    return this.changed ?? this.context.options;
  }

  set options(options: DispatchOptions) {
    this.changed = options;
  }

  // -------------------------------------------------------------- calling the caller's handler

  /**
   * Called before there is a connection, since the caller's abort must work from now on. Called once for all attempts:
   * fetch adds a listener at each onRequestStart.
   */
  protected tellStart(): void {
    const { context } = this;
    const before = setStarting(context);
    try {
      this.handler.onRequestStart?.(this, context.shown);
    } catch (error) {
      setStarting(before);
      this.fail(error);
      return;
    }
    setStarting(before);
  }

  told(callback: SendingCallback, given: unknown[]): void {
    try {
      this.handler[callback]?.(...given);
    } catch (error) {
      this.handlerThrew(error);
      throw error;
    }
  }

  protected tellHead(status: number, headers: ResponseHeaders, statusText: string | undefined): void {
    try {
      this.handler.onResponseStart?.(this, status, headers, statusText);
    } catch (error) {
      this.handlerThrew(error);
      throw error;
    }
  }

  protected tellData(chunk: Buffer): void {
    try {
      this.handler.onResponseData?.(this, chunk);
    } catch (error) {
      this.handlerThrew(error);
      throw error;
    }
  }

  protected tellEnd(trailers: ResponseHeaders): void {
    try {
      this.handler.onResponseEnd?.(this, trailers);
    } catch (error) {
      this.handlerThrew(error);
      throw error;
    }
  }

  /**
   * The error also goes up to undici, which then calls onResponseError with it: from here on that goes to the caller.
   */
  private handlerThrew(error: unknown): void {
    this.goOnAlone();
    if (this.phase.kind === 'sending') this.session.abandon(error);
    const sending = sendingIn(this.latest);
    if (sending !== undefined) this.pass(sending);
  }

  // -------------------------------------------------------------- calling the caller's functions

  /** Runs in the caller's async context, not in that of the code that opened the socket or set the timer. */
  inScope(work: () => void): void {
    this.runInAsyncScope(work);
  }

  /**
   * Calls a function of the caller's and goes on with its answer, now or once its promise resolves, unless the request
   * has moved on by then. An error that the function throws becomes the request's error.
   */
  ask<Answer>(
    question: () => Answer | PromiseLike<Answer>,
    next: (answer: Answer) => void,
    about: Sending | undefined = sendingIn(this.phase),
  ): void {
    const { phase } = this;
    let answer: Answer | PromiseLike<Answer>;
    try {
      answer = question();
    } catch (error) {
      this.fail(error);
      return;
    }
    if (this.phase !== phase) return;
    if (isPromise<Answer>(answer)) this.askLater(answer, next, about);
    else next(answer as Answer);
  }

  private askLater<Answer>(
    answer: PromiseLike<Answer>,
    next: (answer: Answer) => void,
    about: Sending | undefined,
  ): void {
    const { phase } = this;
    about?.setAside();
    const unlessOvertaken = (work: () => void): void => {
      if (this.phase === phase) this.inScope(work);
    };
    asPromise(answer).then(
      (given) => unlessOvertaken(() => next(given)),
      (error: unknown) => unlessOvertaken(() => this.fail(error)),
    );
  }

  // -------------------------------------------------------------- ending the request

  /** Ends the request because a function, a body or a handler of the caller's failed. */
  fail(error: unknown): void {
    if (this.isOver) return;
    const told = errorFrom(error);
    this.goOnAlone();
    this.cut(sendingIn(this.phase), told);
    this.session.abandon(told);
    this.deliverError(told);
  }

  /**
   * A body that fails while no attempt reads it fails the request, too. If it gives no error, the request gets undici's
   * AbortError.
   */
  watch(source: KeptBody): void {
    source.onFailure = (error) => this.inScope(() => this.fail(error ?? abortError()));
  }

  isWaitingFor(sending: Sending): boolean {
    return sending.isLive && sendingIn(this.phase) === sending;
  }

  /**
   * undici throws errors that it cannot report to a handler, such as invalid options. After the end, an error is one
   * that the caller's last callback threw: it goes up, as it does without us.
   */
  failToSend(sending: Sending, error: unknown): void {
    if (this.isOver) throw error;
    if (this.phase.kind === 'hedged') sending.break(error);
    else if (sendingIn(this.phase) === sending) this.fail(error);
  }

  expire(deadlineMs: number, stalledMs?: number): void {
    const error = new DeadlineError(deadlineMs, { ...this.cause, stalledMs });
    this.goOnAlone();
    const sending = sendingIn(this.phase);
    // The deadline says nothing about the server if no attempt is out (during a wait, or while a body is being made),
    // or if the server has answered and a function of the caller's is still running.
    const isOurs = sending === undefined || sending.isAwaitingBody || !sending.isLive;
    if (isOurs) this.session.abandon(error);
    else this.tellLast(outcomeOfError(error, evidenceOf(sending, error)));
    this.cut(sending, error);
    this.deliverError(error);
  }

  protected override giveUp(reason: unknown): void {
    this.goOnAlone();
    const { phase } = this;
    // After an upgrade the socket lives on: undici decides what an abort means, and reports it to the caller.
    if (phase.kind === 'over' || (phase.kind === 'passing' && phase.isUpgraded)) {
      this.connection?.abort(reason);
      return;
    }
    const sending = sendingIn(phase);
    // A falsy reason counts as none, as in undici, whose callers would take a falsy error for success.
    const error = reason || abortError();
    if (sending === undefined) this.session.abandon(error);
    else {
      if (phase.kind === 'sending' || phase.kind === 'resuming')
        this.inScope(() => this.tellLast({ kind: 'error', error, aborted: true }));
      this.pass(sending);
      sending.abort(reason, error);
      this.destroyUnsent(sending);
    }
    this.deliverError(error);
  }

  private cut(sending: Sending | undefined, error: unknown): void {
    sending?.cut(error);
    if (sending !== undefined) this.destroyUnsent(sending);
  }

  /** undici destroys the body of a request that it aborts, but does not abort one that it has not begun. */
  protected destroyUnsent(sending: Sending): void {
    if (sending.starts === 0) destroyStream(this.body);
  }

  /** Before the request ends: if two attempts are out, one represents the request, and the other is cut. */
  private goOnAlone(): void {
    if (this.phase.kind === 'hedged') this.phase.breakUp(this.phase.current);
  }

  /**
   * Tells the session about an end that no decision can change. The caller's own schedule may throw here; its error no
   * longer matters.
   */
  private tellLast(outcome: Outcome): void {
    try {
      this.session.next(outcome, { replayable: isReplayable(this.body) });
    } catch {
      this.session.abandon();
    }
  }

  /** Passes everything that undici still reports straight to the caller. */
  protected pass(sending: Sending): void {
    this.phase = { kind: 'passing', sending, headers: headersIn(this.latest) };
  }

  /**
   * An error that the handler throws here goes up to the calling code: undici, or the caller that aborts. The request
   * is already cleaned up by then.
   */
  protected deliverError(given: unknown): void {
    if (this.isOver) return;
    const error = errorFrom(given);
    this.settle(error);
    rememberOutermost(error, this.session);
    this.handler.onResponseError?.(this, error);
  }

  /** Releases everything that this request holds. */
  protected settle(error?: unknown): void {
    const { phase } = this;
    this.last = phase;
    this.phase = over;
    this.context.release();
    this.times?.stop();
    cancelWait(phase);
    sourceOf(this.body)?.close(error);
  }
}
