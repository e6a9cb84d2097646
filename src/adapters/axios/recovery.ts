/**
 * The loop: an attempt, a decision, a wait, and again. Nothing of it is left in the caller's configuration: each
 * attempt gets headers and a body of its own, and at the end everything stands there as it was.
 */

import { AttemptTimeoutError, DeadlineError } from '../../core/errors.js';
import type { LiveOutcome } from '../../core/events.js';
import { bytesToRead } from '../../core/hints/held-back.js';
import { isPromise } from '../../core/returned.js';
import type { Decision, HeadersLike, Retry } from '../../core/types.js';
import { verdictOn } from '../../runtime/hooks.js';
import { refusalError } from '../../runtime/refusal.js';
import { type Limit, sendWithin } from './attempt.js';
import type { Call } from './call.js';
import { causeOf } from './cause.js';
import { coverBody } from './covered-body.js';
import { asAxiosError } from './errors.js';
import { answerOf, type Ending, isCanceled, outcomeOf } from './outcome.js';
import { Outgoing } from './outgoing.js';
import { parsedBody } from './parsed-body.js';
import { onceRead, release } from './release.js';
import type { ResponseShape } from './shapes.js';
import { inTime, wait } from './wait.js';

export class Recovery {
  private readonly call: Call;
  private readonly outgoing: Outgoing;
  /** Of the first attempt, if it is over already. */
  private first: Ending | undefined;
  /** The last real outcome, as the cause of an error of our own. */
  private cause: ErrorOptions = {};
  /** Of the last attempt. */
  private last: Limit | undefined;

  constructor(call: Call, first: Ending | undefined) {
    this.call = call;
    this.first = first;
    this.outgoing = new Outgoing(call, (work) => this.inTime(work));
  }

  /** From the end of the first attempt, or from its beginning. */
  async run(): Promise<ResponseShape> {
    const { body } = this.call;
    try {
      for (;;) {
        const result = await this.tryOnce();
        if ('kind' in result) return this.handOver(result);
        await this.retry(result);
      }
    } catch (error) {
      if (body !== undefined) onceRead(answerOf({ kind: 'error', error }), () => body.close?.(error));
      this.call.remember(error);
      throw error;
    } finally {
      this.outgoing.restore();
    }
  }

  /**
   * To the end, or to a retry. An async function that waits keeps all that it has ever had in a variable, and an
   * answer keeps its connection's buffers: so the one that waits for a retry never has it.
   */
  private async tryOnce(): Promise<Retry | Ending> {
    const ending = this.first ?? (await this.attempt());
    this.first = undefined;
    const decision = await this.judge(ending);
    if (decision === undefined || decision.action === 'stop') return ending;
    this.leave(ending);
    return decision;
  }

  private handOver(ending: Ending): ResponseShape {
    const { body, config } = this.call;
    // axios hands nothing over to a caller who has cancelled.
    if (isCanceled(config)) this.letGo(ending);
    else this.coverBody(ending);
    if (ending.kind === 'error') throw ending.error;
    body?.close?.();
    this.call.remember(ending.response);
    return ending.response;
  }

  private coverBody(ending: Ending): void {
    const { session, sleep } = this.call;
    if (session.settings.deadlineCovers === 'head') return;
    const answer = answerOf(ending);
    const deadline = this.deadline();
    if (answer === undefined || deadline === undefined) return;
    coverBody(answer, { ...deadline, abort: (reason) => this.last?.abort?.(reason) }, sleep);
  }

  // -------------------------------------------------------------- an attempt

  private async attempt(): Promise<Ending> {
    await this.admitted();
    await this.guarded(() => this.outgoing.prepare());
    const { config, sleep, method } = this.call;
    // axios's http sends what was aborted before.
    if (isCanceled(config)) this.cancel();
    const late = (response: ResponseShape): void => release(response, method, sleep);
    const limit = this.limit();
    this.last = limit;
    // A hook, a body or a busy process took longer than there was time.
    if (limit !== undefined && limit.ms <= 0) this.fail(limit.error());
    try {
      const response = await sendWithin(limit, config, () => this.call.send(), sleep, late);
      return { kind: 'response', response };
    } catch (error) {
      return { kind: 'error', error };
    }
  }

  /** The gate or the hold lets it through, or it is over. */
  private async admitted(): Promise<void> {
    const { session } = this.call;
    for (let admission = session.admit(); admission.kind !== 'go'; admission = session.admit()) {
      if (admission.kind === 'wait') await this.wait(admission.delayMs);
      else this.fail(refusalError(session, admission.reason, this.cause));
    }
    if (isCanceled(this.call.config)) this.cancel();
  }

  /** What ends the attempt: its own time, or what is left of the request's. */
  private limit(): Limit | undefined {
    const { session, config } = this.call;
    const { attemptTimeoutMs } = session.settings;
    const deadline = this.deadline();
    if (attemptTimeoutMs === undefined || (deadline !== undefined && deadline.ms <= attemptTimeoutMs)) {
      return deadline;
    }
    const error = (): Error => asAxiosError(new AttemptTimeoutError(attemptTimeoutMs), config);
    return { ms: attemptTimeoutMs, error };
  }

  private deadline(): Limit | undefined {
    const { session, config, line } = this.call;
    const { deadlineMs } = session.settings;
    if (deadlineMs === undefined) return undefined;
    const error = (): Error => asAxiosError(new DeadlineError(deadlineMs, this.cause), config);
    return { ms: session.deadlineAt - line.retrier.ports.now(), error };
  }

  // -------------------------------------------------------------- a decision

  /** Undefined: it needs none. */
  private async judge(ending: Ending): Promise<Decision | undefined> {
    const { call } = this;
    const { session, config, body } = call;
    if (ending.kind === 'response' && call.accepts(ending.response)) return undefined;
    const outcome = outcomeOf(ending, config, ({ status, headers }) =>
      bytesToRead(session.settings, call, status, headers as HeadersLike),
    );
    return this.guarded(async () => {
      try {
        const verdict = this.isFinal(ending) ? undefined : await this.verdictOn(ending, outcome);
        return session.next(outcome, { replayable: body?.isReplayable ?? true, verdict });
      } catch (error) {
        this.letGo(ending);
        throw error;
      }
    });
  }

  /** Nobody can change their mind about the caller's abort or the end of the request's time. */
  private isFinal(ending: Ending): boolean {
    return isCanceled(this.call.config) || (ending.kind === 'error' && ending.error instanceof DeadlineError);
  }

  private async verdictOn(ending: Ending, outcome: LiveOutcome): Promise<boolean | undefined> {
    const { call } = this;
    if (call.session.settings.retryIf === undefined) return undefined;
    const answer = answerOf(ending);
    const live = answer === undefined ? outcome : { ...outcome, body: () => parsedBody(answer, call.config) };
    const verdict = await this.inTime(verdictOn(call.session, live));
    if (isCanceled(call.config)) this.cancel();
    return verdict;
  }

  // -------------------------------------------------------------- a wait

  /** What ended so is not for the caller to see, but perhaps as the cause of what is. */
  private leave(ending: Ending): void {
    const { body, session } = this.call;
    const { deadlineMs, gate, hold } = session.settings;
    if (deadlineMs !== undefined || gate !== false || hold !== false) this.cause = { cause: causeOf(ending) };
    // It leads to the attempt's promise, and that to the answer.
    this.last = undefined;
    body?.leave?.();
    this.letGo(ending);
  }

  private async retry(decision: Retry): Promise<void> {
    await this.wait(decision.delayMs);
    // After the wait, so that a token that it gets is fresh.
    await this.guarded(() => this.outgoing.change(decision));
  }

  /** Nobody is going to read it. */
  private letGo(ending: Ending): void {
    const { method, sleep } = this.call;
    const answer = answerOf(ending);
    if (answer !== undefined) release(answer, method, sleep);
  }

  private async wait(delayMs: number): Promise<void> {
    const { config, sleep, session } = this.call;
    const isOver = await wait(delayMs, config, sleep, { unref: session.settings.unref });
    if (!isOver) this.cancel();
  }

  // -------------------------------------------------------------- the end

  /** The caller's own functions may think as long as they like; nobody waits for them longer than that. */
  private inTime<T>(work: T | PromiseLike<T>): T | Promise<T> {
    if (!isPromise(work)) return work;
    const { config, sleep } = this.call;
    const deadline = this.deadline();
    const over = (isTimeOver: boolean): Error =>
      isTimeOver && deadline !== undefined ? deadline.error() : new Canceled();
    return inTime(work, deadline?.ms, config, sleep, over);
  }

  /** Something of the caller's went wrong: a hook, a body, a schedule. It is the request's error. */
  private async guarded<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // Also of what is nothing, everybody is told.
      this.call.session.abandon(error ?? 'NonError');
      throw error;
    }
  }

  private fail(error: Error): never {
    this.call.session.abandon(error);
    throw asAxiosError(error, this.call.config);
  }

  /** axios makes its own CanceledError of whatever a request ends with that its caller has cancelled. */
  private cancel(): never {
    const canceled = new Canceled();
    this.call.session.abandon(canceled);
    throw canceled;
  }
}

class Canceled extends Error {
  override readonly name = 'CanceledError';
  readonly code = 'ERR_CANCELED';
}
