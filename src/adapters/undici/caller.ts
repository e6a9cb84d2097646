/** The caller's side of an exchange: what its handler is told, what its functions are asked, and how its request ends. */

import { DeadlineError } from '../../core/errors.js';
import { isPromise } from '../../core/returned.js';
import type { Outcome } from '../../core/types.js';
import { remember } from '../../runtime/history.js';
import type { KeptBody } from '../../runtime/kept-body.js';
import type { Ports } from '../../runtime/ports.js';
import type { Session } from '../../runtime/session.js';
import { type Body, isReplayable, sourceOf } from './body.js';
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
  /** The caller's, unless something had to be changed. */
  private changed: DispatchOptions | undefined = undefined;
  protected times: Times | undefined = undefined;
  /** The last outcome that was not for the caller to see: the cause of an error of our own. */
  protected cause: ErrorOptions = noCause;
  protected readonly handler: Handler;

  constructor(dispatch: Dispatch, handler: Handler, session: Session, body: Body) {
    super();
    this.handler = handler;
    this.session = session;
    this.dispatch = dispatch;
    this.body = body;
    if (body.kind === 'kept') this.watch(body.value);
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

  // -------------------------------------------------------------- what it is told

  /**
   * At once, not when a connection is there: its abort must act from then on, and it must hear of one start only, however
   * many attempts there are (fetch adds a listener at each).
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

  /** It goes on to undici, which tells it again. */
  private handlerThrew(error: unknown): void {
    if (this.phase.kind === 'sending') this.session.abandon(error);
    const sending = sendingIn(this.latest);
    if (sending !== undefined) this.pass(sending);
  }

  // -------------------------------------------------------------- what it is asked

  /** In the context of the caller, not in that of whatever opened the socket or set the timer. */
  inScope(work: () => void): void {
    this.runInAsyncScope(work);
  }

  /**
   * Goes on with what a function of the caller's answers, at once or later, unless the request has moved on by then. What
   * it throws is the request's error.
   */
  ask<Answer>(question: () => Answer | PromiseLike<Answer>, next: (answer: Answer) => void): void {
    const { phase } = this;
    let answer: Answer | PromiseLike<Answer>;
    try {
      answer = question();
    } catch (error) {
      this.fail(error);
      return;
    }
    if (this.phase !== phase) return;
    if (isPromise<Answer>(answer)) this.askLater(answer, next);
    else next(answer as Answer);
  }

  private askLater<Answer>(answer: PromiseLike<Answer>, next: (answer: Answer) => void): void {
    const { phase } = this;
    sendingIn(phase)?.setAside();
    const unlessOvertaken = (work: () => void): void => {
      if (this.phase === phase) this.inScope(work);
    };
    answer.then(
      (given) => unlessOvertaken(() => next(given)),
      (error: unknown) => unlessOvertaken(() => this.fail(error)),
    );
  }

  // -------------------------------------------------------------- how it ends

  /** Something of the caller's went wrong: a function, a body, its handler. */
  fail(error: unknown): void {
    if (this.isOver) return;
    const told = errorFrom(error);
    const sending = sendingIn(this.phase);
    sending?.cut(told);
    this.session.abandon(told);
    this.deliverError(told);
  }

  /** What breaks while nothing reads it is the request's end, too; without an error, in undici's words. */
  watch(source: KeptBody): void {
    source.onFailure = (error) => this.inScope(() => this.fail(error ?? abortError()));
  }

  isWaitingFor(sending: Sending): boolean {
    return sending.isLive && sendingIn(this.phase) === sending;
  }

  /** undici throws what it cannot tell; and what the caller's last callback throws goes up, as it does without us. */
  failToSend(sending: Sending, error: unknown): void {
    if (this.isOver) throw error;
    if (sendingIn(this.phase) === sending) this.fail(error);
  }

  expire(deadlineMs: number): void {
    const error = new DeadlineError(deadlineMs, this.cause);
    const sending = sendingIn(this.phase);
    // Nothing has been asked of the server yet, or it has answered and the caller's own function thinks about that.
    const isOurs = sending === undefined || sending.isAwaitingBody || !sending.isLive;
    if (isOurs) this.session.abandon(error);
    else this.tellLast(outcomeOfError(error, evidenceOf(sending, error)));
    sending?.cut(error);
    this.deliverError(error);
  }

  protected override giveUp(reason: unknown): void {
    const { phase } = this;
    // Of a connection that was upgraded, the socket lives on, and what undici makes of it is told.
    if (phase.kind === 'over' || (phase.kind === 'passing' && phase.isUpgraded)) {
      this.connection?.abort(reason);
      return;
    }
    const sending = sendingIn(phase);
    // To undici, too, a reason that is not even true is none: its callers take an error that is falsy for no error.
    const error = reason || abortError();
    if (sending === undefined) this.session.abandon(error);
    else {
      if (phase.kind === 'sending' || phase.kind === 'resuming')
        this.inScope(() => this.tellLast({ kind: 'error', error, aborted: true }));
      this.pass(sending);
      sending.abort(reason);
      sending.cut(error);
    }
    this.deliverError(error);
  }

  /** An end that no decision can change, and no schedule of the caller's that throws. */
  private tellLast(outcome: Outcome): void {
    try {
      this.session.next(outcome, { replayable: isReplayable(this.body) });
    } catch {
      this.session.abandon();
    }
  }

  /** What undici still tells is for the caller. */
  protected pass(sending: Sending): void {
    this.phase = { kind: 'passing', sending, headers: headersIn(this.latest) };
  }

  /**
   * What the handler throws here is for the code that called: undici, or the caller who aborts. Nothing of the request is
   * left by then.
   */
  protected deliverError(given: unknown): void {
    if (this.isOver) return;
    const error = errorFrom(given);
    this.settle(error);
    remember(error, this.session);
    this.handler.onResponseError?.(this, error);
  }

  /** Nothing of this request is left behind. */
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
