/** The path of a request that is more than one attempt which simply succeeds, for clients that answer with a promise. */

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
  /** Of the first attempt, if it is over already. */
  private first: Ending<Answer> | undefined;
  /** The last real outcome, for an error of our own. */
  private cause: ErrorOptions = {};
  /** Headers of the next attempt; undefined for a first one. */
  private extra: Readonly<Record<string, string>> | undefined = undefined;
  /** Monotonic: when the attempt began to make its body, if it has a body and a time. */
  private bodySince: number | undefined = undefined;
  /** What the last attempt failed with whose time was up. */
  private timedOut: Error | undefined = undefined;
  /** How the last attempt ended was the caller's abort. */
  private endedByAbort = false;
  /** Ends what is left of the last attempt, if that had a time. */
  private ours: AbortController | undefined = undefined;

  constructor(exchange: PromiseExchange<Answer>, first: Ending<Answer> | undefined) {
    this.exchange = exchange;
    this.session = exchange.session;
    this.outgoing = exchange.outgoing();
    this.first = first;
  }

  /** From the end of the first attempt, or from its beginning. */
  run(): Promise<Answer> {
    return this.lastEnding().then(
      (ending) => this.handOver(this.entrusted(ending)),
      (error: unknown) => this.handOver(this.abandoned(error)),
    );
  }

  private async lastEnding(): Promise<Ending<Answer>> {
    for (;;) {
      // What need not wait is sent in the turn in which it is asked for, as clients do without us.
      const admission = this.admitted();
      if (admission !== undefined) await admission;
      const result = await this.tryOnce();
      if ('kind' in result) return result;
      // A body that broke in it is sent all the same: the client has its own words for that.
      await this.wait(result.delayMs, this.exchange.body);
      await this.change(result);
    }
  }

  /**
   * To the end, or to a retry. An async function that waits keeps all that it has ever had in a variable, and an
   * answer keeps its connection's buffers: so the one that waits for a retry never has it.
   */
  private async tryOnce(): Promise<Retry | Ending<Answer>> {
    const ending = this.first ?? (await this.send());
    this.first = undefined;
    const decision = await this.judge(ending);
    return decision?.action === 'retry' ? decision : ending;
  }

  // -------------------------------------------------------------- an attempt

  /** The gate or the hold lets it through, or it is over. Undefined: at once. */
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
      // Some clients send what was aborted before.
      this.heedAbort();
      const limit = this.limit();
      if (limit === undefined) return endingOf(exchange);
      // A hook, a body or a busy process took longer than there was time.
      if (limit.ms <= 0) throw limit.error();
      this.ours = new AbortController();
      return endingWithin(limit, exchange, outgoing, this.ours, this.sleep, this.keeping);
    } catch (error) {
      // The making of its body belongs to an attempt, and to its time.
      if (this.timedOut !== undefined && error === this.timedOut)
        return { kind: 'error', error, unasked: true };
      throw error;
    }
  }

  /** What ends the attempt: its own time, or what is left of the request's. */
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

  /** Undefined: it needs none. */
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
      // The attempt had ended, all the same.
      if (exchange.isAborted) session.next({ kind: 'error', error, aborted: true }, { replayable: false });
      throw error;
    }
  }

  private async verdictOn(ending: Ending<Answer>, outcome: LiveOutcome): Promise<boolean | undefined> {
    const { exchange, session } = this;
    // The caller's abort and the end of the request's time are final: there is nothing to ask.
    const isFinal = exchange.isAborted || (ending.kind === 'error' && ending.error instanceof DeadlineError);
    if (isFinal || session.settings.retryIf === undefined) return undefined;
    const verdict = await this.inTime(verdictOn(session, outcome));
    this.heedAbort();
    return verdict;
  }

  // -------------------------------------------------------------- a retry

  /** What ended so is not for the caller to see, but perhaps as the cause of what is. */
  private leave(ending: Ending<Answer>, outcome: LiveOutcome): void {
    const { exchange } = this;
    const { deadlineMs, gate, hold } = this.session.settings;
    if (deadlineMs !== undefined || gate !== false || hold !== false) {
      const isAnswer = ending.kind === 'response';
      this.cause = isAnswer ? causeOf(outcome) : { cause: exchange.lightened(ending.error) };
    }
    // What listens to it may lead to the answer.
    this.ours = undefined;
    exchange.body?.leave?.();
    exchange.release(ending);
  }

  /** After the wait, so that a token that `beforeRetry` gets is fresh. */
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

  /** A caller who has aborted gets no answer, nor an error of before that. */
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

  /** An error of our own, or something of the caller's went wrong: a hook, a body, a schedule. */
  private abandoned(error: unknown): Ending<Answer> {
    // Listeners are told of an error that is undefined, too.
    this.session.abandon(error ?? 'NonError');
    return { kind: 'error', error };
  }

  private heedAbort(): void {
    if (this.exchange.isAborted) throw this.exchange.abortError();
  }

  /** The caller's own functions may think as long as they like, but the request waits for them only until its caller or its time ends it. */
  private inTime<T>(work: T | PromiseLike<T>, limit = this.deadline()): T | Promise<T> {
    if (!isPromise<T>(work)) return work;
    const { exchange, sleep } = this;
    const over = (isTimeOver: boolean): unknown =>
      isTimeOver && limit !== undefined ? limit.error() : exchange.abortError();
    return inTime(work, limit?.ms, exchange, sleep, this.keeping, over);
  }

  /** Of times that only watch: where a hook or a body of the caller's hangs, nothing else may keep the process alive. */
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

/** What only took time of ours: a server that was not asked has nothing to say about it. */
function unaskedIn(ending: Ending<unknown>): LiveOutcome | undefined {
  if (ending.kind === 'response' || ending.unasked !== true) return undefined;
  return { kind: 'error', error: ending.error, aborted: false, evidence: 'unsent', unasked: true };
}
