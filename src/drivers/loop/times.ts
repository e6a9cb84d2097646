/** The time limits of a request and its attempts, and the errors when a time is over. */

import { AttemptTimeoutError, DeadlineError } from '../../core/errors.js';
import type { ClientOutcome } from '../../core/events.js';
import { isPromise } from '../../core/returned.js';
import type { Session } from '../../kernel/session.js';
import { type Cancel, type Judges, judging, type Sleep, type SleepOptions } from '../../kernel/timers.js';
import { causeOf } from '../cause.js';
import type { SharesTimers } from '../node.js';
import type { Ending, Limit, PromiseExchange } from './exchange.js';
import { inTime } from './wait.js';

const none: ErrorOptions = {};

export class TimeLimits {
  /** The last real outcome, as the `cause` of an error of our own. */
  cause: ErrorOptions = none;
  /** The error of the last attempt that timed out. */
  timedOut: Error | undefined = undefined;
  /** Monotonic time at which the attempt began to make its body; undefined without a body or an attempt timeout. */
  private bodySince: number | undefined = undefined;
  private readonly exchange: PromiseExchange<unknown>;
  private readonly session: Session;

  constructor(exchange: PromiseExchange<unknown>) {
    this.exchange = exchange;
    this.session = exchange.session;
  }

  /** The caller may not see this ending, except as the cause of an error of our own. */
  keepAsCause(ending: Ending<unknown>, outcome: ClientOutcome): void {
    const { deadlineMs, needsAdmission } = this.session.settings;
    if (deadlineMs === undefined && !needsAdmission) return;
    const isAnswer = ending.kind === 'response';
    this.cause = isAnswer ? causeOf(outcome) : { cause: this.exchange.lightened(ending.error) };
  }

  /** An attempt begins, with making its body if it has one. */
  begin(): void {
    const isTimed = this.session.settings.attemptTimeoutMs !== undefined && this.exchange.body !== undefined;
    this.bodySince = isTimed ? this.now() : undefined;
  }

  /** What ends the attempt first: its own timeout, or the request's deadline. */
  limit(): Limit | undefined {
    const { attemptTimeoutMs } = this.session.settings;
    const { leftMs } = this;
    if (attemptTimeoutMs === undefined) return this.deadline(leftMs);
    const ms = attemptTimeoutMs - (this.bodySince === undefined ? 0 : this.now() - this.bodySince);
    return leftMs <= ms ? this.deadline(leftMs) : this.timeout(attemptTimeoutMs, ms);
  }

  /** An attempt timeout, of which `ms` are left. */
  timeout(attemptTimeoutMs: number, ms: number = attemptTimeoutMs): Limit {
    const error = (stalledMs?: number): Error => {
      this.timedOut = this.exchange.ownError(new AttemptTimeoutError(attemptTimeoutMs, { stalledMs }));
      return this.timedOut;
    };
    return { ms, judges: 'awake', error };
  }

  deadline(ms: number = this.leftMs): Limit | undefined {
    const { deadlineMs } = this.session.settings;
    if (deadlineMs === undefined) return undefined;
    const error = (stalledMs?: number): Error => {
      this.session.expire();
      return this.exchange.ownError(new DeadlineError(deadlineMs, { ...this.cause, stalledMs }));
    };
    return { ms, judges: 'elapsed', error };
  }

  /** What is left of the deadline: all of it, unless it counts already. It does from the first timer on. */
  private get leftMs(): number {
    const { session } = this;
    const { deadlineMs } = session.settings;
    if (deadlineMs === undefined) return Infinity;
    return session.hasBegun ? session.deadlineAt - this.now() : deadlineMs;
  }

  /** Waits for a function of the caller, but only until the caller aborts or the time is over. */
  inTime<T>(work: T | PromiseLike<T>, limit: Limit | undefined = this.deadline()): T | Promise<T> {
    if (!isPromise<T>(work)) return work;
    const { exchange, session } = this;
    session.begin();
    const over = (isTimeOver: boolean): unknown =>
      isTimeOver && limit !== undefined ? limit.error() : exchange.abortError();
    return inTime(work, limit?.ms, exchange, this.sleep, this.timerOptions(limit?.judges ?? 'elapsed'), over);
  }

  /** A timer for what most attempts end before. */
  start({ ms, judges }: Limit, over: (stalledMs?: number) => void): Cancel {
    const { session, sleep } = this;
    const parts: object = this.exchange.parts;
    const { node } = parts as { readonly node?: SharesTimers };
    const options = this.timerOptions(judges);
    const shared = node?.sharing(sleep, session.scope.ports.now);
    if (shared !== undefined) return shared(ms, over, options, session);
    session.begin();
    return sleep(ms, over, options);
  }

  /**
   * Options of the timers that only enforce limits. With `unref: true`, they must not keep the process alive if a hook
   * or a body of the caller hangs.
   */
  private timerOptions(judges: Judges): SleepOptions {
    return judging(judges, this.session.settings.unref);
  }

  get sleep(): Sleep {
    return this.session.scope.ports.sleep;
  }

  private now(): number {
    return this.session.scope.ports.now();
  }
}
