/**
 * The loop of retries, for clients that answer with a promise. A plain request whose first attempt succeeds does not
 * come here (`begin.ts`).
 */

import type { ClientOutcome } from '../../core/events.js';
import { isPromise } from '../../core/returned.js';
import type { Admission, Decision, Retry } from '../../core/types.js';
import { attemptHeaderOf } from '../../kernel/attempt-header.js';
import type { Session } from '../../kernel/session.js';
import { sleep as clock } from '../../kernel/sleep.js';
import type { Sleep } from '../../kernel/timers.js';
import { rememberOutermost } from '../outermost.js';
import type { DriverParts } from '../parts.js';
import type { Ending, Limit, Outgoing, PromiseExchange, RequestBody, Rest } from './exchange.js';
import { endedBy, type Judged, judged } from './judging.js';
import { AbortableAttempt, endingOf, failed, type Ruled } from './sending.js';
import { TimeLimits } from './times.js';
import { throwIfAborted, wait } from './wait.js';

/** A retry follows, or this is the end of the request. */
type Tried<Answer> = Retry | Ending<Answer>;

export class Loop<Answer> {
  private readonly exchange: PromiseExchange<Answer>;
  private readonly session: Session;
  private readonly outgoing: Outgoing<Answer>;
  /** The end of the first attempt, if it is over already. */
  private first: Ending<Answer> | undefined;
  /** What the first attempt was told when it asked for admission, if it has asked. */
  private asked: Admission | undefined;
  private readonly times: TimeLimits;
  /** Headers that the next attempt adds; undefined for the first attempt. */
  private extra: Readonly<Record<string, string>> | undefined = undefined;
  /** The ending that is being judged: if a function of the caller's fails meanwhile, it goes unread. */
  private undecided: Ending<Answer> | undefined = undefined;
  /** Whether the caller's abort ended the last attempt. */
  private endedByAbort = false;
  /** The last attempt, if it had a signal of its own. */
  private sending: AbortableAttempt<Answer> | undefined = undefined;
  /** What is left of the answer that the retry is for. */
  private left: Rest | undefined = undefined;

  constructor(exchange: PromiseExchange<Answer>, first?: Ending<Answer>, asked?: Admission) {
    this.exchange = exchange;
    this.session = exchange.session;
    this.times = new TimeLimits(exchange);
    this.outgoing = exchange.outgoing();
    this.first = first;
    this.asked = asked;
  }

  /** Begins with the first attempt, or with its end if that is known already. */
  run(): Promise<Answer> {
    return this.lastEnding().then(
      (ending) => this.handOver(this.finalEnding(ending)),
      (error: unknown) => this.handOver(this.failedEnding(error)),
    );
  }

  private async lastEnding(): Promise<Ending<Answer>> {
    for (;;) {
      // If there is nothing to wait for, the request is sent in the same turn, as the client itself would do.
      const admission = this.admitted();
      if (admission !== undefined) await admission;
      const tried = this.tryOnce();
      const result = isPromise(tried) ? await tried : tried;
      if ('kind' in result) return result;
      // A body that failed during the wait is still sent, because the client has its own error for it.
      await this.waitWith(this.times.sleep, result.delayMs, this.exchange.body);
      // The rest of the answer is still on its way: sent now, the retry would open another connection.
      if (result.delayMs === 0 && this.left?.isOver === false) await this.waitWith(clock, 1);
      this.left = undefined;
      const changed = this.change(result);
      if (changed !== undefined) await changed;
    }
  }

  /**
   * One attempt: a retry, or the end of the request. This is a function of its own because an async function that waits
   * keeps alive every variable it has ever set, and an answer keeps its connection's buffers: the function that waits for
   * the retry must never hold the answer.
   */
  private tryOnce(): Tried<Answer> | Promise<Tried<Answer>> {
    const { exchange, first } = this;
    this.first = undefined;
    if (first === undefined) return this.send().then((result) => this.endedWith(result));
    // What is known already was not accepted, unless the caller's abort came first.
    return exchange.isAborted ? this.endedWith(first) : this.judge(first);
  }

  private endedWith(result: Ending<Answer> | Ruled<Answer>): Tried<Answer> | Promise<Tried<Answer>> {
    if (result.kind === 'ruled') return this.obeyed(result.ending, result.outcome, result.decision);
    const isAccepted = result.kind === 'response' && this.exchange.accepts(result.response);
    return isAccepted ? result : this.judge(result);
  }

  private judge(ending: Ending<Answer>): Tried<Answer> | Promise<Tried<Answer>> {
    this.undecided = ending;
    const found = judged(ending, this.exchange, this.times);
    return isPromise<Judged>(found)
      ? found.then((known) => this.decide(ending, known))
      : this.decide(ending, found);
  }

  // -------------------------------------------------------------- an attempt

  /**
   * Waits until the limits let the attempt through; throws if one refuses it. Undefined: it may go at once.
   */
  private admitted(): Promise<void> | undefined {
    const admission = this.asked ?? this.session.admit();
    this.asked = undefined;
    if (admission.kind === 'go') return undefined;
    const { exchange, times } = this;
    const { admission: part } = exchange.parts as DriverParts;
    return part?.admittedAfter(admission, exchange, times, (sleep, ms) => this.waitWith(sleep, ms));
  }

  /** If nothing has to be asked or made before, the attempt is sent at once. */
  private send(): Promise<Ending<Answer> | Ruled<Answer>> {
    const { exchange, session } = this;
    throwIfAborted(exchange);
    const { credentials } = session;
    return exchange.body === undefined && credentials === undefined
      ? this.sendWith(undefined)
      : this.sendMade(credentials?.ask());
  }

  private async sendMade(asked: Promise<void> | undefined): Promise<Ending<Answer> | Ruled<Answer>> {
    const { exchange, times } = this;
    if (asked !== undefined) await times.inTime(asked);
    times.begin();
    try {
      const body = times.inTime(exchange.body?.next(), times.limit());
      return await this.sendWith(isPromise(body) ? await body : body);
    } catch (error) {
      // Making the body counts as part of the attempt, and of its time.
      if (times.timedOut !== undefined && error === times.timedOut)
        return { kind: 'error', error, unasked: true };
      throw error;
    }
  }

  private sendWith(body: unknown): Promise<Ending<Answer> | Ruled<Answer>> {
    const { exchange, outgoing, times } = this;
    outgoing.prepare(body, this.extra);
    // Some clients send a request that was aborted before.
    throwIfAborted(exchange);
    const limit = times.limit();
    // A hook, a body or a busy process has used up the time.
    if (limit !== undefined && limit.ms <= 0) throw limit.error();
    const { learning } = exchange.parts as DriverParts;
    if (learning !== undefined && this.session.tail !== undefined) return this.sendLearning(learning, limit);
    this.sending = undefined;
    if (limit === undefined) return endingOf(exchange);
    this.sending = new AbortableAttempt(exchange, times);
    return this.sending.run(limit);
  }

  private async sendLearning(
    { send }: NonNullable<DriverParts['learning']>,
    limit: Limit | undefined,
  ): Promise<Ending<Answer> | Ruled<Answer>> {
    const { result, sending } = await send(this.exchange, this.outgoing, this.times, limit);
    this.sending = sending;
    return result;
  }

  // -------------------------------------------------------------- a decision

  private decide(ending: Ending<Answer>, { outcome, prospects }: Judged): Tried<Answer> {
    const decision = this.session.next(outcome, prospects);
    this.undecided = undefined;
    return this.obeyed(ending, outcome, decision);
  }

  /** It is decided which ending counts and what follows; if two attempts were out, perhaps without an outcome. */
  private obeyed(
    ending: Ending<Answer>,
    outcome: ClientOutcome | undefined,
    decision: Decision | undefined,
  ): Tried<Answer> {
    this.endedByAbort = outcome !== undefined && isAborted(outcome);
    if (decision?.action !== 'retry' || outcome === undefined) return ending;
    this.leave(ending, outcome);
    return decision;
  }

  // -------------------------------------------------------------- a retry

  /** A retry follows, so the caller will not see this ending, except perhaps as the cause of a later error. */
  private leave(ending: Ending<Answer>, outcome: ClientOutcome): void {
    const { exchange } = this;
    this.times.keepAsCause(ending, outcome);
    // Listeners of its signal may hold on to the answer.
    this.sending = undefined;
    exchange.body?.leave?.();
    this.left = exchange.release(ending);
  }

  /** Runs after the wait, so that a token which `beforeRetry` fetches is fresh. */
  private change(decision: Retry): Promise<void> | undefined {
    const { outgoing, session, times } = this;
    const { beforeRetry, attemptHeader } = session.settings;
    this.extra = attemptHeaderOf(attemptHeader, session.attempt - 1);
    if (beforeRetry === undefined) return undefined;
    const { hooks } = this.exchange.parts as DriverParts;
    return hooks?.askBeforeRetry(session, decision, outgoing, (work) => times.inTime(work));
  }

  private waitWith(sleep: Sleep, delayMs: number, body?: RequestBody): Promise<void> {
    const { exchange, session } = this;
    return wait(delayMs, exchange, sleep, { unref: session.settings.unref }, body);
  }

  // -------------------------------------------------------------- the end

  private handOver(ending: Ending<Answer>): Answer {
    if (this.session.awaitsBody) tellBodyEnd(this.exchange, ending);
    this.outgoing.close(ending);
    rememberOutermost(ending.kind === 'error' ? ending.error : ending.response, this.session);
    if (ending.kind === 'error') throw ending.error;
    return ending.response;
  }

  /** A caller who has aborted gets the abort error, not the answer or an earlier error. */
  private finalEnding(ending: Ending<Answer>): Ending<Answer> {
    const { exchange } = this;
    if (exchange.isAborted) {
      exchange.release(ending);
      const isTheCallers = this.endedByAbort && ending.kind === 'error';
      return isTheCallers ? ending : failed(exchange.abortError());
    }
    const deadline = this.session.settings.deadlineCovers === 'body' ? this.times.deadline() : undefined;
    if (deadline !== undefined) {
      exchange.coverBody(ending, { ...deadline, abort: (reason) => this.sending?.abort(reason) });
    }
    return ending;
  }

  /** The request ends with an error of our own, or with one from the caller's code: a hook, a body, a schedule. */
  private failedEnding(given: unknown): Ending<Answer> {
    const { exchange, undecided } = this;
    let error = given;
    try {
      if (undecided !== undefined) {
        exchange.release(undecided);
        error = endedBy(given, exchange);
      }
    } catch (another) {
      // A mock may give an answer that cannot be released.
      error = another;
    }
    // Listeners hear about the end even if `undefined` was thrown.
    this.session.abandon(error ?? 'NonError');
    return failed(error);
  }
}

/** A function of its own: its closure must not lead to the answer, which can be collected while the body is watched. */
export function tellBodyEnd<Answer>(exchange: PromiseExchange<Answer>, ending: Ending<Answer>): void {
  const { session } = exchange;
  exchange.whenBodyEnds(ending, () => session.bodyEnded());
}

function isAborted(outcome: ClientOutcome): boolean {
  return outcome.kind === 'error' && outcome.aborted === true;
}
