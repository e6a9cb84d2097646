/**
 * One request on its way through undici, from start to end: sends attempts, and hands one response or error to the
 * caller. Its phase says how far it is and what is under way, and so what may happen next (diagram: `phase.ts`). The
 * session counts and decides.
 */

import { AsyncResource, executionAsyncId } from 'node:async_hooks';
import type { Duplex } from 'node:stream';
import { msToBegin, streamStartOf } from '../../core/decide/stream-start.js';
import { bytesToAwait, msToAwait } from '../../core/decide/whole.js';
import { AttemptTimeoutError, DeadlineError } from '../../core/errors.js';
import type { ClientOutcome, RetryContext } from '../../core/events.js';
import { gatherMs } from '../../core/hints/worth-reading.js';
import type { Settings } from '../../core/policy/settings.js';
import { asPromise, isPromise } from '../../core/returned.js';
import type { Decision, Outcome, Retry } from '../../core/types.js';
import type { KeptBody } from '../../drivers/body/kept-body.js';
import { StartWatch } from '../../drivers/body/stream-start.js';
import { unpackedText } from '../../drivers/body/unpack.js';
import { causeOf } from '../../drivers/cause.js';
import { contextFor, verdictOn } from '../../drivers/hooks.js';
import { rememberOutermost } from '../../drivers/outermost.js';
import { attemptHeaderOf } from '../../kernel/attempt-header.js';
import { isListening } from '../../kernel/events.js';
import { acceptPlainly, acceptRetry, type LiveSession } from '../../kernel/live-session.js';
import type { Ports } from '../../kernel/ports.js';
import { beginWait, endWait, type Timer, type Waiting } from '../../kernel/waits.js';
import { channels } from '../../parts/all.js';
import type { HeldEnding } from './aside.js';
import { type Body, destroyStream, isAwaited, isReplayable, sourceOf } from './body.js';
import { type RequestContext, setStarting } from './context.js';
import { asChanged, goesTo, targetOf } from './dispatch-options.js';
import { Download, watchedDownload } from './download.js';
import { abortError, errorFrom, ShortResponseError } from './errors.js';
import { TranslatedHandler } from './generations.js';
import type {
  Controller,
  Dispatch,
  DispatchOptions,
  Handler,
  Head,
  RawHeaders,
  ResponseHeaders,
} from './handlers.js';
import { rawFrom } from './headers.js';
import { discard } from './loser.js';
import {
  bytesToGather,
  type Ending,
  evidenceOf,
  evidenceOfHead,
  type HeadEnding,
  outcomeOfError,
  outcomeOfHead,
  statusAtEnd,
  toldOf,
} from './outcome.js';
import { leaveBody, type MoreHeaders, sendAttempt } from './outgoing.js';
import {
  cancelWait,
  downloadIn,
  endIn,
  headersIn,
  heldIn,
  isSettled,
  over,
  type Phase,
  type Step,
  sendingIn,
  type TwoOut,
} from './phase.js';
import { type Receiver, Sending, type SendingCallback } from './sending.js';
import { LimitTimers } from './times.js';
import { WatchedSending } from './watched.js';

const noCause: ErrorOptions = Object.freeze({});
const nothingMore: MoreHeaders = Object.freeze({});
/** Nothing is waited for, but the next attempt is not out yet. */
const ready: Step = { kind: 'waiting' };

/** What most requests do without. */
interface Rare {
  /** The last outcome that the caller did not see: it becomes the `cause` of an error of our own. */
  cause: ErrorOptions;
  /** The options to dispatch with, once a hook or a key has changed the caller's own. */
  options: DispatchOptions | undefined;
  /** The caller has paused the response. */
  paused: boolean;
  abortion: { readonly reason: unknown } | undefined;
  /** The session is being asked or told: what it calls of the caller's may abort the request, which ends after that. */
  isTelling: boolean;
}

/**
 * An AsyncResource, so that attempts, hooks and timers run in the caller's async context; and the caller's controller.
 * Neither is an object of its own, since an exchange is created for every request, and most requests need nothing more.
 * undici's own interceptors write to their controllers, so every property of a controller is writable.
 */
export class UndiciExchange extends AsyncResource implements Controller, Receiver {
  readonly session: LiveSession;
  readonly dispatch: Dispatch;
  readonly body: Body;
  /** Undefined without time limits. */
  times: LimitTimers | undefined = undefined;
  private readonly handler: Handler;
  private rare: Rare | undefined = undefined;
  private phase: Phase = ready;
  /** The phase before the end: the caller may still ask its connection for raw headers and trailers. */
  private last: Phase = ready;

  constructor(dispatch: Dispatch, handler: Handler, session: LiveSession, body: Body) {
    // The default. Node keeps its ids as doubles; a truncated one is an integer for V8, for which it makes no object.
    super('UNDAUNTED', Math.trunc(executionAsyncId()));
    this.handler = handler;
    this.session = session;
    this.dispatch = dispatch;
    this.body = body;
    if (body.kind === 'kept') this.watch(body.value);
  }

  get isOver(): boolean {
    return this.phase === over;
  }

  private get latest(): Phase {
    return this.isOver ? this.last : this.phase;
  }

  get ports(): Ports {
    return this.session.scope.ports;
  }

  get context(): RequestContext {
    return this.session.request as RequestContext;
  }

  get options(): DispatchOptions {
    return this.rare?.options ?? this.context.options;
  }

  set options(options: DispatchOptions) {
    this.ensureRare().options = options;
  }

  get cause(): ErrorOptions {
    return this.rare?.cause ?? noCause;
  }

  set cause(cause: ErrorOptions) {
    this.ensureRare().cause = cause;
  }

  private ensureRare(): Rare {
    this.rare ??= {
      cause: noCause,
      options: undefined,
      paused: false,
      abortion: undefined,
      isTelling: false,
    };
    return this.rare;
  }

  // -------------------------------------------------------------- sending an attempt

  /** Returns what the first dispatch returned: false asks the caller to wait for `drain`. */
  start(): boolean {
    const { deadlineMs, attemptTimeoutMs, beforeRetry } = this.session.settings;
    if (deadlineMs !== undefined || attemptTimeoutMs !== undefined) this.times = new LimitTimers(this);
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
    if (admission.kind === 'go')
      return this.session.credentials === undefined ? this.send(more) : this.sendOnceAsked(more);
    if (admission.kind === 'wait') this.proceedIn(admission.delayMs, more, admission.isCalled === true);
    else this.fail(this.session.limits.refusal(admission.reason, this.cause));
    return true;
  }

  /**
   * A function of its own: one that creates closures allocates room for their variables at each call, even if it does
   * not create them.
   */
  private proceedIn(delayMs: number, more: MoreHeaders | undefined, isCalled: boolean): void {
    const waiting = this.wait(delayMs, undefined, more);
    const { phase } = this;
    const called = (): void => {
      if (this.phase !== phase) return;
      waiting.cancel();
      waiting.wake();
    };
    if (isCalled) this.session.onTurn(() => queueMicrotask(called));
  }

  /** Asks for the headers that carry the credentials; if they come later, so does the attempt. */
  private sendOnceAsked(more: MoreHeaders | undefined): boolean {
    let goesOn = true;
    this.ask(
      () => this.session.credentials?.ask(),
      () => {
        goesOn = this.send(more);
      },
    );
    return goesOn;
  }

  private send(more: MoreHeaders | undefined): boolean {
    if (!this.session.hasTail) return this.sendBy(new Sending(this), more);
    const sending = new WatchedSending(this);
    const goesOn = this.sendBy(sending, more);
    sending.dispatched();
    return goesOn;
  }

  private sendBy(sending: Sending, more: MoreHeaders | undefined): boolean {
    this.takeStep(sending);
    this.startTimers(sending);
    return sendAttempt(this, sending, more);
  }

  /** Moves on to the next step, of the request or of resuming its body. */
  private takeStep(step: Step): void {
    const { phase } = this;
    this.phase = phase.kind === 'resuming' ? { kind: 'resuming', step, download: phase.download } : step;
  }

  // -------------------------------------------------------------- what the attempt brings

  headed(sending: Sending, status: number, statusText: string | undefined): void {
    const isFirst = this.phase.kind === 'sending';
    if (status < 200) {
      // RFC 9110 section 15.2: an interim response, which does not count.
      if (isFirst || this.phase.kind === 'hedged') this.tellHead(sending, status, statusText);
      return;
    }
    const { keepsUntilWhole, streamStart } = this.session.settings;
    const mayWait = isFirst && (keepsUntilWhole || streamStart !== false);
    if (mayWait && this.waitsForBody(sending, { status, headers: sending.headers, statusText })) return;
    this.stopTimers(sending);
    if (isFirst && this.acceptAtOnce(status)) {
      if (this.session.attempt === 1) this.handOver(sending, status, statusText, false);
      // As is all that follows a judgement, this is the caller's.
      else this.runInAsyncScope(this.handOver, this, sending, status, statusText, false);
    } else
      this.judgeAsCaller(sending, { kind: 'head', head: { status, headers: sending.headers, statusText } });
  }

  private judgeAsCaller(sending: Sending, ending: Ending): void {
    this.runInAsyncScope(this.judge, this, sending, ending);
  }

  waitsForBody(sending: Sending, head: Head): boolean {
    const { settings, request, isEnclosed } = this.session;
    if (isEnclosed) return false;
    if (settings.streamStart !== false && this.waitsForStart(sending, head)) return true;
    const mostBytes = bytesToAwait(settings, request, head.status, head.headers);
    if (mostBytes === 0) return false;
    // A slow body is no failure, but a hedge may still be sent.
    this.times?.stopAttempt(sending);
    sending.waitForBody(head, mostBytes, msToAwait(settings));
    return true;
  }

  private waitsForStart(sending: Sending, head: Head): boolean {
    const { settings, request } = this.session;
    const { streamStart, tail } = settings;
    const start = streamStartOf(settings, request.method, head.status, head.headers, this.ports.date());
    if (start === undefined || streamStart === false) return false;
    // A limit that was learnt says nothing about a beginning; at the other one, it is handed over.
    if (tail?.timeout !== undefined) this.times?.stopAttempt(sending);
    const watch = new StartWatch(start, head.headers['content-encoding'], streamStart.maxBytes);
    sending.waitForStart(head, watch, streamStart.maxBytes, msToBegin(settings));
    return true;
  }

  acceptsWhole(sending: Sending, head: Head): boolean {
    this.stopTimers(sending);
    return this.session.attempt === 1 && this.acceptAtOnce(head.status);
  }

  gathered(sending: Sending, ending: HeldEnding): void {
    this.stopTimers(sending);
    this.asCaller(() => {
      const { cut, began } = ending;
      if (cut !== undefined || began !== undefined || !this.acceptAtOnce(ending.head.status))
        this.judge(sending, ending);
      else this.deliverAside(sending, ending.head, false, true);
    });
  }

  private acceptAtOnce(status: number): boolean {
    const { session } = this;
    // Listeners run in the caller's async context.
    if (isListening(session.settings, channels.of))
      return this.runInAsyncScope(this.acceptHeard, this, status);
    return acceptPlainly(session, status) || session.acceptAtOnce(status) || acceptRetry(session, status);
  }

  /** A listener may abort the request, which is over then. */
  private acceptHeard(status: number): boolean {
    const isAccepted = this.telling(() => this.session.acceptAtOnce(status));
    this.leaveIfAborted();
    return isAccepted;
  }

  private leaveIfAborted(): void {
    const abortion = this.rare?.abortion;
    if (abortion !== undefined) this.leave(sendingIn(this.phase), abortion.reason, false);
  }

  get expectsBody(): boolean {
    const { kind } = this.phase;
    return kind === 'delivering' || kind === 'watched' || kind === 'passing';
  }

  get watchesBody(): boolean {
    return this.phase.kind === 'watched';
  }

  received(sending: Sending, chunk: Buffer): void {
    const { phase } = this;
    sending.receivedBytes += chunk.length;
    if (phase.kind === 'watched' && phase.isTooLong) this.endWith(sending, phase.error);
    else this.tellData(chunk);
  }

  ended(sending: Sending, trailers: ResponseHeaders): void {
    const { phase } = this;
    const end = endIn(phase);
    if (end === 'short') this.failed(sending, new ShortResponseError());
    else if (end === 'wrong') this.endWith(sending, phase.kind === 'watched' ? phase.error : undefined);
    else {
      this.settle();
      this.tellEnd(trailers);
    }
  }

  failed(sending: Sending, error: unknown): void {
    const { phase } = this;
    this.stopTimers(sending);
    if (phase.kind === 'watched' && phase.isJudged) this.endWith(sending, error);
    // After the end, no error is judged: undici's MockAgent reports one for an abort that comes after the end.
    else if (phase.kind === 'passing' || this.isOver) this.deliverError(error);
    else this.judgeAsCaller(sending, { kind: 'error', error });
  }

  timeOut(sending: Sending, attemptTimeoutMs: number, stalledMs?: number): void {
    // A slow beginning is no failure.
    if (sending.heldHead !== undefined) {
      sending.letGo();
      return;
    }
    this.destroyUnsent(sending);
    sending.break(new AttemptTimeoutError(attemptTimeoutMs, { stalledMs }));
  }

  upgraded(sending: Sending, status: number, headers: ResponseHeaders, socket: Duplex): void {
    if (!this.acceptAtOnce(status)) {
      // Whatever the policy calls it, it is the caller's: it cannot be sent again.
      this.asCaller(() => this.tellLast(outcomeOfHead({ status, headers }, undefined), false));
      this.leaveIfAborted();
    }
    // A listener has aborted the request.
    if (this.isOver) {
      socket.destroy();
      return;
    }
    sending.stopWatch();
    this.settle();
    // An error may still come, for example if the caller refuses the upgrade.
    this.phase = { kind: 'passing', sending, headers, isSettled: true, isUpgraded: true };
    this.handler.onRequestUpgrade?.(this, status, headers, socket);
  }

  // -------------------------------------------------------------- how an attempt ended, and what follows

  /**
   * Judges how an attempt ended, once it is known what its body says about waiting, if anything. `pair`: two attempts
   * were out, and the session rules on both.
   */
  judge(sending: Sending, ending: Ending, pair?: TwoOut): void {
    const rest = this.downloadToResume(sending, ending);
    const isAsked = rest === undefined && ending.kind === 'head';
    const mostBytes = isAsked ? bytesToGather(this.session, sending, ending) : 0;
    if (mostBytes === 0 || ending.kind === 'error') {
      this.askAbout(sending, ending, rest, undefined, pair);
      return;
    }
    const { status, headers } = ending.head;
    const ms = status < 300 ? msToAwait(this.session.settings) : gatherMs;
    sending.gather(mostBytes, ms, (bytes) =>
      this.asCaller(() => {
        const content = unpackedText(bytes, headers['content-encoding'], mostBytes);
        this.askAbout(sending, ending, rest, content, pair);
      }),
    );
  }

  /** Asks the caller's functions about the outcome, if there are any, and lets the session decide. */
  private askAbout(
    sending: Sending,
    ending: Ending,
    rest: Download | undefined,
    content: unknown,
    pair: TwoOut | undefined,
  ): void {
    const { session, body } = this;
    const { settings, credentials } = session;
    const outcome = this.outcomeOf(sending, ending, rest, content);
    // Without functions to make for them, a failure costs half of the time.
    if (pair === undefined && settings.retryIf === undefined && credentials === undefined) {
      this.decide(sending, ending, rest, outcome, undefined, undefined);
      return;
    }
    const prospects = { replayable: isReplayable(body), resumable: rest?.isResumable };
    const decide = (verdict: boolean | undefined, renewed?: boolean): void => {
      if (pair === undefined) this.decide(sending, ending, rest, outcome, verdict, renewed);
      else
        this.ask(
          () => this.telling(() => pair.rule(sending, outcome, { ...prospects, verdict, renewed })),
          (ruling) => pair.obey(ruling, { sending, ending, outcome }),
        );
    };
    const askForFresh = (verdict: boolean | undefined): void => {
      this.ask(
        () => {
          const renewed = credentials?.renewed(outcome, { ...prospects, verdict }, pair?.attemptOf(sending));
          if (isPromise(renewed)) this.cause = causeOf(outcome);
          return renewed;
        },
        (isRenewed) => decide(verdict, isRenewed),
        sending,
      );
    };
    const told = toldOf(sending, ending, rest, outcome, settings);
    const next = credentials === undefined ? decide : askForFresh;
    this.ask(() => told && verdictOn(session, told), next, sending);
  }

  private decide(
    sending: Sending,
    ending: Ending,
    rest: Download | undefined,
    outcome: ClientOutcome,
    verdict: boolean | undefined,
    renewed: boolean | undefined,
  ): void {
    const { phase, body } = this;
    const prospects = { replayable: isReplayable(body), verdict, renewed, resumable: rest?.isResumable };
    let decision: Decision;
    try {
      decision = this.telling(() => this.session.next(outcome, prospects));
    } catch (error) {
      // The schedule may be a function of the caller's, too.
      this.fail(error);
      return;
    }
    if (this.phase === phase) this.follow(sending, ending, decision, outcome);
  }

  /** Carries a decision out, unless what was called for it has aborted the request. */
  follow(sending: Sending, ending: Ending, decision: Decision, outcome: ClientOutcome): void {
    const abortion = this.rare?.abortion;
    if (abortion !== undefined) {
      this.leave(sending, abortion.reason, decision.action === 'retry');
      return;
    }
    const download = downloadIn(this.phase);
    if (decision.action === 'retry') this.tryAgain(sending, ending, decision, outcome);
    else if (download !== undefined) this.goOnOrBreak(sending, ending, download);
    else if (ending.kind === 'head') this.deliverJudged(sending, ending);
    else this.deliverError(ending.error);
  }

  private outcomeOf(
    sending: Sending,
    ending: Ending,
    rest: Download | undefined,
    content: unknown,
  ): ClientOutcome {
    if (ending.kind === 'error') {
      return rest === undefined
        ? outcomeOfError(ending.error, evidenceOf(sending, ending.error), isAwaited(this.body, sending))
        : outcomeOfError(ending.error, 'unknown');
    }
    const { head, cut, began } = ending;
    const seen = outcomeOfHead(head, evidenceOfHead(sending), content);
    if (began !== undefined) return { ...seen, began };
    if (cut !== undefined) return outcomeOfError(cut, 'unknown');
    const mismatch = head.status < 400 ? rest?.mismatch(head, sending.path) : undefined;
    if (mismatch !== undefined)
      return outcomeOfError(new Error(`undaunted: the body cannot be resumed: ${mismatch}`), 'unknown');
    const { settings, request } = this.session;
    const isElsewhere = settings.credentials !== false && sending.hasLeft(request.origin);
    return isElsewhere ? { ...seen, isElsewhere } : seen;
  }

  /** The download to resume: the caller has its head, and its body broke off now or earlier. */
  private downloadToResume(sending: Sending, ending: Ending): Download | undefined {
    const { phase, session } = this;
    if (phase.kind === 'resuming') return phase.download;
    if (ending.kind !== 'error' || (phase.kind !== 'delivering' && phase.kind !== 'watched'))
      return undefined;
    const download = phase.kind === 'watched' ? phase : new Download(phase, statusAtEnd(session));
    download.broke(ending.error, session.request.method, session.settings.resume);
    session.resume();
    this.times?.startDeadline();
    // Those of the head that the caller saw, before another attempt brings the rest of the body.
    const { rawHeaders } = this;
    this.rawHeaders = rawHeaders;
    this.phase = { kind: 'resuming', step: sending, download };
    return download;
  }

  deliver(sending: Sending, { status, statusText }: Head): void {
    this.handOver(sending, status, statusText, false);
  }

  /** The head is not an object here: nearly all answers that are handed over need none. */
  private handOver(
    sending: Sending,
    status: number,
    statusText: string | undefined,
    isJudged: boolean,
  ): void {
    if (this.isOver) return;
    this.phase = watchedDownload(sending, status, statusText, isJudged) ?? sending;
    sending.deliver();
    this.times?.stopAtHead();
    this.tellHead(sending, status, statusText);
    if (this.paused) sending.pause();
  }

  /** Hands over a head that was judged first. */
  private deliverJudged(sending: Sending, { head, cut }: HeadEnding): void {
    if (sending.isAside) this.deliverAside(sending, head, cut !== undefined);
    else this.deliver(sending, head);
  }

  private deliverAside(sending: Sending, head: Head, isJudged: boolean, isAtOnce = false): void {
    try {
      this.handOver(sending, head.status, head.statusText, isJudged);
    } catch (error) {
      this.endWith(sending, error);
      return;
    }
    // On a real connection, too, a small body comes in the same turn, but not its failure, at which fetch would hang.
    if (isAtOnce && !sending.isBroken) sending.goOn();
    else setImmediate(() => this.asCaller(() => sending.goOn()));
  }

  /** Continues the body where it broke off, unseen by the caller, or fails it. */
  private goOnOrBreak(sending: Sending, ending: Ending, download: Download): void {
    if (ending.kind === 'error' || ending.head.status >= 400 || !download.isResumable) {
      this.endWith(sending, download.error);
      return;
    }
    sending.deliverRest(download.goOn(sending));
    this.phase = download;
    this.times?.stopAtHead();
    if (this.paused) sending.pause();
    sending.goOn();
  }

  private tryAgain(sending: Sending, ending: Ending, decision: Retry, outcome: Outcome): void {
    if (ending.kind === 'head') discard(sending, this.session.request.method, ending.head.headers);
    this.cause = causeOf(outcome);
    leaveBody(this.body);
    this.wait(decision.delayMs, decision, undefined);
  }

  /** Runs after the wait, so that a token that `beforeRetry` fetches is fresh. */
  private prepareNext(decision: Retry): void {
    const { beforeRetry, attemptHeader } = this.session.settings;
    const download = downloadIn(this.phase);
    if (beforeRetry !== undefined) {
      this.prepareByHook(beforeRetry, decision, download);
      return;
    }
    const isPlain = attemptHeader === false && download === undefined;
    this.proceed(isPlain ? nothingMore : this.moreHeaders(download));
  }

  private moreHeaders(download: Download | undefined): MoreHeaders {
    const { settings, attempt } = this.session;
    return { ...attemptHeaderOf(settings.attemptHeader, attempt - 1), ...download?.requestHeaders };
  }

  private prepareByHook(
    beforeRetry: NonNullable<Settings['beforeRetry']>,
    decision: Retry,
    download: Download | undefined,
  ): void {
    const { session } = this;
    const goOn = (): void => {
      this.proceed(this.moreHeaders(download));
    };
    this.ask(
      () => contextFor(session, decision, targetOf(this.options)),
      (hook) =>
        this.ask(
          () => beforeRetry(hook),
          () => this.ask(() => this.change(hook, download), goOn),
        ),
    );
  }

  /** Takes over what `beforeRetry` has changed. */
  private change(hook: RetryContext, download: Download | undefined): void {
    const changed = asChanged(this.options, hook);
    // A resource at another URL is another representation, even if its ETag is the same.
    if (download !== undefined && !goesTo(changed, this.options)) throw download.error;
    this.options = changed;
    this.session.movesTo(hook.url);
  }

  /** Before a retry, or until the scope may admit the attempt: then there is no decision. */
  private wait(delayMs: number, decision: Retry | undefined, more: MoreHeaders | undefined): Wait {
    const wait = new Wait(this, decision, more);
    this.takeStep(wait);
    beginWait(wait, this.ports, delayMs, this.session.settings.unref);
    return wait;
  }

  waited(decision: Retry | undefined, more: MoreHeaders | undefined): void {
    this.takeStep(ready);
    if (decision === undefined) this.runInAsyncScope(this.proceed, this, more);
    else this.runInAsyncScope(this.prepareNext, this, decision);
  }

  // -------------------------------------------------------------- two attempts that are out

  awaitsOnly(sending: Sending): boolean {
    return this.phase === sending && sending.kind === 'sending';
  }

  goOnWithTwo(pair: TwoOut): void {
    this.phase = pair;
  }

  goOnWith(sending: Sending): void {
    this.phase = sending;
    sending.reportTo(this);
  }

  startTimers(sending: Sending): void {
    this.times?.startAttempt(sending);
  }

  stopTimers(sending: Sending): void {
    this.times?.stopAttempt(sending);
    sending.stopWatch();
  }

  // -------------------------------------------------------------- calling the caller's handler

  /**
   * Called before there is a connection, since the caller's abort must work from now on. Called once for all attempts:
   * fetch adds a listener at each onRequestStart.
   */
  private tellStart(): void {
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

  private tellHead(sending: Sending, status: number, statusText: string | undefined): void {
    const { handler } = this;
    try {
      // Asked for first, since it takes long to find out that the handler is of no such class.
      if (typeof handler.onResponseStart === 'function')
        handler.onResponseStart(this, status, sending.headers, statusText);
      else if (handler instanceof TranslatedHandler) handler.onHead(this, status, sending, statusText);
    } catch (error) {
      this.handlerThrew(error);
      throw error;
    }
  }

  tellData(chunk: Buffer): void {
    try {
      this.handler.onResponseData?.(this, chunk);
    } catch (error) {
      this.handlerThrew(error);
      throw error;
    }
  }

  private tellEnd(trailers: ResponseHeaders): void {
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
    if (this.phase.kind === 'sending') this.abandon(error);
    const sending = sendingIn(this.latest);
    if (sending !== undefined) this.pass(sending);
  }

  // -------------------------------------------------------------- calling the caller's functions

  /** Runs in the caller's async context, not in that of the code that opened the socket or set the timer. */
  asCaller(work: () => void): void {
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
    // A function that has ended the request may fail after that, which nobody else hears of.
    if (isPromise<Answer>(answer)) this.askLater(phase, answer, next, about);
    else if (this.phase === phase) next(answer as Answer);
  }

  private askLater<Answer>(
    phase: Phase,
    answer: PromiseLike<Answer>,
    next: (answer: Answer) => void,
    about: Sending | undefined,
  ): void {
    if (this.phase === phase) about?.setAside();
    const unlessOvertaken = (work: () => void): void => {
      if (this.phase === phase) this.asCaller(work);
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
    const abortion = this.rare?.abortion;
    // What fails has aborted the request first.
    if (abortion !== undefined) {
      this.giveUp(abortion.reason);
      return;
    }
    const told = errorFrom(error);
    this.goOnAlone();
    this.cut(sendingIn(this.phase), told);
    this.abandon(told);
    this.deliverError(told);
  }

  /**
   * A body that fails while no attempt reads it fails the request, too. If it gives no error, the request gets undici's
   * AbortError.
   */
  watch(source: KeptBody): void {
    source.onFailure = (error) => this.asCaller(() => this.fail(error ?? abortError()));
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

  /** A body that is still waited for is handed over, unless the deadline covers it: then the caller sees it break off. */
  expire(deadlineMs: number, stalledMs?: number): void {
    const held = heldIn(this.phase);
    if (held === undefined) this.expireNow(deadlineMs, stalledMs);
    else {
      held.letGo();
      const coversBody = this.session.settings.deadlineCovers === 'body';
      const isDone = (): boolean => this.isOver || (!coversBody && headersIn(this.phase) !== undefined);
      if (!isDone())
        setImmediate(() => this.asCaller(() => isDone() || this.expireNow(deadlineMs, stalledMs)));
    }
  }

  private expireNow(deadlineMs: number, stalledMs: number | undefined): void {
    const error = new DeadlineError(deadlineMs, { ...this.cause, stalledMs });
    this.session.expire();
    this.goOnAlone();
    const sending = sendingIn(this.phase);
    // The deadline says nothing about the server if no attempt is out (during a wait, or while a body is being made),
    // or if the server has answered and a function of the caller's is still running.
    const isOurs = sending === undefined || isAwaited(this.body, sending) || !sending.isLive;
    if (isOurs) this.abandon(error);
    else this.tellLast(outcomeOfError(error, evidenceOf(sending, error)));
    this.cut(sending, error);
    this.deliverError(error);
  }

  private cut(sending: Sending | undefined, error: unknown): void {
    sending?.cut(error);
    if (sending !== undefined) this.destroyUnsent(sending);
  }

  /** undici destroys the body of a request that it aborts, but does not abort one that it has not begun. */
  private destroyUnsent(sending: Sending): void {
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
  private tellLast(outcome: Outcome, replayable: boolean = isReplayable(this.body)): void {
    this.telling(() => {
      try {
        this.session.next(outcome, { replayable });
      } catch {
        this.session.abandon();
      }
    });
  }

  /** Tells the session about an end without a decision. Listeners hear of it as the caller does. */
  private abandon(outcome: unknown): void {
    this.asCaller(() => this.telling(() => this.session.abandon(outcome)));
  }

  /** What is called of the caller's may abort the request. It ends after that, as whoever calls this sees to. */
  private telling<Answer>(tell: () => Answer): Answer {
    const rare = this.ensureRare();
    rare.isTelling = true;
    try {
      return tell();
    } finally {
      rare.isTelling = false;
    }
  }

  /** Passes everything that undici still reports straight to the caller. */
  private pass(sending: Sending): void {
    const { phase } = this;
    this.phase = { kind: 'passing', sending, headers: headersIn(this.latest), isSettled: isSettled(phase) };
  }

  /**
   * An error that the handler throws here goes up to the calling code: undici, or the caller that aborts. The request
   * is already cleaned up by then.
   */
  private deliverError(given: unknown): void {
    if (this.isOver) return;
    const error = errorFrom(given);
    this.settle(error);
    rememberOutermost(error, this.session);
    this.handler.onResponseError?.(this, error);
  }

  /** Releases everything that this request holds. */
  private settle(error?: unknown): void {
    const { phase } = this;
    this.last = phase;
    this.phase = over;
    this.context.release();
    this.times?.stop();
    cancelWait(phase);
    sourceOf(this.body)?.close(error);
    if (this.session.awaitsBody && !isSettled(phase)) this.session.bodyEnded();
  }

  endWith(sending: Sending, error: unknown): void {
    sending.cut(error);
    this.deliverError(error);
  }

  // -------------------------------------------------------------- the caller's controller

  get paused(): boolean {
    return this.rare?.paused === true;
  }

  get aborted(): boolean {
    return this.rare?.abortion !== undefined;
  }

  get reason(): unknown {
    return this.rare?.abortion?.reason ?? null;
  }

  /**
   * The raw headers that undici has. Before 7.27.2 undici's controllers had none, and the fetch of Node 26 would then
   * see no headers: they are rebuilt from the parsed ones.
   */
  get rawHeaders(): RawHeaders {
    const raw = this.connection?.rawHeaders;
    if (raw !== undefined && raw !== null) return raw;
    const headers = headersIn(this.latest);
    return headers === undefined ? null : rawFrom(undefined, headers);
  }

  set rawHeaders(rawHeaders: RawHeaders) {
    Object.defineProperty(this, 'rawHeaders', { value: rawHeaders, writable: true, configurable: true });
  }

  private get connection(): Controller | undefined {
    return sendingIn(this.latest)?.controller;
  }

  get rawTrailers(): RawHeaders {
    return this.connection?.rawTrailers ?? null;
  }

  set rawTrailers(rawTrailers: RawHeaders) {
    Object.defineProperty(this, 'rawTrailers', { value: rawTrailers, writable: true, configurable: true });
  }

  pause(): void {
    this.ensureRare().paused = true;
    sendingIn(this.latest)?.pause();
  }

  resume(): void {
    if (!this.paused) return;
    this.ensureRare().paused = false;
    sendingIn(this.latest)?.resume();
  }

  abort(reason?: unknown): void {
    if (this.aborted) return;
    const rare = this.ensureRare();
    rare.abortion = { reason };
    if (!rare.isTelling) this.giveUp(reason);
  }

  private giveUp(reason: unknown): void {
    this.goOnAlone();
    const { phase } = this;
    // After an upgrade the socket lives on: undici decides what an abort means, and reports it to the caller.
    if (phase.kind === 'over' || (phase.kind === 'passing' && phase.isUpgraded)) {
      this.connection?.abort(reason);
      return;
    }
    const sending = sendingIn(phase);
    const isBetween = sending === undefined || isAwaited(this.body, sending);
    const error = reasonGiven(reason);
    if (!isBetween && (phase.kind === 'sending' || phase.kind === 'resuming'))
      this.asCaller(() => this.tellLast({ kind: 'error', error, aborted: true }));
    this.leave(sending, reason, isBetween, error);
  }

  /** The caller has aborted. `isBetween`: no attempt was out, so that the session has not heard of the end. */
  private leave(
    sending: Sending | undefined,
    reason: unknown,
    isBetween: boolean,
    error: unknown = reasonGiven(reason),
  ): void {
    if (isBetween) this.session.abandon(error);
    if (sending !== undefined) {
      this.pass(sending);
      sending.abort(reason, error);
      this.destroyUnsent(sending);
    }
    this.deliverError(error);
  }
}

/** A falsy reason counts as none, as in undici, whose callers would take a falsy error for success. */
function reasonGiven(reason: unknown): unknown {
  return reason || abortError();
}

/** A step of the request. It holds all that is needed when it is over, since 100,000 requests may wait. */
class Wait implements Waiting {
  earlier: Waiting | undefined = undefined;
  later: Waiting | undefined = undefined;
  waitsFor: Timer | undefined = undefined;
  private readonly exchange: UndiciExchange;
  private readonly decision: Retry | undefined;
  private readonly more: MoreHeaders | undefined;

  constructor(exchange: UndiciExchange, decision: Retry | undefined, more: MoreHeaders | undefined) {
    this.exchange = exchange;
    this.decision = decision;
    this.more = more;
  }

  get kind(): 'waiting' {
    return 'waiting';
  }

  wake(): void {
    this.exchange.waited(this.decision, this.more);
  }

  cancel(): void {
    endWait(this);
  }
}
