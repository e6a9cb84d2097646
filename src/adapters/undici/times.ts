/** The timers of a request that has time limits: its deadline, and the timeout of each attempt under way. */

import type { Ports } from '../../kernel/ports.js';
import type { Session } from '../../kernel/session.js';
import { type Cancel, type Judges, judging, type SleepOptions } from '../../kernel/sleep.js';
import type { Sending } from './sending.js';

/** The exchange that the timers end. */
interface TimedExchange {
  readonly session: Session;
  readonly ports: Ports;
  asCaller(work: () => void): void;
  expire(deadlineMs: number, stalledMs?: number): void;
  timeOut(sending: Sending, attemptTimeoutMs: number, stalledMs?: number): void;
}

export class LimitTimers {
  private readonly exchange: TimedExchange;
  private cancelDeadline: Cancel | undefined = undefined;
  /** Made for the first attempt that has a limit. */
  private attempts: Map<Sending, Cancel> | undefined = undefined;

  constructor(exchange: TimedExchange) {
    this.exchange = exchange;
  }

  /** The deadline runs through waits, too. If it stopped at the head, it starts again for resuming the body. */
  startDeadline(): void {
    const { exchange } = this;
    const { session, ports } = exchange;
    const { deadlineMs } = session.settings;
    if (deadlineMs === undefined || this.cancelDeadline !== undefined) return;
    const expire = (stalledMs?: number): void =>
      exchange.asCaller(() => exchange.expire(deadlineMs, stalledMs));
    this.cancelDeadline = ports.sleep(session.deadlineAt - ports.now(), expire, this.timerOptions('elapsed'));
  }

  /**
   * No attempt begins after the deadline, even if its timer is late because a hook, a body or a busy process took
   * longer than there was time.
   */
  enforceDeadline(): void {
    const { session, ports } = this.exchange;
    const { deadlineMs } = session.settings;
    if (deadlineMs !== undefined && session.deadlineAt <= ports.now()) this.exchange.expire(deadlineMs);
  }

  startAttempt(sending: Sending): void {
    const { attemptTimeoutMs } = this.exchange.session.settings;
    if (attemptTimeoutMs !== undefined) this.limit(sending, attemptTimeoutMs);
  }

  /**
   * An adaptive limit, unless less is left of the longest one. Once its time is over, the attempt may have to go on for
   * the rest of that.
   */
  limitLearnt(sending: Sending, ms: number, leftMs: number, mayTimeOut: () => boolean): void {
    if (ms >= leftMs) return;
    const { exchange } = this;
    const { attemptTimeoutMs = ms } = exchange.session.settings;
    const goOn = (): void =>
      this.limit(sending, leftMs - ms, (stalledMs) => exchange.timeOut(sending, attemptTimeoutMs, stalledMs));
    this.limit(sending, ms, (stalledMs) =>
      mayTimeOut() ? exchange.timeOut(sending, ms, stalledMs) : goOn(),
    );
  }

  private limit(
    sending: Sending,
    ms: number,
    expire = (stalledMs?: number): void => this.exchange.timeOut(sending, ms, stalledMs),
  ): void {
    const { exchange } = this;
    this.attempts ??= new Map();
    this.attempts.get(sending)?.();
    this.attempts.set(sending, exchange.ports.sleep(ms, expire, this.timerOptions('awake')));
  }

  /**
   * Timers keep the process alive unless `unref` is set: while a hook or a body of the caller's hangs, nothing else may
   * do so until the request fails.
   */
  private timerOptions(judges: Judges): SleepOptions {
    return judging(judges, this.exchange.session.settings.unref);
  }

  stopAttempt(sending: Sending): void {
    this.attempts?.get(sending)?.();
    this.attempts?.delete(sending);
  }

  /** The head has arrived. */
  stopAtHead(): void {
    if (this.exchange.session.settings.deadlineCovers === 'head') this.stop();
  }

  stop(): void {
    if (this.attempts !== undefined) {
      for (const sending of this.attempts.keys()) this.stopAttempt(sending);
    }
    this.cancelDeadline?.();
    this.cancelDeadline = undefined;
  }
}
