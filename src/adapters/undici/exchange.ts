/**
 * One request on its way through undici: sends attempts, asks the session about each outcome, waits, and
 * hands one response or error over. It holds the transport's state; counting and deciding are the session's.
 *
 * The caller's handler is started at once, not when a connection is there: its abort must act from then on,
 * and it must hear of one start only, however many attempts there are (fetch adds a listener at each).
 */

import { AsyncResource } from 'node:async_hooks';
import type { Duplex } from 'node:stream';
import { AttemptTimeoutError, DeadlineError, GateShutError } from '../../core/errors.js';
import type { LiveOutcome, RetryIf } from '../../core/events.js';
import type { Admission, ErrorOutcome, ResponseOutcome, Retry } from '../../core/types.js';
import { isListening } from '../../runtime/events.js';
import { remember, Trace } from '../../runtime/history.js';
import type { Ports } from '../../runtime/ports.js';
import type { Session } from '../../runtime/session.js';
import type { Cancel } from '../../runtime/sleep.js';
import { Attempt } from './attempt.js';
import type { Body } from './body.js';
import { StableController } from './controller.js';
import type { Controller, Dispatch, DispatchOptions, Handler, Head, ResponseHeaders } from './handlers.js';
import { rawFrom } from './headers.js';
import { evidenceOf, outcomeOfError, outcomeOfHead } from './outcome.js';
import { asChanged, asHandled, contextFor, withMore } from './outgoing.js';
import type { Rest } from './resume.js';
import { restOf } from './resume.js';

type Refusal = Extract<Admission, { kind: 'refuse' }>;

/** What follows from a decision. */
interface Consequences {
  stop(): void;
  /** Before the wait: what becomes of the attempt that was not good enough. */
  retry(): void;
}

export class Exchange extends AsyncResource {
  readonly handler: Handler;
  readonly controller: StableController = new StableController(this);
  readonly ports: Ports;
  /** The one under way; undefined while waiting and when all is over. */
  attempt: Attempt | undefined = undefined;
  private readonly session: Session;
  private readonly dispatch: Dispatch;
  private readonly body: Body;
  /** Shown to the caller as `context`; `historyOf` knows it. */
  private readonly context: Trace;
  private options: DispatchOptions;
  /** Of the next attempt alone. */
  private extraHeaders: Readonly<Record<string, string | undefined>> | undefined = undefined;
  private isOver = false;
  /** What the caller got: nothing after it is for anybody but the rest of this body. */
  private delivered: Head | undefined = undefined;
  private receivedBytes = 0;
  /** Of a resumed body: more would not be its own. */
  private mostBytes: number | undefined = undefined;
  /** The caller's own handler threw; that is nobody's to retry. */
  private hasThrown = false;
  /** The rest of the body that the attempt under way is to bring, and the error that made it necessary. */
  private rest: Rest | undefined = undefined;
  private brokenBy: unknown = undefined;
  /** The last outcome that was not the caller's to see. */
  private lastOutcome: ResponseOutcome | ErrorOutcome | undefined = undefined;
  private cancelWait: Cancel | undefined = undefined;
  private cancelAttemptTimer: Cancel | undefined = undefined;
  private cancelDeadline: Cancel | undefined = undefined;

  constructor(
    dispatch: Dispatch,
    options: DispatchOptions,
    handler: Handler,
    session: Session,
    body: Body,
    ports: Ports,
  ) {
    super('UNDAUNTED');
    this.dispatch = dispatch;
    this.options = options;
    this.handler = handler;
    this.session = session;
    this.body = body;
    this.ports = ports;
    this.context = new Trace(session);
  }

  // -------------------------------------------------------------- sending

  /** What the first dispatch returned: false asks the caller to wait for `drain`. */
  start(): boolean {
    this.startDeadline();
    try {
      this.handler.onRequestStart?.(this.controller, this.context);
    } catch (error) {
      this.session.abandon();
      this.deliverError(error);
    }
    return this.isOver || this.proceed();
  }

  /** Sends the next attempt, or waits until the scope lets it go. */
  private proceed(): boolean {
    const admission = this.session.admit();
    if (admission.kind === 'go') return this.send();
    if (admission.kind === 'wait') this.wait(admission.delayMs, this.proceed);
    else this.refuse(admission.reason);
    return true;
  }

  private send(): boolean {
    const attempt = new Attempt(this);
    this.attempt = attempt;
    const { attemptTimeoutMs } = this.session.settings;
    if (attemptTimeoutMs !== undefined) {
      const expire = (): void => this.inScope(this.timeOut, attempt, attemptTimeoutMs);
      this.cancelAttemptTimer = this.ports.sleep(attemptTimeoutMs, expire, { unref: true });
    }
    try {
      if (this.body.kind !== 'made') return this.dispatchWith(attempt, this.body.value);
      const made = this.body.make();
      if (!isThenable(made)) return this.dispatchWith(attempt, made);
      made.then(
        (body) => this.inScope(this.dispatchLater, attempt, body),
        (error: unknown) => this.inScope(this.fail, error),
      );
    } catch (error) {
      if (this.attempt === attempt) this.fail(error);
    }
    return true;
  }

  private dispatchLater(attempt: Attempt, body: unknown): void {
    if (this.attempt !== attempt) return;
    try {
      this.dispatchWith(attempt, body);
    } catch (error) {
      this.fail(error);
    }
  }

  private dispatchWith(attempt: Attempt, body: unknown): boolean {
    const { options, extraHeaders } = this;
    const outgoing = extraHeaders === undefined ? options : withMore(options, extraHeaders);
    return this.dispatch(asHandled(outgoing, body), attempt);
  }

  private wait(delayMs: number, next: () => void): void {
    const wake = (): void => {
      this.cancelWait = undefined;
      this.inScope(next);
    };
    this.cancelWait = this.ports.sleep(delayMs, wake, { unref: this.session.settings.unref });
  }

  // -------------------------------------------------------------- what an attempt tells

  started(context: unknown): void {
    // A redirect underneath keeps its history in the context of the attempt.
    if (typeof context === 'object' && context !== null) Object.assign(this.context, context);
  }

  headed(attempt: Attempt, controller: Controller, head: Head): void {
    if (head.status < 200) {
      // RFC 9110 15.2: interim, and not counted.
      if (this.delivered === undefined) this.tellHead(controller, head);
      return;
    }
    this.stopAttemptTimer();
    if (this.rest !== undefined) this.inScope(this.judgeRest, attempt, controller, head, this.rest);
    else if (this.accepts(head.status)) this.deliver(controller, head);
    else this.inScope(this.judgeHead, attempt, controller, head);
  }

  received(attempt: Attempt, chunk: Buffer): void {
    this.receivedBytes += chunk.byteLength;
    if (this.mostBytes !== undefined && this.receivedBytes > this.mostBytes) {
      this.giveUpBody(attempt);
      return;
    }
    try {
      this.handler.onResponseData?.(this.controller, chunk);
    } catch (error) {
      this.hasThrown = true;
      throw error;
    }
  }

  ended(attempt: Attempt, controller: Controller | undefined, trailers: ResponseHeaders): void {
    // undici compares a body with its own Content-Length; the sum of several is ours.
    if (this.brokenBy !== undefined && this.restNow() !== undefined) {
      this.giveUpBody(attempt);
      return;
    }
    this.settle();
    this.controller.rawTrailers = controller?.rawTrailers ?? null;
    try {
      this.handler.onResponseEnd?.(this.controller, trailers);
    } catch (error) {
      this.hasThrown = true;
      // undici tells the one who threw.
      this.isOver = false;
      throw error;
    }
  }

  upgraded(controller: Controller, status: number, headers: ResponseHeaders, socket: Duplex): void {
    if (!this.accepts(status)) this.session.abandon();
    this.settle();
    this.controller.rawHeaders = controller.rawHeaders ?? null;
    this.handler.onRequestUpgrade?.(this.controller, status, headers, socket);
  }

  failed(attempt: Attempt, error: unknown): void {
    this.stopAttemptTimer();
    if (this.hasThrown || this.controller.aborted) this.deliverError(error);
    else this.inScope(this.delivered === undefined ? this.judgeError : this.judgeBreak, attempt, error);
  }

  // -------------------------------------------------------------- deciding

  private judgeHead(attempt: Attempt, controller: Controller, head: Head): void {
    const { bodyHintBytes, hintedSuccesses } = this.session.settings;
    const readsBody = bodyHintBytes > 0 && (head.status >= 400 || hintedSuccesses.includes(head.status));
    const judge = (content?: string): void =>
      this.judge(attempt, outcomeOfHead(head, content), {
        stop: () => this.deliverHeld(attempt, controller, head),
        retry: () => attempt.discard(head, this.isUploading(attempt)),
      });
    if (readsBody) attempt.gather(bodyHintBytes, (content) => this.inScope(judge, content));
    else judge();
  }

  private judgeError(attempt: Attempt, error: unknown): void {
    this.judge(attempt, outcomeOfError(error, evidenceOf(attempt, error)), {
      stop: () => this.deliverError(error),
      retry: () => undefined,
    });
  }

  /** The body broke off after its head was delivered. */
  private judgeBreak(attempt: Attempt, error: unknown): void {
    if (this.rest === undefined) this.brokenBy = error;
    this.rest = this.restNow();
    this.judge(attempt, outcomeOfError(error, 'unknown'), {
      stop: () => this.deliverError(this.brokenBy),
      retry: () => undefined,
    });
  }

  /** The answer to a request for the rest of a body. */
  private judgeRest(attempt: Attempt, controller: Controller, head: Head, rest: Rest): void {
    const mismatch = head.status < 400 ? rest.mismatch(head) : undefined;
    const giveUp = (): void => this.giveUpBody(attempt);
    if (mismatch !== undefined) {
      const error = new Error(`undaunted: the body cannot be resumed: ${mismatch}`);
      this.conclude(outcomeOfError(error, 'unknown'), undefined, { stop: giveUp, retry: giveUp });
      return;
    }
    this.judge(attempt, outcomeOfHead(head), {
      stop: () => (head.status < 400 ? this.goOn(attempt, controller, rest) : giveUp()),
      retry: () => attempt.discard(head, false),
    });
  }

  /** What the policy says to it. `retryIf`, if there is one, is asked first and may take its time. */
  private judge(attempt: Attempt, outcome: LiveOutcome, then: Consequences): void {
    const { retryIf } = this.session.settings;
    let verdict: ReturnType<RetryIf>;
    try {
      verdict = retryIf?.(outcome, this.session.request);
    } catch (error) {
      this.fail(error);
      return;
    }
    if (!isThenable(verdict)) {
      this.conclude(outcome, verdict, then);
      return;
    }
    attempt.hold();
    verdict.then(
      (given) => {
        if (this.attempt === attempt && !this.isOver) this.inScope(this.conclude, outcome, given, then);
      },
      (error: unknown) => this.inScope(this.fail, error),
    );
  }

  private conclude(outcome: LiveOutcome, verdict: boolean | undefined, then: Consequences): void {
    const decision = this.session.next(outcome, this.isReplayable, verdict, this.isResumable);
    if (decision.action === 'stop') {
      then.stop();
      return;
    }
    then.retry();
    this.attempt = undefined;
    this.lastOutcome = outcome;
    this.wait(decision.delayMs, () => this.prepare(decision));
  }

  /** After the wait, so that a token that `beforeRetry` gets is fresh. */
  private prepare(decision: Retry): void {
    const { beforeRetry } = this.session.settings;
    if (beforeRetry === undefined) {
      this.again(decision);
      return;
    }
    const { request, history } = this.session;
    const context = contextFor(this.options, { request, decision, history });
    const go = (): void => {
      if (this.isOver) return;
      this.options = asChanged(this.options, context);
      this.again(decision);
    };
    try {
      const done = beforeRetry(context);
      if (isThenable(done)) {
        const fail = (error: unknown): void => this.inScope(this.fail, error);
        done.then(() => this.inScope(go)).then(undefined, fail);
      } else go();
    } catch (error) {
      this.fail(error);
    }
  }

  private again(decision: Retry): void {
    const { attemptHeader } = this.session.settings;
    const number = attemptHeader === false ? {} : { [attemptHeader]: String(decision.attempt) };
    const extra = { ...number, ...this.rest?.requestHeaders };
    this.extraHeaders = Object.keys(extra).length === 0 ? undefined : extra;
    this.startDeadline();
    this.proceed();
  }

  // -------------------------------------------------------------- times

  /** Again for the rest of a body: it has no more time than the request had. */
  private startDeadline(): void {
    const { deadlineMs } = this.session.settings;
    if (deadlineMs === undefined || this.cancelDeadline !== undefined) return;
    const leftMs = this.session.deadlineAt - this.ports.now();
    const expire = (): void => this.inScope(this.expire, deadlineMs);
    this.cancelDeadline = this.ports.sleep(leftMs, expire, { unref: true });
  }

  private timeOut(attempt: Attempt, attemptTimeoutMs: number): void {
    if (this.attempt !== attempt) return;
    const error = new AttemptTimeoutError(attemptTimeoutMs);
    attempt.cut(error);
    this.failed(attempt, error);
  }

  private expire(deadlineMs: number): void {
    const error = this.deadlineError(deadlineMs);
    const { attempt } = this;
    if (attempt === undefined) this.session.abandon();
    else this.session.next(outcomeOfError(error, evidenceOf(attempt, error)), this.isReplayable);
    attempt?.cut(error);
    this.deliverError(error);
  }

  private deadlineError(deadlineMs: number): DeadlineError {
    return new DeadlineError(deadlineMs, this.lastCause());
  }

  private lastCause(): ErrorOptions {
    const { lastOutcome } = this;
    if (lastOutcome === undefined) return {};
    if (lastOutcome.kind === 'error') return { cause: lastOutcome.error };
    const { status, headers } = lastOutcome;
    return { cause: { status, headers } };
  }

  private stopAttemptTimer(): void {
    this.cancelAttemptTimer?.();
    this.cancelAttemptTimer = undefined;
  }

  private stopDeadlineOfHead(): void {
    if (this.session.settings.deadlineCovers === 'head') this.stopDeadline();
  }

  private stopDeadline(): void {
    this.cancelDeadline?.();
    this.cancelDeadline = undefined;
  }

  // -------------------------------------------------------------- handing over

  private accepts(status: number): boolean {
    const { session } = this;
    // A listener is told in the caller's context, not in that of whoever opened the socket.
    if (isListening(session.settings)) return this.runInAsyncScope(session.accepts, session, status);
    return session.accepts(status);
  }

  private deliver(controller: Controller, head: Head): void {
    this.delivered = head;
    this.stopDeadlineOfHead();
    this.tellHead(controller, head);
    if (this.controller.paused) controller.pause();
  }

  /** A head that was held back while somebody thought about it. */
  private deliverHeld(attempt: Attempt, controller: Controller, head: Head): void {
    if (!attempt.isHeld) {
      this.deliver(controller, head);
      return;
    }
    try {
      this.deliver(controller, head);
      attempt.unhold();
    } catch (error) {
      // Nobody below is waiting for what the caller's handler throws.
      attempt.cut(error);
      this.deliverError(error);
    }
  }

  private tellHead(controller: Controller, { status, headers, statusText }: Head): void {
    this.controller.rawHeaders = controller.rawHeaders ?? rawFrom(undefined, headers);
    try {
      this.handler.onResponseStart?.(this.controller, status, headers, statusText);
    } catch (error) {
      this.hasThrown = true;
      throw error;
    }
  }

  /** The body goes on where it broke off; the caller sees nothing of it. */
  private goOn(attempt: Attempt, controller: Controller, rest: Rest): void {
    this.rest = undefined;
    this.stopDeadlineOfHead();
    this.mostBytes = this.receivedBytes + rest.bytes;
    if (this.controller.paused) controller.pause();
    attempt.unhold();
  }

  private giveUpBody(attempt: Attempt): void {
    attempt.cut(this.brokenBy);
    this.deliverError(this.brokenBy);
  }

  /** A gate or a hold lets nothing through in time. */
  private refuse(reason: Refusal['reason']): void {
    const { scope, settings } = this.session;
    this.session.abandon();
    if (this.delivered !== undefined) {
      this.deliverError(this.brokenBy);
      return;
    }
    const isLate = reason === 'hold-past-deadline' && settings.deadlineMs !== undefined;
    this.deliverError(
      isLate ? this.deadlineError(settings.deadlineMs) : new GateShutError(scope.name, this.lastCause()),
    );
  }

  /** Something of the caller's went wrong: a hook, a body. */
  private fail(error: unknown): void {
    if (this.isOver) return;
    this.attempt?.cut(error);
    this.session.abandon();
    this.deliverError(error);
  }

  private deliverError(error: unknown): void {
    if (this.isOver) return;
    this.settle(error);
    if (this.session.history.length > 0) remember(error, this.session);
    this.handler.onResponseError?.(this.controller, error);
  }

  /** Nothing of this request is left behind. */
  private settle(error?: unknown): void {
    this.isOver = true;
    this.cancelWait?.();
    this.stopAttemptTimer();
    this.stopDeadline();
    if (this.body.kind === 'kept') this.body.value.close(error);
  }

  // -------------------------------------------------------------- aborting

  /** By the caller, through the controller. */
  abort(reason: unknown): void {
    if (this.isOver) return;
    const { attempt } = this;
    if (attempt === undefined) this.session.abandon();
    else if (this.delivered === undefined || this.rest !== undefined) this.inScope(this.tellAbort, reason);
    // undici makes an error of its own where there is no reason.
    if (attempt?.isLive === true) attempt.controller?.abort(reason);
    attempt?.cut(reason);
    this.deliverError(reason ?? abortError());
  }

  private tellAbort(error: unknown): void {
    this.session.next({ kind: 'error', error, aborted: true }, this.isReplayable);
  }

  // -------------------------------------------------------------- asking

  private isUploading(attempt: Attempt): boolean {
    const hasBody = this.body.kind !== 'ready' || (this.body.value ?? undefined) !== undefined;
    return hasBody && !attempt.isSent;
  }

  private get isReplayable(): boolean {
    return this.body.kind === 'kept' ? this.body.value.isReplayable : this.body.kind !== 'once';
  }

  /** Undefined while the caller has seen nothing. */
  private get isResumable(): boolean | undefined {
    return this.delivered === undefined ? undefined : this.rest !== undefined;
  }

  private restNow(): Rest | undefined {
    if (this.delivered === undefined || !this.session.settings.resume) return undefined;
    return restOf(this.session.request.method, this.delivered, this.receivedBytes);
  }

  private inScope<Given extends unknown[]>(method: (...given: Given) => unknown, ...given: Given): void {
    this.runInAsyncScope(method, this, ...given);
  }
}

function isThenable<T>(value: unknown): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** As undici makes it, for who aborts without a reason when no attempt is out. */
function abortError(): Error {
  return Object.assign(new Error('Request aborted'), { name: 'AbortError', code: 'UND_ERR_ABORTED' });
}
