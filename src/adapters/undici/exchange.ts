/**
 * One request on its way through undici, from start to end: sends attempts, and hands one response or error to the
 * caller. Its phase says how far it is and what is under way, and so what may happen next. The session counts and
 * decides.
 */

import type { Duplex } from 'node:stream';
import { AttemptTimeoutError } from '../../core/errors.js';
import type { ClientOutcome } from '../../core/events.js';
import type { Decision, Outcome, Retry } from '../../core/types.js';
import { causeOf } from '../../runtime/cause.js';
import { isListening } from '../../runtime/events.js';
import { refusalError } from '../../runtime/refusal.js';
import type { Session } from '../../runtime/session.js';
import { prepareNext } from './again.js';
import type { Body } from './body.js';
import { CallersSide } from './caller.js';
import { Download } from './download.js';
import { ShortResponseError } from './errors.js';
import type { Dispatch, Handler, Head, ResponseHeaders } from './handlers.js';
import { type Hedging, hedgingFor } from './hedging.js';
import { type Judge, judge, judgeRest } from './judging.js';
import { discard } from './loser.js';
import type { Ending } from './outcome.js';
import { leave, type MoreHeaders, send } from './outgoing.js';
import type { Hedged, Pair } from './pair.js';
import { downloadIn, endIn, type Step } from './phase.js';
import { Sending } from './sending.js';
import { Times } from './times.js';

const nothingMore: MoreHeaders = Object.freeze({});

export class Exchange extends CallersSide implements Hedged {
  /** Undefined unless a setting asks for hedges, or for timeouts that are adaptive. */
  private hedging: Hedging | undefined = undefined;

  constructor(dispatch: Dispatch, handler: Handler, session: Session, body: Body) {
    super(dispatch, handler, session, body);
    if (body.kind === 'kept') this.watch(body.value);
  }

  // -------------------------------------------------------------- sending an attempt

  /** Returns what the first dispatch returned: false asks the caller to wait for `drain`. */
  start(): boolean {
    const { deadlineMs, attemptTimeoutMs, beforeRetry, tail } = this.session.settings;
    if (deadlineMs !== undefined || attemptTimeoutMs !== undefined) this.times = new Times(this);
    if (tail !== undefined) this.hedging = hedgingFor(this);
    this.tellStart();
    // A dispatcher underneath may write into the headers that it gets, as the ProxyAgent of undici 6 and 7 does. The
    // first attempt gets the caller's own headers, as without us; later attempts get a copy, and so does the first one
    // if a hook will see the headers.
    const more = beforeRetry === undefined ? undefined : nothingMore;
    return this.isOver || this.context.isClaimed || this.proceed(more);
  }

  /** Sends the next attempt, or waits until the scope admits it. */
  private proceed(more: MoreHeaders | undefined): boolean {
    this.times?.startDeadline();
    this.times?.enforceDeadline();
    if (this.isOver) return true;
    const admission = this.session.admit();
    if (admission.kind === 'go') return this.send(more);
    if (admission.kind === 'wait') this.proceedIn(admission.delayMs, more);
    else this.fail(refusalError(this.session, admission.reason, this.cause));
    return true;
  }

  /**
   * A function of its own: one that creates closures allocates room for their variables at each call, even if it does
   * not create them.
   */
  private proceedIn(delayMs: number, more: MoreHeaders | undefined): void {
    this.wait(delayMs, () => this.proceed(more));
  }

  private send(more: MoreHeaders | undefined): boolean {
    const { hedging } = this;
    const sending = hedging === undefined ? new Sending(this) : hedging.newSending(this);
    this.takeStep(sending);
    this.startTimers(sending);
    return send(this, sending, more);
  }

  /** Moves on to the next step, of the request or of resuming its body. */
  private takeStep(step: Step): void {
    const { phase } = this;
    this.phase = phase.kind === 'resuming' ? { kind: 'resuming', step, download: phase.download } : step;
  }

  // -------------------------------------------------------------- what the attempt brings

  headed(sending: Sending, status: number, headers: ResponseHeaders, statusText: string | undefined): void {
    const isFirst = this.phase.kind === 'sending';
    if (status < 200) {
      // RFC 9110 section 15.2: an interim response, which does not count.
      if (isFirst || this.phase.kind === 'hedged') this.tellHead(status, headers, statusText);
      return;
    }
    this.stopTimers(sending);
    if (isFirst && this.acceptAtOnce(status)) this.deliver(sending, status, headers, statusText);
    else this.inScope(() => this.judge(sending, { kind: 'head', head: { status, headers, statusText } }));
  }

  private acceptAtOnce(status: number): boolean {
    const { session } = this;
    // Listeners run in the caller's async context.
    if (isListening(session.settings)) return this.runInAsyncScope(session.acceptAtOnce, session, status);
    return session.acceptAtOnce(status);
  }

  get expectsBody(): boolean {
    return this.phase.kind === 'delivering' || this.phase.kind === 'passing';
  }

  received(sending: Sending, chunk: Buffer): void {
    const { phase } = this;
    if (phase.kind !== 'delivering' || phase.take(chunk)) this.tellData(chunk);
    else this.endWith(sending, phase.error);
  }

  ended(sending: Sending, trailers: ResponseHeaders): void {
    const { phase } = this;
    const end = endIn(phase);
    if (end === 'short') this.failed(sending, new ShortResponseError());
    else if (end === 'wrong' && phase.kind === 'delivering') this.endWith(sending, phase.error);
    else {
      this.settle();
      this.tellEnd(trailers);
    }
  }

  failed(sending: Sending, error: unknown): void {
    this.stopTimers(sending);
    // After the end, no error is judged: undici's MockAgent reports one for an abort that comes after the end.
    if (this.phase.kind === 'passing' || this.isOver) this.deliverError(error);
    else this.inScope(() => this.judge(sending, { kind: 'error', error }));
  }

  timeOut(sending: Sending, attemptTimeoutMs: number, stalledMs?: number): void {
    this.destroyUnsent(sending);
    sending.break(new AttemptTimeoutError(attemptTimeoutMs, { stalledMs }));
  }

  upgraded(sending: Sending, status: number, headers: ResponseHeaders, socket: Duplex): void {
    if (!this.acceptAtOnce(status)) this.session.abandon(status);
    this.settle();
    // An error may still come, for example if the caller refuses the upgrade.
    this.phase = { kind: 'passing', sending, headers, isUpgraded: true };
    this.handler.onRequestUpgrade?.(this, status, headers, socket);
  }

  // -------------------------------------------------------------- two attempts that are out

  awaitsOnly(sending: Sending): boolean {
    return this.phase === sending;
  }

  goOnWithTwo(pair: Pair): void {
    this.phase = pair;
  }

  goOnWith(sending: Sending): void {
    this.phase = sending;
    sending.reportTo(this);
  }

  startTimers(sending: Sending): void {
    this.times?.startAttempt(sending);
    this.hedging?.startAttempt(sending);
  }

  stopTimers(sending: Sending): void {
    this.times?.stopAttempt(sending);
    this.hedging?.stopAttempt(sending);
  }

  protected override settle(error?: unknown): void {
    this.hedging?.stop();
    super.settle(error);
  }

  // -------------------------------------------------------------- deciding what to do next

  private judge(sending: Sending, ending: Ending): void {
    const download = this.downloadToResume(sending, ending);
    const court: Judge<Decision> = {
      exchange: this,
      sending,
      next: (outcome, prospects) => this.session.next(outcome, prospects),
      decided: (decision, outcome) => this.follow(sending, ending, decision, outcome),
    };
    if (download === undefined) judge(court, ending);
    else judgeRest(court, ending, download);
  }

  follow(sending: Sending, ending: Ending, decision: Decision, outcome: ClientOutcome): void {
    const download = downloadIn(this.phase);
    if (decision.action === 'retry') this.tryAgain(sending, ending, decision, outcome);
    else if (download !== undefined) this.goOnOrBreak(sending, ending, download);
    else if (ending.kind === 'head') this.deliverJudged(sending, ending.head);
    else this.deliverError(ending.error);
  }

  /** The download to resume: the caller has its head, and its body broke off now or earlier. */
  private downloadToResume(sending: Sending, ending: Ending): Download | undefined {
    const { phase, session } = this;
    if (phase.kind === 'resuming') return phase.download;
    if (phase.kind !== 'delivering' || ending.kind !== 'error') return undefined;
    phase.broke(ending.error, session.request.method, session.settings.resume);
    session.resume();
    this.times?.startDeadline();
    this.keepRawHeaders();
    this.phase = { kind: 'resuming', step: sending, download: phase };
    return phase;
  }

  private deliver(
    sending: Sending,
    status: number,
    headers: ResponseHeaders,
    statusText: string | undefined,
  ): void {
    this.phase = new Download(sending, status, headers, statusText);
    this.times?.stopAtHead();
    this.tellHead(status, headers, statusText);
    if (this.paused) sending.controller?.pause();
  }

  /** Hands over a head that was judged first. */
  private deliverJudged(sending: Sending, { status, headers, statusText }: Head): void {
    if (!sending.isAside) {
      this.deliver(sending, status, headers, statusText);
      return;
    }
    try {
      this.deliver(sending, status, headers, statusText);
    } catch (error) {
      this.endWith(sending, error);
      return;
    }
    // The body follows in a later turn, as on a real connection: fetch hangs if a body fails in the same turn as its
    // head.
    setImmediate(() => this.inScope(() => sending.goOn()));
  }

  /** Continues the body where it broke off, unseen by the caller, or fails it. */
  private goOnOrBreak(sending: Sending, ending: Ending, download: Download): void {
    if (ending.kind === 'error' || ending.head.status >= 400 || !download.isResumable) {
      this.endWith(sending, download.error);
      return;
    }
    download.goOn(sending);
    this.phase = download;
    this.times?.stopAtHead();
    if (this.paused) sending.controller?.pause();
    sending.goOn();
  }

  private tryAgain(sending: Sending, ending: Ending, decision: Retry, outcome: Outcome): void {
    if (ending.kind === 'head') discard(sending, this.session.request.method, ending.head.headers);
    this.cause = causeOf(outcome);
    leave(this.body);
    const download = downloadIn(this.phase);
    this.wait(decision.delayMs, () => prepareNext(this, decision, download, (more) => this.proceed(more)));
  }

  private wait(delayMs: number, next: () => void): void {
    const wake = (): void => {
      this.takeStep({ kind: 'waiting' });
      this.inScope(next);
    };
    const { unref } = this.session.settings;
    this.takeStep({ kind: 'waiting', cancel: this.ports.sleep(delayMs, wake, { unref }) });
  }

  endWith(sending: Sending, error: unknown): void {
    sending.cut(error);
    this.deliverError(error);
  }
}
