/**
 * An attempt that may be hedged, may be a hedge, or has an adaptive timeout. It tells the session once it has outlived the
 * turn in which it was sent, and sends the hedge if its answer is late: no object beside it is needed for that.
 */

import { type Alarm, Alarms, type JustSent, mayBeginLater, sentInTurn } from '../../kernel/alarms.js';
import { attemptHeaderOf } from '../../kernel/attempt-header.js';
import type { SessionTail } from '../../kernel/session.js';
import { isSurelyReplayable } from './body.js';
import { isFull, poolOf } from './connection-pool.js';
import { askForConnection, type OnConnection } from './connections.js';
import type { Controller } from './handlers.js';
import { type SentExchange, sendAttempt } from './outgoing.js';
import { Pair, type PairedExchange, type PairedSending } from './pair.js';
import type { TwoOut } from './phase.js';
import { type Receiver, Sending } from './sending.js';
import type { LimitTimers } from './times.js';

/** The exchange whose attempts are watched. */
interface WatchedExchange extends PairedExchange, SentExchange, Receiver {
  readonly times: Pick<LimitTimers, 'leaveToLearnt' | 'limitLearnt'> | undefined;
  /** Whether this is the only attempt, and it has no answer yet. */
  awaitsOnly(sending: Sending): boolean;
  goOnWithTwo(pair: TwoOut): void;
  startTimers(sending: Sending): void;
}

/** A hedge says nothing to the caller until it has won. */
interface Silence {
  readonly pair: Pair<WatchedSending>;
  hasBegunAnswer: boolean;
  /** The context that a layer underneath gave it. */
  given: object | undefined;
}

export class WatchedSending extends Sending implements PairedSending, Alarm, JustSent, OnConnection {
  connection: object | undefined = undefined;
  isJustSent = false;
  /** Set while it waits for a hedge. */
  dueAt: number | undefined = undefined;
  earlier: WatchedSending | undefined = undefined;
  later: WatchedSending | undefined = undefined;
  /** Undefined once the attempt was given up. */
  private exchange: WatchedExchange | undefined;
  /** Only if its timeout is adaptive: when undici was given it, if it was not on the wire at once. */
  private dispatchedAt: number | undefined = undefined;
  /** For how long it waits for a hedge. */
  private hedgeAfterMs: number | undefined = undefined;
  /** Only of a hedge. */
  private silence: Silence | undefined = undefined;

  constructor(exchange: WatchedExchange, receiver: Receiver = exchange) {
    super(receiver);
    this.exchange = exchange;
  }

  get isOnWire(): boolean {
    return this.starts > 0;
  }

  override onRequestStart(controller: Controller, context: unknown): void {
    const { starts, exchange } = this;
    super.onRequestStart(controller, context);
    if (exchange !== undefined && this.starts > starts && this.isLive) this.isNowOnWire(exchange);
  }

  private isNowOnWire(exchange: WatchedExchange): void {
    const { ports } = exchange;
    if (this.silence !== undefined) this.hedgeOnWire(exchange, this.silence.pair);
    else if (mayBeginLater(ports)) this.beginLater(exchange);
    else {
      const now = ports.now();
      this.begins(now, now);
      if (this.dueAt !== undefined) askForConnection(this);
    }
  }

  /** undici has the attempt, and keeps it waiting for a connection unless it is on the wire. */
  dispatched(): void {
    const { exchange } = this;
    if (exchange?.session.settings.tail?.timeout === undefined || this.isOnWire) return;
    this.dispatchedAt = exchange.ports.now();
  }

  // -------------------------------------------------------------- once it has outlived its turn

  private beginLater(exchange: WatchedExchange): void {
    // undici has moved the attempt to another connection.
    if (this.starts > 1) this.stopWatch();
    sentInTurn.add(this);
    const { tail } = exchange.session.settings;
    if (tail?.timeout !== undefined) exchange.times?.leaveToLearnt(this);
    if (tail?.hedge !== false) askForConnection(this);
  }

  begins(sentAt: number, now: number): void {
    const { exchange } = this;
    if (exchange === undefined) return;
    const tail = tailOf(exchange);
    tail.sent(exchange.session.attempt, sentAt);
    // Otherwise the head has come, and the body is waited for.
    if (this.isLive) this.limitAsLearnt(exchange, tail, now);
    if (exchange.awaitsOnly(this)) this.awaitHedge(exchange, tail, now);
  }

  private limitAsLearnt(exchange: WatchedExchange, tail: SessionTail, now: number): void {
    const { timeout } = exchange.session.settings.tail ?? {};
    if (timeout === undefined) return;
    const ms = tail.timeoutMs(isSurelyReplayable(exchange.body));
    // The longest timeout includes the wait for a connection.
    this.dispatchedAt ??= now;
    exchange.times?.limitLearnt(this, ms, this.dispatchedAt + timeout.maxMs - now);
  }

  private awaitHedge({ body, dispatch, session }: WatchedExchange, tail: SessionTail, now: number): void {
    // undici has moved the attempt to another connection.
    if (this.dueAt !== undefined) this.stopWatch();
    if (isFull(dispatch, session.scope)) return;
    this.hedgeAfterMs = tail.hedgeAfterMs(body.kind === 'ready');
    if (this.hedgeAfterMs === undefined) return;
    tail.awaitHedge(this, this.hedgeAfterMs, Alarms, now);
  }

  /** There will be no hedge. */
  override stopWatch(): void {
    const { exchange } = this;
    if (this.isJustSent) sentInTurn.remove(this);
    else if (this.dueAt !== undefined && exchange !== undefined) tailOf(exchange).stopAwaiting(this);
  }

  // -------------------------------------------------------------- once a hedge may be sent

  ring(): void {
    const { exchange } = this;
    exchange?.asCaller(() => this.hedge(exchange));
  }

  private hedge(exchange: WatchedExchange): void {
    const tail = tailOf(exchange);
    const attempt = exchange.awaitsOnly(this) ? tail.hedge() : undefined;
    if (attempt === undefined) return;
    const makeHedge = (pair: Pair<WatchedSending>): WatchedSending =>
      new WatchedSending(exchange, pair).keepSilent(pair);
    const pair = new Pair(exchange, tail, this, attempt, this.hedgeAfterMs ?? 0, makeHedge);
    const { hedge } = pair;
    exchange.goOnWithTwo(pair);
    exchange.startTimers(hedge);
    sendAttempt(exchange, hedge, attemptHeaderOf(exchange.session.settings.attemptHeader, attempt - 1));
    hedge.dispatched();
  }

  // -------------------------------------------------------------- the hedge

  private keepSilent(pair: Pair<WatchedSending>): this {
    this.silence = { pair, hasBegunAnswer: false, given: undefined };
    return this;
  }

  private hedgeOnWire(exchange: WatchedExchange, { attempt }: Pair<WatchedSending>): void {
    const tail = tailOf(exchange);
    // Listeners hear of a hedge. One that was queued begins in the context of the request whose connection it gets.
    exchange.asCaller(() => tail.sent(attempt));
    // A listener has aborted the request.
    if (!this.isLive) return;
    this.limitAsLearnt(exchange, tail, tail.lastSentAt);
    poolOf(exchange.dispatch, exchange.session.scope).found();
    askForConnection(this);
  }

  gotConnection(connection: object): void {
    if (!this.isLive) return;
    this.connection = connection;
    this.silence?.pair.hedgeGotConnection();
  }

  override onBodySent(...sent: unknown[]): void {
    if (this.silence === undefined) super.onBodySent(...sent);
  }

  override onRequestSent(): void {
    if (this.silence === undefined) super.onRequestSent();
  }

  protected override answerBegins(): void {
    if (this.silence === undefined) super.answerBegins();
    else this.silence.hasBegunAnswer = true;
  }

  protected override adopt(context: object): void {
    if (this.silence === undefined) super.adopt(context);
    else this.silence.given = context;
  }

  protected override get layersContext(): object {
    return this.silence === undefined ? super.layersContext : (this.silence.given ?? {});
  }

  /** The hedge has won, or is all that is left: from now on it speaks to the caller. */
  speak(): void {
    const { silence } = this;
    if (silence === undefined) return;
    this.silence = undefined;
    if (silence.given !== undefined) super.adopt(silence.given);
    if (silence.hasBegunAnswer) this.tellBeginning();
  }

  // -------------------------------------------------------------- once the request goes on without it

  /** It keeps nothing of the request. */
  leaveTo(receiver: Receiver): void {
    this.exchange = undefined;
    this.silence = undefined;
    this.reportTo(receiver);
  }

  /** Or the other attempt has ended. */
  protected override get isGivenUp(): boolean {
    return this.exchange === undefined || super.isGivenUp;
  }
}

/** Only a session that has it has attempts that are watched. It is made when it is asked for first. */
function tailOf({ session }: WatchedExchange): SessionTail {
  return session.tail as SessionTail;
}
