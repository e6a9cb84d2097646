/** A request that may be hedged, or whose attempt timeout is adaptive: watches its attempts, and sends the hedge. */

import { Alarms, mayBeginLater, sentInTurn } from '../../kernel/alarms.js';
import { attemptHeaderOf } from '../../kernel/attempt-header.js';
import type { SessionTail } from '../../kernel/session.js';
import { isSurelyReplayable } from './body.js';
import { type ConnectionPool, isFull, poolOf } from './connection-pool.js';
import { forgetConnection } from './connections.js';
import { type SentExchange, sendAttempt } from './outgoing.js';
import { Pair, type PairedExchange } from './pair.js';
import type { TwoOut } from './phase.js';
import type { Receiver, Sending } from './sending.js';
import type { LimitTimers } from './times.js';
import { type Watch, WatchedSending } from './watched.js';

/** The exchange whose attempts may be hedged. */
interface HedgedExchange extends PairedExchange, SentExchange {
  readonly times: Pick<LimitTimers, 'leaveToLearnt' | 'limitLearnt'> | undefined;
  /** Whether this is the only attempt, and it has no answer yet. */
  awaitsOnly(sending: Sending): boolean;
  goOnWithTwo(pair: TwoOut): void;
  startTimers(sending: Sending): void;
}

export class HedgeSender implements Watch {
  private readonly exchange: HedgedExchange;
  private pair: Pair | undefined = undefined;
  /** The attempt that was sent in this turn, or that a hedge may be sent beside. */
  private awaited: WatchedSending | undefined = undefined;
  private hedgeAfterMs = 0;

  constructor(exchange: HedgedExchange) {
    this.exchange = exchange;
  }

  /** Nothing is asked of it before the end of the turn. */
  private get tail(): SessionTail {
    return this.exchange.session.tail as SessionTail;
  }

  newSending(receiver: Receiver): Sending {
    return new WatchedSending(receiver, this, this.exchange.session.attempt, false);
  }

  onWire(sending: WatchedSending): void {
    const { ports } = this.exchange;
    if (sending === this.pair?.hedge) this.hedgeOnWire(sending);
    else if (mayBeginLater(ports)) this.beginLater(sending);
    else {
      const now = ports.now();
      this.begins(sending, now, now);
    }
  }

  private hedgeOnWire(sending: WatchedSending): void {
    const { tail, exchange } = this;
    // Listeners hear of a hedge. One that was queued begins in the context of the request whose connection it gets.
    exchange.asCaller(() => tail.sent(sending.attempt));
    // A listener has aborted the request.
    if (!sending.isLive) return;
    this.limitAsLearnt(sending, tail.lastSentAt);
    this.pool.found();
    sending.askForConnection();
  }

  private beginLater(sending: WatchedSending): void {
    this.stop();
    this.awaited = sending;
    sentInTurn.add(sending);
    const { tail } = this.exchange.session.settings;
    if (tail?.timeout !== undefined) this.exchange.times?.leaveToLearnt(sending);
    if (tail?.hedge !== false) sending.askForConnection();
  }

  begins(sending: WatchedSending, sentAt: number, now: number): void {
    this.tail.sent(sending.attempt, sentAt);
    // Otherwise the head has come, and the body is waited for.
    if (sending.isLive) this.limitAsLearnt(sending, now);
    if (this.exchange.awaitsOnly(sending)) this.awaitHedge(sending, now);
  }

  /** undici has the attempt, and keeps it waiting for a connection unless it is on the wire. */
  dispatched(sending: Sending): void {
    const { session, ports } = this.exchange;
    if (session.settings.tail?.timeout === undefined || !(sending instanceof WatchedSending)) return;
    if (!sending.isOnWire) sending.dispatchedAt = ports.now();
  }

  private limitAsLearnt(sending: WatchedSending, now: number): void {
    const { tail, exchange } = this;
    const { timeout } = exchange.session.settings.tail ?? {};
    if (timeout === undefined) return;
    const ms = tail.timeoutMs(isSurelyReplayable(exchange.body));
    // The longest timeout includes the wait for a connection.
    sending.dispatchedAt ??= now;
    exchange.times?.limitLearnt(sending, ms, sending.dispatchedAt + timeout.maxMs - now);
  }

  private get pool(): ConnectionPool {
    return poolOf(this.exchange.dispatch, this.exchange.session.scope);
  }

  private awaitHedge(sending: WatchedSending, now: number): void {
    const { body, dispatch, session } = this.exchange;
    // undici has moved the attempt to another connection.
    if (sending.isSet) this.stop();
    if (isFull(dispatch, session.scope)) return;
    this.awaited = sending;
    this.tail.awaitHedge(sending, body.kind === 'ready', Alarms, now);
    if (!sending.isSet) return;
    this.hedgeAfterMs = (sending.dueAt ?? now) - now;
    sending.askForConnection();
  }

  isSlow(sending: WatchedSending): void {
    this.exchange.asCaller(() => this.hedge(sending));
  }

  private hedge(first: WatchedSending): void {
    const { exchange, tail } = this;
    this.awaited = undefined;
    const attempt = exchange.awaitsOnly(first) ? tail.hedge() : undefined;
    if (attempt === undefined) return;
    const makeHedge = (pair: Pair): WatchedSending => new WatchedSending(pair, this, attempt, true);
    const pair = new Pair(exchange, tail, first, this.hedgeAfterMs, makeHedge);
    this.pair = pair;
    exchange.goOnWithTwo(pair);
    exchange.startTimers(pair.hedge);
    sendAttempt(exchange, pair.hedge, attemptHeaderOf(exchange.session.settings.attemptHeader, attempt - 1));
    this.dispatched(pair.hedge);
  }

  onConnection(sending: WatchedSending): void {
    this.pair?.onConnection(sending);
  }

  stopAttempt(sending: Sending): void {
    if (this.awaited === sending) this.stop();
    if (sending instanceof WatchedSending) forgetConnection(sending);
  }

  /** There will be no hedge. */
  stop(): void {
    const { awaited } = this;
    if (awaited === undefined) return;
    this.awaited = undefined;
    if (awaited.isJustSent) sentInTurn.remove(awaited);
    else this.tail.stopAwaiting(awaited);
  }
}
