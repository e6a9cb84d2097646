/** The time limits of a request: its deadline, and the timeout of each attempt under way. */

import type { Ports } from '../../kernel/ports.js';
import type { Session } from '../../kernel/session.js';
import { isReal } from '../../kernel/sleep.js';
import { setLimit, TimeLimit } from '../../kernel/time-limits.js';
import { type AwaitsTurn, atEndOfTurn, endOfTurn, leaveTurn } from '../../kernel/turn.js';
import type { Sending } from './sending.js';

/** The exchange that the limits end. */
interface TimedExchange {
  readonly session: Session;
  readonly ports: Ports;
  asCaller(work: () => void): void;
  expire(deadlineMs: number, stalledMs?: number): void;
  timeOut(sending: Sending, attemptTimeoutMs: number, stalledMs?: number): void;
}

/**
 * Limits keep the process alive unless `unref` is set: while a hook or a body of the caller's hangs, nothing else may do
 * so until the request fails. They begin to count at the end of the turn: what is over by then needs none.
 */
export class LimitTimers implements AwaitsTurn {
  /** So does the deadline, unless it is running. */
  awaitsTurn = false;
  private readonly exchange: TimedExchange;
  /** The attempt that was sent in this turn. */
  private sent: Sending | undefined = undefined;
  private deadline: Deadline | undefined = undefined;
  private first: AttemptLimit | undefined = undefined;
  /** While a hedge is out beside the first. */
  private second: AttemptLimit | undefined = undefined;

  constructor(exchange: TimedExchange) {
    this.exchange = exchange;
  }

  /** The deadline runs through waits, too. If it stopped at the head, it starts again for resuming the body. */
  startDeadline(): void {
    const { session, ports } = this.exchange;
    const { deadlineMs } = session.settings;
    if (deadlineMs === undefined || this.deadline?.running !== undefined) return;
    if (isReal(ports.sleep)) {
      this.awaitTurn();
      return;
    }
    const leftMs = session.hasBegun ? session.deadlineAt - ports.now() : deadlineMs;
    session.begin();
    this.setDeadline(deadlineMs, leftMs);
  }

  private awaitTurn(): void {
    if (!this.awaitsTurn) atEndOfTurn(this);
  }

  turnEnds(): void {
    const { exchange, sent, deadline } = this;
    const { session, ports } = exchange;
    const { attemptTimeoutMs, deadlineMs } = session.settings;
    this.sent = undefined;
    if (sent !== undefined && attemptTimeoutMs !== undefined) this.limit(sent, attemptTimeoutMs, 0);
    if (deadlineMs === undefined || deadline?.running !== undefined) return;
    this.setDeadline(deadlineMs, deadline === undefined ? deadlineMs : session.deadlineAt - ports.now());
    session.begin(endOfTurn());
  }

  private setDeadline(deadlineMs: number, leftMs: number): void {
    const { session, ports } = this.exchange;
    this.deadline ??= new Deadline(this.exchange, deadlineMs);
    this.deadline.lastsMs = leftMs;
    setLimit(this.deadline, ports, 'elapsed', session.settings.unref);
  }

  /**
   * No attempt begins after the deadline, even if its timer is late because a hook, a body or a busy process took
   * longer than there was time.
   */
  enforceDeadline(): void {
    const { session, ports } = this.exchange;
    const { deadlineMs } = session.settings;
    if (deadlineMs === undefined || (this.awaitsTurn && this.deadline === undefined)) return;
    if (session.deadlineAt <= ports.now()) this.exchange.expire(deadlineMs);
  }

  startAttempt(sending: Sending): void {
    const { session, ports } = this.exchange;
    const { attemptTimeoutMs } = session.settings;
    if (attemptTimeoutMs === undefined) return;
    if (this.sent === undefined && (this.awaitsTurn || isReal(ports.sleep))) {
      this.sent = sending;
      this.awaitTurn();
    } else this.limit(sending, attemptTimeoutMs, 0);
  }

  /** At the end of the turn, it will get a limit that was learnt. */
  leaveToLearnt(sending: Sending): void {
    if (this.sent === sending) this.sent = undefined;
  }

  /**
   * An adaptive limit, unless less is left of the longest one. Once its time is over, the attempt may have to go on for
   * the rest of that.
   */
  limitLearnt(sending: Sending, ms: number | undefined, leftMs: number): void {
    if (ms !== undefined && ms < leftMs) {
      this.leaveToLearnt(sending);
      this.limit(sending, ms, leftMs - ms);
    } else if (!this.isLimited(sending)) this.limit(sending, leftMs, 0);
  }

  private isLimited(sending: Sending): boolean {
    return (
      this.sent === sending ||
      [this.first, this.second].some((limit) => limit?.sending === sending && limit.running !== undefined)
    );
  }

  private limit(sending: Sending, ms: number, restMs: number): void {
    const { session, ports } = this.exchange;
    const limit = this.limitOf(sending);
    limit.sending = sending;
    limit.stop();
    limit.lastsMs = ms;
    limit.restMs = restMs;
    setLimit(limit, ports, 'awake', session.settings.unref);
  }

  private limitOf(sending: Sending): AttemptLimit {
    const { exchange, first, second } = this;
    if (second?.sending === sending) return second;
    if (first !== undefined && first.running !== undefined && first.sending !== sending) {
      this.second ??= new AttemptLimit(exchange, sending);
      return this.second;
    }
    this.first ??= new AttemptLimit(exchange, sending);
    return this.first;
  }

  stopAttempt(sending: Sending): void {
    if (this.sent === sending) this.sent = undefined;
    else if (this.first?.sending === sending) this.first.stop();
    else if (this.second?.sending === sending) this.second.stop();
  }

  /** The head has arrived. */
  stopAtHead(): void {
    if (this.exchange.session.settings.deadlineCovers === 'head') this.stop();
  }

  stop(): void {
    this.sent = undefined;
    if (this.awaitsTurn) leaveTurn(this);
    this.first?.stop();
    this.second?.stop();
    this.deadline?.stop();
  }
}

class Deadline extends TimeLimit {
  /** What is left of it when it is set. */
  lastsMs: number;
  private readonly exchange: TimedExchange;
  private readonly deadlineMs: number;

  constructor(exchange: TimedExchange, deadlineMs: number) {
    super();
    this.exchange = exchange;
    this.deadlineMs = deadlineMs;
    this.lastsMs = deadlineMs;
  }

  over(stalledMs: number): void {
    const { exchange, deadlineMs } = this;
    exchange.asCaller(() => exchange.expire(deadlineMs, stalledMs));
  }
}

class AttemptLimit extends TimeLimit {
  sending: Sending;
  lastsMs = 0;
  /** What is left of the longest limit when this one is over; 0: this is the longest. */
  restMs = 0;
  private readonly exchange: TimedExchange;

  constructor(exchange: TimedExchange, sending: Sending) {
    super();
    this.exchange = exchange;
    this.sending = sending;
  }

  over(stalledMs: number): void {
    const { exchange, sending, restMs, lastsMs } = this;
    const { session, ports } = exchange;
    const { attemptTimeoutMs = lastsMs, unref } = session.settings;
    const isLearnt = restMs > 0;
    if (isLearnt && session.tail?.mayTimeOut() === false) {
      this.lastsMs = restMs;
      this.restMs = 0;
      setLimit(this, ports, 'awake', unref);
    } else exchange.timeOut(sending, isLearnt ? lastsMs : attemptTimeoutMs, stalledMs);
  }
}
