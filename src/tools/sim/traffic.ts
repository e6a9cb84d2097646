/**
 * The adapter of a simulated network: it uses every session as the adapters of real clients do. It asks for admission,
 * sends, waits, hands over the outcome, and follows the decision.
 */

import type { ErrorOutcome, Hint, Prospects, ResponseOutcome, Settings } from '../../index.js';
import { AttemptTimeoutError, DeadlineError } from '../../index.js';
import { streamStartOf } from '../../internal.js';
import type { Agenda, Handler } from './agenda.js';
import type { Caller, Race } from './exchange.js';
import { Exchange } from './exchange.js';
import type { Luck } from './luck.js';
import type { Ending } from './tally.js';
import type { Step, Trace } from './trace.js';

const attemptTimedOut: ErrorOutcome = { kind: 'error', error: new AttemptTimeoutError(0), aborted: false };
const deadlinePassed: ErrorOutcome = { kind: 'error', error: new DeadlineError(0), aborted: false };
/** No request here has a body that can be sent only once. */
const sendable: Prospects = { replayable: true };
const abort = { name: 'AbortError', code: 'ABORT_ERR' } as const;

/** The mark of no exchange. */
const over = 0;

interface Lost {
  readonly exchange: Exchange;
  readonly attempt: number;
}

export class Traffic {
  private readonly agenda: Agenda;
  private readonly trace: Trace | undefined;
  private readonly exchanges: Exchange[] = [];
  private readonly free: number[] = [];
  /** Attempts that lost and go on, by their turns: their connections are kept if they end soon. */
  private readonly losers: Map<number, Lost> = new Map();
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
    if (exchange.isOut(turn)) this.timeOut(exchange, turn);
  };

  private readonly learntOver: Handler = (slot, turn) => {
    const exchange = this.exchanges[slot] as Exchange;
    if (exchange.isOut(turn) && exchange.pursuit.tail?.mayTimeOut?.() !== false) this.timeOut(exchange, turn);
  };

  private readonly hedging: Handler = (slot, turn) => {
    const exchange = this.exchanges[slot] as Exchange;
    if (exchange.turn === turn) this.hedge(exchange);
  };

  private readonly cutting: Handler = (_, turn) => this.endLoser(turn, false);

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
    if (leavesAt < Infinity) this.agenda.at(leavesAt, this.leaving, slot, turn);
    this.proceed(exchange);
  }

  /** An answer to an attempt that is over is ignored. */
  answered(exchange: Exchange, turn: number, given: ResponseOutcome | ErrorOutcome): void {
    const outcome = asRead(exchange, given);
    if (!exchange.isOut(turn)) {
      this.endLoser(turn, outcome.kind === 'response');
      return;
    }
    this.trace?.(this.agenda.now, exchange, outcome);
    if (exchange.race !== undefined) {
      this.endOneOfTwo(exchange, exchange.race, turn === exchange.race.turn, outcome);
      return;
    }
    exchange.turn = this.nextTurn();
    if (outcome.kind === 'response') {
      if (outcome.began === undefined && exchange.pursuit.acceptAtOnce(outcome.status)) {
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
    else if (admission.kind === 'wait') {
      this.wait(exchange, admission.delayMs);
      if (admission.isCalled) this.awaitTurn(exchange);
    } else {
      this.trace?.(this.agenda.now, exchange, admission.reason);
      exchange.pursuit.abandon();
      this.end(exchange, 'refused');
    }
  }

  private send(exchange: Exchange): void {
    const { caller } = exchange;
    const { tally } = exchange.route;
    const { now } = this.agenda;
    tally.count(exchange.attempts === 0 ? tally.firstTries : tally.retries, now);
    if (now < exchange.mayRetryAt) tally.earlyRetries += 1;
    if (now < (caller.forbiddenUntil[exchange.process] as number)) tally.count(tally.forbidden, now);
    exchange.attempts += 1;
    exchange.turn = this.nextTurn();
    this.put(exchange, exchange.turn, 'sent');
  }

  /** `turn`: of the attempt. */
  private put(exchange: Exchange, turn: number, step: Step): void {
    const { agenda } = this;
    const { pursuit, caller, attempts, race } = exchange;
    pursuit.tail?.sent(attempts);
    this.limit(exchange, turn);
    if (race === undefined) {
      const afterMs = pursuit.tail?.hedgeAfterMs(true);
      if (afterMs !== undefined) agenda.at(agenda.now + afterMs, this.hedging, exchange.slot, turn);
    }
    this.trace?.(agenda.now, exchange, step);
    caller.station.receive(exchange, turn);
  }

  /** An attempt ends at its own timeout, or at the deadline of its request. */
  private limit(exchange: Exchange, turn: number): void {
    const { agenda } = this;
    const { pursuit, slot } = exchange;
    const limitMs = Math.min(timeoutOf(exchange), pursuit.deadlineAt - agenda.now);
    if (limitMs < Infinity) agenda.at(agenda.now + limitMs, this.timingOut, slot, turn);
    const learntMs = pursuit.tail?.timeoutMs(true) ?? limitMs;
    if (learntMs < limitMs) agenda.at(agenda.now + learntMs, this.learntOver, slot, turn);
  }

  /** A deadline ends both attempts, if two are out. */
  private timeOut(exchange: Exchange, turn: number): void {
    const { now } = this.agenda;
    const { tally } = exchange.route;
    tally.count(tally.timedOut, now);
    const isLate = now >= exchange.pursuit.deadlineAt;
    if (isLate) exchange.race = undefined;
    this.answered(exchange, isLate ? exchange.turn : turn, isLate ? deadlinePassed : attemptTimedOut);
  }

  // -------------------------------------------------------------- a second attempt beside the first

  private hedge(exchange: Exchange): void {
    const { pursuit, attempts, route } = exchange;
    const hedge = pursuit.tail?.hedge();
    if (hedge === undefined) return;
    route.tally.count(route.tally.hedges, this.agenda.now);
    exchange.attempts = hedge;
    exchange.race = { first: attempts, hedge, turn: this.nextTurn(), ending: undefined };
    this.put(exchange, exchange.race.turn, 'hedged');
  }

  private endOneOfTwo(
    exchange: Exchange,
    race: Race,
    isHedge: boolean,
    outcome: ResponseOutcome | ErrorOutcome,
  ): void {
    const { pursuit, route } = exchange;
    if (outcome.kind === 'response') this.heed(exchange, outcome);
    const attempt = isHedge ? race.hedge : race.first;
    const ruling = pursuit.tail?.ended(attempt, outcome, sendable);
    if (ruling === undefined) return;
    if (ruling.kind === 'pending') {
      race.ending = outcome;
      if (isHedge) race.turn = over;
      else exchange.turn = this.nextTurn();
      return;
    }
    const loser = isHedge ? exchange.turn : race.turn;
    exchange.race = undefined;
    const { decision } = ruling;
    const deciding = ruling.attempt === attempt ? outcome : (race.ending ?? outcome);
    const ending = endingOf(deciding);
    if (decision.action === 'stop' && ending === 'good' && ruling.attempt === race.hedge)
      route.tally.count(route.tally.hedgesWon, this.agenda.now);
    if (decision.action === 'retry') this.wait(exchange, decision.delayMs);
    else {
      if (race.ending === undefined) this.leaveLoser(exchange, isHedge ? race.first : race.hedge, loser);
      this.end(exchange, ending);
    }
  }

  /**
   * The attempt that has lost may go on for a while, and is then cut. Nothing tells its server, which works on it to
   * the end, as servers do whose HTTP/1 connection is closed.
   */
  private leaveLoser(exchange: Exchange, attempt: number, turn: number): void {
    const forMs = exchange.pursuit.tail?.leaveLoser(attempt) ?? 0;
    if (forMs === 0) return;
    this.losers.set(turn, { exchange, attempt });
    this.agenda.at(this.agenda.now + forMs, this.cutting, exchange.slot, turn);
  }

  private endLoser(turn: number, isAnswered: boolean): void {
    const lost = this.losers.get(turn);
    if (lost === undefined) return;
    this.losers.delete(turn);
    lost.exchange.pursuit.tail?.loserGone(lost.attempt, isAnswered);
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
    else this.end(exchange, endingOf(outcome));
  }

  private wait(exchange: Exchange, delayMs: number): void {
    exchange.turn = this.nextTurn();
    this.agenda.at(this.agenda.now + delayMs, this.waking, exchange.slot, exchange.turn);
  }

  /** It may be its turn before the wait is over: then it asks at once. */
  private awaitTurn({ pursuit, slot, turn }: Exchange): void {
    pursuit.onTurn?.(() => this.agenda.at(this.agenda.now, this.waking, slot, turn));
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
    const { caller, startedAt, pursuit } = exchange;
    const { now } = this.agenda;
    this.trace?.(now, exchange, ending);
    // Answers have no bodies here.
    if (pursuit.awaitsBody) pursuit.bodyEnded?.();
    exchange.route.tally.settle(ending, now, now - startedAt, exchange.by);
    exchange.mark = over;
    exchange.race = undefined;
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
  if (deadlineMs === undefined || pursuit.deadlineAt < Infinity) return patienceMs;
  return Math.min(patienceMs, deadlineMs);
}

function endingOf(outcome: ResponseOutcome | ErrorOutcome): Ending {
  return outcome.kind === 'response' && outcome.status < 400 && outcome.began === undefined
    ? 'good'
    : 'failed';
}

function timeoutOf({ pursuit, caller }: Exchange): number {
  return pursuit.settings.attemptTimeoutMs ?? caller.timeoutMs ?? Infinity;
}

/** A body is read only by a policy whose hints look into bodies, or that waits for the beginnings of streams. */
function asRead(
  { pursuit, route: { facts } }: Exchange,
  outcome: ResponseOutcome | ErrorOutcome,
): ResponseOutcome | ErrorOutcome {
  if (outcome.kind === 'error' || outcome.content === undefined) return outcome;
  const { settings } = pursuit;
  const { content, ...head } = outcome;
  const began = settings.streamStart ? startOf(settings as Settings, facts.method, head, content) : undefined;
  if (began !== undefined) return { ...head, began };
  return (settings.bodyHintBytes ?? 0) > 0 ? outcome : head;
}

/** What a stream says that fails before its content. All of it is there at once. */
function startOf(
  settings: Settings,
  method: string,
  { status, headers }: ResponseOutcome,
  content: unknown,
): Hint | undefined {
  const start = streamStartOf(settings, method, status, headers, 0);
  if (start === undefined) return undefined;
  const said = start.push(new TextEncoder().encode(String(content)));
  const beginning = said === 'pending' ? start.end() : said;
  return typeof beginning === 'object' ? beginning.failed : undefined;
}
