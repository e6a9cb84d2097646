/**
 * The adapter of a simulated network: it uses every session as the adapters of real clients do. It asks for admission,
 * sends, waits, hands over the outcome, and follows the decision.
 */

import type { ErrorOutcome, Prospects, ResponseOutcome } from '../../index.js';
import { AttemptTimeoutError, DeadlineError } from '../../index.js';
import type { Agenda, Handler } from './agenda.js';
import type { Caller } from './exchange.js';
import { Exchange } from './exchange.js';
import type { Luck } from './luck.js';
import type { Ending } from './tally.js';
import type { Trace } from './trace.js';

const attemptTimedOut: ErrorOutcome = { kind: 'error', error: new AttemptTimeoutError(0), aborted: false };
const deadlinePassed: ErrorOutcome = { kind: 'error', error: new DeadlineError(0), aborted: false };
/** No request here has a body that can be sent only once. */
const sendable: Prospects = { replayable: true };
const abort = { name: 'AbortError', code: 'ABORT_ERR' } as const;

/** The mark of no exchange. */
const over = 0;

export class Traffic {
  private readonly agenda: Agenda;
  private readonly trace: Trace | undefined;
  private readonly exchanges: Exchange[] = [];
  private readonly free: number[] = [];
  private turns = 0;

  constructor(agenda: Agenda, trace: Trace | undefined) {
    this.agenda = agenda;
    this.trace = trace;
  }

  private readonly waking: Handler = (slot, turn) => {
    const exchange = this.exchanges[slot] as Exchange;
    if (exchange.turn === turn) this.proceed(exchange);
  };

  private readonly timingOut: Handler = (slot, turn) => {
    const exchange = this.exchanges[slot] as Exchange;
    if (exchange.turn === turn) this.timeOut(exchange);
  };

  private readonly leaving: Handler = (slot, mark) => {
    const exchange = this.exchanges[slot] as Exchange;
    if (exchange.mark === mark) this.leave(exchange);
  };

  start(caller: Caller, by: number, thoughtMs: number, luck: Luck): void {
    const process = by % caller.strategies.length;
    const strategy = caller.strategies[process] as Caller['strategies'][number];
    const { now } = this.agenda;
    const slot = this.free.pop() ?? this.exchanges.length;
    const turn = this.nextTurn();
    const route = caller.routeFor(luck);
    const pursuit = strategy.open(route.facts, thoughtMs, caller.override);
    const exchange = new Exchange(caller, by, luck, { slot, turn, process, route, pursuit, startedAt: now });
    this.exchanges[slot] = exchange;
    route.tally.count(route.tally.offered, now);
    const leavesAt = now + patienceOf(exchange);
    if (leavesAt < Number.POSITIVE_INFINITY) this.agenda.at(leavesAt, this.leaving, slot, turn);
    this.proceed(exchange);
  }

  /** An answer to an attempt that is over is ignored. */
  answered(exchange: Exchange, turn: number, outcome: ResponseOutcome | ErrorOutcome): void {
    if (exchange.turn !== turn) return;
    this.trace?.(this.agenda.now, exchange, outcome);
    exchange.turn = this.nextTurn();
    if (outcome.kind === 'response') {
      if (exchange.pursuit.acceptAtOnce(outcome.status)) {
        this.end(exchange, 'good');
        return;
      }
      this.heed(exchange, outcome);
    }
    this.judge(exchange, outcome);
  }

  // -------------------------------------------------------------- an attempt

  private proceed(exchange: Exchange): void {
    const admission = exchange.pursuit.admit();
    if (admission.kind === 'go') this.send(exchange);
    else if (admission.kind === 'wait') this.wait(exchange, admission.delayMs);
    else {
      this.trace?.(this.agenda.now, exchange, admission.reason);
      exchange.pursuit.abandon();
      this.end(exchange, 'refused');
    }
  }

  private send(exchange: Exchange): void {
    const { caller, route } = exchange;
    const { tally } = route;
    const { now } = this.agenda;
    tally.count(exchange.attempts === 0 ? tally.firstTries : tally.retries, now);
    if (now < exchange.mayRetryAt) tally.earlyRetries += 1;
    if (now < (caller.forbiddenUntil[exchange.process] as number)) tally.count(tally.forbidden, now);
    exchange.attempts += 1;
    exchange.turn = this.nextTurn();
    this.limit(exchange);
    this.trace?.(now, exchange, 'sent');
    caller.station.receive(exchange);
  }

  /** An attempt ends at its own timeout, or at the deadline of its request. */
  private limit(exchange: Exchange): void {
    const { agenda } = this;
    const limitMs = Math.min(timeoutOf(exchange), exchange.pursuit.deadlineAt - agenda.now);
    if (limitMs < Number.POSITIVE_INFINITY)
      agenda.at(agenda.now + limitMs, this.timingOut, exchange.slot, exchange.turn);
  }

  private timeOut(exchange: Exchange): void {
    const { now } = this.agenda;
    const { tally } = exchange.route;
    tally.count(tally.timedOut, now);
    const isLate = now >= exchange.pursuit.deadlineAt;
    this.answered(exchange, exchange.turn, isLate ? deadlinePassed : attemptTimedOut);
  }

  /** The caller leaves, whether or not an attempt is in progress. */
  private leave(exchange: Exchange): void {
    exchange.pursuit.abandon(abort);
    this.end(exchange, 'aborted');
  }

  // -------------------------------------------------------------- a decision

  private judge(exchange: Exchange, outcome: ResponseOutcome | ErrorOutcome): void {
    const decision = exchange.pursuit.next(outcome, sendable);
    if (decision.action === 'retry') this.wait(exchange, decision.delayMs);
    else this.end(exchange, outcome.kind === 'response' && outcome.status < 400 ? 'good' : 'failed');
  }

  private wait(exchange: Exchange, delayMs: number): void {
    exchange.turn = this.nextTurn();
    this.agenda.at(this.agenda.now + delayMs, this.waking, exchange.slot, exchange.turn);
  }

  /** Remembers what the server asked for, to count the attempts that ignore it. */
  private heed(exchange: Exchange, { headers }: ResponseOutcome): void {
    const seconds = (headers as Readonly<Record<string, string>> | undefined)?.['retry-after'];
    if (seconds === undefined) return;
    const until = this.agenda.now + Number(seconds) * 1_000;
    const { forbiddenUntil } = exchange.caller;
    exchange.mayRetryAt = until;
    forbiddenUntil[exchange.process] = Math.max(until, forbiddenUntil[exchange.process] as number);
  }

  private end(exchange: Exchange, ending: Ending): void {
    const { caller, startedAt } = exchange;
    const { now } = this.agenda;
    this.trace?.(now, exchange, ending);
    exchange.route.tally.settle(ending, now, now - startedAt, exchange.by);
    exchange.mark = over;
    exchange.turn = this.nextTurn();
    this.free.push(exchange.slot);
    caller.ended(exchange, ending);
  }

  private nextTurn(): number {
    this.turns = (this.turns + 1) | 0;
    if (this.turns === over) this.turns = 1;
    return this.turns;
  }
}

/** A client that cannot tell its retry layer the deadline leaves at the deadline. */
function patienceOf({ caller, luck, pursuit }: Exchange): number {
  const patienceMs = caller.patienceFor(luck);
  const deadlineMs = caller.override?.deadlineMs;
  if (deadlineMs === undefined || pursuit.deadlineAt < Number.POSITIVE_INFINITY) return patienceMs;
  return Math.min(patienceMs, deadlineMs);
}

function timeoutOf({ pursuit, caller }: Exchange): number {
  return pursuit.settings.attemptTimeoutMs ?? caller.timeoutMs ?? Number.POSITIVE_INFINITY;
}
