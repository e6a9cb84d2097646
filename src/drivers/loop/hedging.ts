/**
 * Sends attempts that learn how long an answer takes: if it is late by that, the attempt is ended, or a second one, a
 * hedge, is sent beside it. Whatever becomes of the two, the loop gets one ending.
 */

import type { ClientOutcome } from '../../core/events.js';
import type { Decision } from '../../core/types.js';
import { attemptHeaderOf } from '../../kernel/attempt-header.js';
import type { Ruling, SessionTail } from '../../kernel/session.js';
import { type Cancel, judging } from '../../kernel/timers.js';
import { free, keep } from '../body/web-stream.js';
import type { Ending, Limit, Outgoing, PromiseExchange } from './exchange.js';
import { endedBy, type Judged, judged } from './judging.js';
import { AbortableAttempt, endingOf, type Ruled } from './sending.js';
import { isStatus } from './status.js';
import type { TimeLimits } from './times.js';

/** An attempt is over. Unless two were out at the same time, its ending has not been judged yet. */
export interface Over<Answer> {
  readonly result: Ending<Answer> | Ruled<Answer>;
  /** Undefined: it was sent as it is. */
  readonly sending: AbortableAttempt<Answer> | undefined;
}

/** Sends an attempt that others learn from: it may be hedged, and its time limit may be adaptive. */
export async function sendLearning<Answer>(
  exchange: PromiseExchange<Answer>,
  outgoing: Outgoing<Answer>,
  times: TimeLimits,
  given: Limit | undefined,
): Promise<Over<Answer>> {
  const { body, isSendableTwice, session } = exchange;
  const { tail } = session;
  if (tail === undefined) return sendAlone(exchange, times, given);
  tail.sent(session.attempt);
  const hedgeAfterMs = tail.hedgeAfterMs(isSendableTwice);
  const limit = learntLimit(times, tail, given, isSendableTwice || body?.isMade === true);
  if (hedgeAfterMs === undefined) return sendAlone(exchange, times, limit);
  return new HedgedAttempt(exchange, outgoing, tail, times).run(hedgeAfterMs, limit);
}

/**
 * The adaptive time limit of an attempt, which counts from the sending. `limit` applies if it is sooner, and if the
 * attempt must not end when the learnt time is up.
 */
function learntLimit(
  times: TimeLimits,
  tail: SessionTail,
  limit: Limit | undefined,
  isSendable: boolean,
): Limit | undefined {
  const learntMs = tail.timeoutMs(isSendable);
  if (limit === undefined || learntMs === undefined || learntMs >= limit.ms) return limit;
  const next = (): Limit | undefined => {
    if (tail.mayTimeOut()) return undefined;
    const rest = { ...limit, ms: limit.ms - learntMs };
    const deadline = times.deadline();
    return deadline !== undefined && deadline.ms <= rest.ms ? deadline : rest;
  };
  return { ...times.timeout(learntMs), next };
}

async function sendAlone<Answer>(
  exchange: PromiseExchange<Answer>,
  times: TimeLimits,
  limit: Limit | undefined,
): Promise<Over<Answer>> {
  if (limit === undefined) return { result: await endingOf(exchange), sending: undefined };
  const sending = new AbortableAttempt(exchange, times);
  return { result: await sending.run(limit), sending };
}

/** An attempt that may be left for the other one. */
class LeavableAttempt<Answer> extends AbortableAttempt<Answer> {
  /** Hears an ending that comes after the attempt was left. */
  private late: ((ending: Ending<Answer>) => void) | undefined = undefined;

  /** The attempt goes on, but its answer will be released, and no abort or time limit applies to it. */
  leave(late: (ending: Ending<Answer>) => void): void {
    this.cancel?.();
    this.ended = undefined;
    this.unfollow();
    this.late = late;
  }

  protected override came(ending: Ending<Answer>): void {
    super.came(ending);
    this.late?.(ending);
  }
}

/** One of the two attempts. */
interface Side<Answer> {
  readonly attempt: number;
  readonly sending: LeavableAttempt<Answer>;
  /** What the client gave, until it is handed over or released. */
  kept: Ending<Answer> | undefined;
  outcome: ClientOutcome | undefined;
  isOut: boolean;
}

interface Settle<Answer> {
  resolve(over: Over<Answer>): void;
  reject(error: unknown): void;
}

class HedgedAttempt<Answer> {
  private readonly exchange: PromiseExchange<Answer>;
  private readonly outgoing: Outgoing<Answer>;
  private readonly tail: SessionTail;
  private readonly times: TimeLimits;
  private sides: Side<Answer>[] = [];
  private hedgeAfterMs = 0;
  private cancelHedge: Cancel = () => undefined;
  private cancelKeeping: Cancel = () => undefined;
  private isOver = false;
  /** Undefined once the loop has its ending: they lead to it, and the loser, which may still be out, leads to them. */
  private settle: Settle<Answer> | undefined = undefined;

  constructor(
    exchange: PromiseExchange<Answer>,
    outgoing: Outgoing<Answer>,
    tail: SessionTail,
    times: TimeLimits,
  ) {
    this.exchange = exchange;
    this.outgoing = outgoing;
    this.tail = tail;
    this.times = times;
  }

  /** Sends the attempt that was prepared, and the hedge after that time. */
  run(hedgeAfterMs: number, limit: Limit | undefined): Promise<Over<Answer>> {
    this.hedgeAfterMs = hedgeAfterMs;
    return new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
      // The attempt itself keeps the process alive, if anything does.
      this.cancelHedge = this.times.sleep(hedgeAfterMs, () => this.hedge(), judging('awake', true));
      this.send(this.exchange.session.attempt, limit, undefined);
    });
  }

  private send(
    attempt: number,
    limit: Limit | undefined,
    extra: Readonly<Record<string, string>> | undefined,
  ): void {
    const { exchange, outgoing, times } = this;
    const sending = new LeavableAttempt<Answer>(exchange, times);
    const side: Side<Answer> = { attempt, sending, kept: undefined, outcome: undefined, isOut: true };
    this.sides.push(side);
    sending.start(
      { send: () => outgoing.sendApart(sending.signal, extra) },
      limit,
      (ending) => void this.ended(side, ending),
    );
  }

  private hedge(): void {
    const { exchange, tail, times } = this;
    const deadline = times.deadline();
    if (exchange.isAborted || (deadline !== undefined && deadline.ms <= 0)) return;
    const attempt = tail.hedge();
    if (attempt === undefined) return;
    tail.sent(attempt);
    // A listener has aborted the request.
    if (this.isOver) {
      tail.withdraw();
      return;
    }
    const { attemptHeader } = exchange.session.settings;
    const limit = learntLimit(times, tail, times.limit(), true);
    this.send(attempt, limit, attemptHeaderOf(attemptHeader, attempt - 1));
  }

  // -------------------------------------------------------------- an attempt has ended

  private async ended(side: Side<Answer>, ending: Ending<Answer>): Promise<void> {
    side.isOut = false;
    if (this.sides.length === 1) {
      this.end(side, false)?.resolve({ sending: side.sending, result: ending });
      return;
    }
    try {
      if (ending.kind === 'response' && !isStatus(this.exchange.statusOf(ending.response))) {
        this.exchange.session.abandon(0);
        side.kept = ending;
        this.handOver(side, undefined, true);
        return;
      }
      const judgedEnding = await judged(ending, this.exchange, this.times, side.attempt);
      if (this.isOver) this.exchange.release(ending);
      else this.rule(side, ending, judgedEnding);
    } catch (error) {
      this.exchange.release(ending);
      if (!this.isOver) this.fail(side, error);
    }
  }

  private rule(side: Side<Answer>, ending: Ending<Answer>, { outcome, prospects, isFinal }: Judged): void {
    const { exchange, tail } = this;
    const ruling: Ruling = isFinal
      ? { kind: 'decided', attempt: side.attempt, decision: exchange.session.next(outcome, prospects) }
      : tail.ended(side.attempt, outcome, prospects);
    side.kept = ending;
    side.outcome = outcome;
    if (ruling.kind === 'pending') {
      this.times.keepAsCause(ending, outcome);
      this.keep(side, ending);
      return;
    }
    const { attempt, decision } = ruling;
    const chosen = this.sides.find((each) => each.attempt === attempt);
    this.handOver(chosen?.kept === undefined ? side : chosen, decision, isFinal);
  }

  /**
   * An answer that is not read occupies its connection, which may be the very one that the other attempt waits for. So
   * it is kept only for as long as a hedge waits: an attempt that is on the wire has usually been answered by then. If
   * both have failed in the end, the caller gets the later ending.
   */
  private keep(side: Side<Answer>, ending: Ending<Answer>): void {
    const { exchange, times } = this;
    const body = exchange.unread(ending);
    if (body === undefined) return;
    keep(body);
    const release = (): void => {
      free(body);
      side.kept = undefined;
      exchange.release(ending);
    };
    const cancel = times.sleep(this.hedgeAfterMs, release, judging('awake', true));
    this.cancelKeeping = () => {
      cancel();
      free(body);
    };
  }

  private handOver(chosen: Side<Answer>, decision: Decision | undefined, isFinal: boolean): void {
    const { sending, kept, outcome } = chosen;
    const settle = this.end(chosen, isFinal);
    if (kept !== undefined)
      settle?.resolve({ sending, result: { kind: 'ruled', ending: kept, outcome, decision } });
  }

  /** A function of the caller failed, so the request fails with its error. */
  private fail(side: Side<Answer>, error: unknown): void {
    const settle = this.end(side, true);
    try {
      settle?.reject(endedBy(error, this.exchange));
    } catch (another) {
      settle?.reject(another);
    }
  }

  private end(chosen: Side<Answer>, isFinal: boolean): Settle<Answer> | undefined {
    const { settle, sides } = this;
    this.isOver = true;
    this.cancelHedge();
    this.cancelKeeping();
    this.settle = undefined;
    this.sides = [];
    const other = sides.find((side) => side !== chosen);
    if (other !== undefined) this.drop(other, isFinal);
    return settle;
  }

  /** If the attempt is still being judged, its answer is released after that. */
  private drop(other: Side<Answer>, isFinal: boolean): void {
    if (other.kept !== undefined) this.exchange.release(other.kept);
    else if (isFinal) this.cut(other);
    else if (other.isOut) this.leaveLoser(other);
    else this.tail.loserGone(other.attempt, false);
  }

  /** It may run on for a while, so that its connection can be used again. */
  private leaveLoser(loser: Side<Answer>): void {
    const { tail, times } = this;
    const { attempt } = loser;
    const ms = tail.leaveLoser(attempt);
    if (ms === 0) {
      this.cut(loser);
      return;
    }
    const cutLate = (): void => {
      this.cut(loser);
      tail.loserGone(attempt, false);
    };
    const cancel = times.sleep(ms, cutLate, judging('awake', true));
    loser.sending.leave((late) => {
      cancel();
      tail.loserGone(attempt, this.isWhole(late));
    });
    // What follows its head is not waited for.
    this.exchange.letGo?.(loser.sending);
  }

  private cut({ sending }: Side<Answer>): void {
    sending.leave(() => undefined);
    this.exchange.breakOff(() => sending.abort());
  }

  /** Whether the answer would have needed no retry. */
  private isWhole(ending: Ending<Answer>): boolean {
    if (ending.kind === 'error') return false;
    const status = this.exchange.statusOf(ending.response);
    return isStatus(status) && !this.exchange.session.settings.statuses.retried.has(status);
  }
}
