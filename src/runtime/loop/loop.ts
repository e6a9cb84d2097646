/**
 * The loop of retries, for clients that answer with a promise. A plain request whose first attempt succeeds does not
 * come here (`begin.ts`).
 */

import { AttemptTimeoutError, DeadlineError } from '../../core/errors.js';
import type { LiveOutcome } from '../../core/events.js';
import { isPromise } from '../../core/returned.js';
import type { Admission, Decision, Retry } from '../../core/types.js';
import { attemptHeaderOf } from '../attempt-header.js';
import { causeOf } from '../cause.js';
import { contextFor, verdictOn } from '../hooks.js';
import { rememberOutermost } from '../outermost.js';
import { refusalError } from '../refusal.js';
import type { Session } from '../session.js';
import type { Sleep, SleepOptions } from '../sleep.js';
import type { Ending, Limit, Outgoing, PromiseExchange, RequestBody } from './exchange.js';
import { endingOf, endingWithin } from './sending.js';
import { inTime, wait } from './wait.js';

const unrefed: SleepOptions = { unref: true };

export class Loop<Answer> {
  private readonly exchange: PromiseExchange<Answer>;
  private readonly session: Session;
  private readonly outgoing: Outgoing<Answer>;
  /** The end of the first attempt, if it is over already. */
  private first: Ending<Answer> | undefined;
  /** The last real outcome, as the `cause` of an error of our own. */
  private cause: ErrorOptions = {};
  /** Headers that the next attempt adds; undefined for the first attempt. */
  private extra: Readonly<Record<string, string>> | undefined = undefined;
  /** Monotonic time at which the attempt began to make its body; undefined without a body or an attempt timeout. */
  private bodySince: number | undefined = undefined;
  /** The error of the last attempt that timed out. */
  private timedOut: Error | undefined = undefined;
  /** Whether the caller's abort ended the last attempt. */
  private endedByAbort = false;
  /** Ends what is left of the last attempt, if that had a time limit. */
  private ours: AbortController | undefined = undefined;

  constructor(exchange: PromiseExchange<Answer>, first: Ending<Answer> | undefined) {
    this.exchange = exchange;
    this.session = exchange.session;
    this.outgoing = exchange.outgoing();
    this.first = first;
  }

  /** Begins with the first attempt, or with its end if that is known already. */
  run(): Promise<Answer> {
    return this.lastEnding().then(
      (ending) => this.handOver(this.entrusted(ending)),
      (error: unknown) => this.handOver(this.abandoned(error)),
    );
  }

  private async lastEnding(): Promise<Ending<Answer>> {
    for (;;) {
      // If there is nothing to wait for, the request is sent in the same turn, as the client itself would do.
      const admission = this.admitted();
      if (admission !== undefined) await admission;
      const result = await this.tryOnce();
      if ('kind' in result) return result;
      // A body that failed during the wait is sent all the same, since the client has its own error for it.
      await this.wait(result.delayMs, this.exchange.body);
      await this.change(result);
    }
  }

  /**
   * One attempt: it returns a retry, or the end of the request. This is a function of its own because an async function
   * that waits keeps alive every variable it has ever set, and an answer keeps its connection's buffers: the function
   * that waits for the retry must never hold the answer.
   */
  private async tryOnce(): Promise<Retry | Ending<Answer>> {
    const ending = this.first ?? (await this.send());
    this.first = undefined;
    const decision = await this.judge(ending);
    return decision?.action === 'retry' ? decision : ending;
  }

  // -------------------------------------------------------------- an attempt

  /**
   * Waits until the gate and the hold let the attempt through; throws if they refuse it. Undefined: it may go at once.
   */
  private admitted(): Promise<void> | undefined {
    const admission = this.session.admit();
    return admission.kind === 'go' ? undefined : this.admittedAfter(admission);
  }

  private async admittedAfter(first: Admission): Promise<void> {
    const { session } = this;
    for (let admission = first; admission.kind !== 'go'; admission = session.admit()) {
      if (admission.kind === 'wait') await this.wait(admission.delayMs);
      else throw this.exchange.ownError(refusalError(session, admission.reason, this.cause));
    }
  }

  private async send(): Promise<Ending<Answer>> {
    const { exchange, outgoing } = this;
    this.heedAbort();
    const { attemptTimeoutMs } = this.session.settings;
    const isTimed = attemptTimeoutMs !== undefined && exchange.body !== undefined;
    this.bodySince = isTimed ? this.now() : undefined;
    try {
      const body = this.inTime(exchange.body?.next(), this.limit());
      outgoing.prepare(isPromise(body) ? await body : body, this.extra);
      // Some clients send a request that was aborted before.
      this.heedAbort();
      const limit = this.limit();
      if (limit === undefined) return endingOf(exchange);
      // A hook, a body or a busy process has used up the time.
      if (limit.ms <= 0) throw limit.error();
      this.ours = new AbortController();
      return endingWithin(limit, exchange, outgoing, this.ours, this.sleep, this.keeping);
    } catch (error) {
      // Making the body counts as part of the attempt, and of its time.
      if (this.timedOut !== undefined && error === this.timedOut)
        return { kind: 'error', error, unasked: true };
      throw error;
    }
  }

  /** What ends the attempt first: its own timeout, or the request's deadline. */
  private limit(): Limit | undefined {
    const { attemptTimeoutMs } = this.session.settings;
    const deadline = this.deadline();
    if (attemptTimeoutMs === undefined) return deadline;
    const ms = attemptTimeoutMs - (this.bodySince === undefined ? 0 : this.now() - this.bodySince);
    if (deadline !== undefined && deadline.ms <= ms) return deadline;
    const error = (): Error => {
      this.timedOut = this.exchange.ownError(new AttemptTimeoutError(attemptTimeoutMs));
      return this.timedOut;
    };
    return { ms, error };
  }

  private deadline(): Limit | undefined {
    const { settings, deadlineAt } = this.session;
    const { deadlineMs } = settings;
    if (deadlineMs === undefined) return undefined;
    const error = (): Error => this.exchange.ownError(new DeadlineError(deadlineMs, this.cause));
    return { ms: deadlineAt - this.now(), error };
  }

  // -------------------------------------------------------------- a decision

  /** Undefined: the ending needs no decision. */
  private async judge(ending: Ending<Answer>): Promise<Decision | undefined> {
    const { exchange, session } = this;
    if (ending.kind === 'response' && exchange.accepts(ending.response)) return undefined;
    try {
      const outcome = unaskedIn(ending) ?? (await this.inTime(exchange.outcomeOf(ending)));
      this.endedByAbort = outcome.kind === 'error' && outcome.aborted === true;
      const verdict = await this.verdictOn(ending, outcome);
      const replayable = exchange.body?.isReplayable ?? true;
      const decision = session.next(outcome, { replayable, verdict });
      if (decision.action === 'retry') this.leave(ending, outcome);
      return decision;
    } catch (error) {
      exchange.release(ending);
      // The attempt has ended even so, and the session has to know.
      if (exchange.isAborted) session.next({ kind: 'error', error, aborted: true }, { replayable: false });
      throw error;
    }
  }

  private async verdictOn(ending: Ending<Answer>, outcome: LiveOutcome): Promise<boolean | undefined> {
    const { exchange, session } = this;
    // The caller's abort and the deadline are final, so `retryIf` is not asked.
    const isFinal = exchange.isAborted || (ending.kind === 'error' && ending.error instanceof DeadlineError);
    if (isFinal || session.settings.retryIf === undefined) return undefined;
    const verdict = await this.inTime(verdictOn(session, outcome));
    this.heedAbort();
    return verdict;
  }

  // -------------------------------------------------------------- a retry

  /** A retry follows, so the caller will not see this ending, except perhaps as the cause of a later error. */
  private leave(ending: Ending<Answer>, outcome: LiveOutcome): void {
    const { exchange } = this;
    const { deadlineMs, gate, hold } = this.session.settings;
    if (deadlineMs !== undefined || gate !== false || hold !== false) {
      const isAnswer = ending.kind === 'response';
      this.cause = isAnswer ? causeOf(outcome) : { cause: exchange.lightened(ending.error) };
    }
    // Listeners of the signal may hold on to the answer.
    this.ours = undefined;
    exchange.body?.leave?.();
    exchange.release(ending);
  }

  /** Runs after the wait, so that a token which `beforeRetry` fetches is fresh. */
  private async change(decision: Retry): Promise<void> {
    const { outgoing, session } = this;
    const { beforeRetry, attemptHeader } = session.settings;
    this.extra = attemptHeaderOf(attemptHeader, decision.attempt);
    if (beforeRetry === undefined) return;
    const target = outgoing.target();
    const context = contextFor(session, decision, target);
    await this.inTime(beforeRetry(context));
    outgoing.change(context.headers, context.url === target.url ? undefined : context.url);
  }

  private async wait(delayMs: number, body?: RequestBody): Promise<void> {
    const { exchange, session, sleep } = this;
    const isOver = await wait(delayMs, exchange, sleep, { unref: session.settings.unref }, body);
    if (!isOver) throw exchange.abortError();
  }

  // -------------------------------------------------------------- the end

  private handOver(ending: Ending<Answer>): Answer {
    this.outgoing.close(ending);
    rememberOutermost(ending.kind === 'error' ? ending.error : ending.response, this.session);
    if (ending.kind === 'error') throw ending.error;
    return ending.response;
  }

  /** A caller who has aborted gets the abort error, not the answer or an earlier error. */
  private entrusted(ending: Ending<Answer>): Ending<Answer> {
    const { exchange } = this;
    if (exchange.isAborted) {
      exchange.release(ending);
      return this.endedByAbort ? ending : { kind: 'error', error: exchange.abortError() };
    }
    const deadline = this.session.settings.deadlineCovers === 'body' ? this.deadline() : undefined;
    if (deadline !== undefined) {
      exchange.coverBody(ending, { ...deadline, abort: (reason) => this.ours?.abort(reason) });
    }
    return ending;
  }

  /** The request ends with an error of our own, or with one from the caller's code: a hook, a body, a schedule. */
  private abandoned(error: unknown): Ending<Answer> {
    // Listeners hear about the end even if `undefined` was thrown.
    this.session.abandon(error ?? 'NonError');
    return { kind: 'error', error };
  }

  private heedAbort(): void {
    if (this.exchange.isAborted) throw this.exchange.abortError();
  }

  /** Waits for a function of the caller, but only until the caller aborts or the deadline is over. */
  private inTime<T>(work: T | PromiseLike<T>, limit = this.deadline()): T | Promise<T> {
    if (!isPromise<T>(work)) return work;
    const { exchange, sleep } = this;
    const over = (isTimeOver: boolean): unknown =>
      isTimeOver && limit !== undefined ? limit.error() : exchange.abortError();
    return inTime(work, limit?.ms, exchange, sleep, this.keeping, over);
  }

  /**
   * Options of the timers that only enforce limits. With `unref: true`, they must not keep the process alive if a hook
   * or a body of the caller hangs.
   */
  private get keeping(): SleepOptions | undefined {
    return this.session.settings.unref ? unrefed : undefined;
  }

  private now(): number {
    return this.session.scope.ports.now();
  }

  private get sleep(): Sleep {
    return this.session.scope.ports.sleep;
  }
}

/** The outcome of an attempt that timed out before it was sent: it says nothing about the server. */
function unaskedIn(ending: Ending<unknown>): LiveOutcome | undefined {
  if (ending.kind === 'response' || ending.unasked !== true) return undefined;
  return { kind: 'error', error: ending.error, aborted: false, evidence: 'unsent', unasked: true };
}
