/** The timers of a request that may be hedged, or whose attempt timeout is learnt; and the hedge itself. */

import { attemptHeaderOf } from '../../runtime/attempt-header.js';
import type { SessionTail } from '../../runtime/session.js';
import type { Cancel } from '../../runtime/sleep.js';
import { isReplayable } from './body.js';
import { forgetConnection } from './connections.js';
import { isTunnel } from './dispatch-options.js';
import { send } from './outgoing.js';
import { type Hedged, Pair } from './pair.js';
import type { Receiver } from './receiver.js';
import { type Room, roomOf } from './room.js';
import type { Sending } from './sending.js';
import { type Timed, Times } from './times.js';
import { type Watch, WatchedSending } from './watched.js';

/** Retries may be suppressed where the request is made: then nothing is hedged or learnt. */
export function timesFor(exchange: Hedged & Timed): Times {
  const { tail } = exchange.session;
  return tail === undefined ? new Times(exchange) : new Hedging(exchange, tail);
}

class Hedging extends Times implements Watch {
  private readonly hedged: Hedged;
  private readonly tail: SessionTail;
  private pair: Pair | undefined = undefined;
  /** The timer of the hedge beside this attempt. */
  private awaited: { readonly sending: Sending; readonly cancel: Cancel } | undefined = undefined;

  constructor(exchange: Hedged & Timed, tail: SessionTail) {
    super(exchange);
    this.hedged = exchange;
    this.tail = tail;
  }

  override newSending(receiver: Receiver): Sending {
    return new WatchedSending(receiver, this, this.hedged.session.attempt, false);
  }

  onWire(sending: WatchedSending): void {
    const { tail, hedged } = this;
    tail.sent(sending.attempt);
    const ms = tail.timeoutMs(isReplayable(hedged.body));
    if (ms !== undefined) this.limitLearnt(sending, ms, () => tail.mayTimeOut());
    if (sending === this.pair?.hedge) {
      this.room.found();
      sending.askForConnection();
    } else if (hedged.awaitsOnly(sending)) this.awaitHedge(sending);
  }

  private get room(): Room {
    return roomOf(this.hedged.dispatch, this.hedged.session.scope);
  }

  private awaitHedge(sending: WatchedSending): void {
    const { hedged, tail } = this;
    const { ports, body, options } = hedged;
    const afterMs = tail.hedgeAfterMs(body.kind === 'ready' && !isTunnel(options));
    this.stopHedge();
    if (afterMs === undefined || this.room.isFull(ports.now())) return;
    sending.askForConnection();
    const send = (): void => hedged.inScope(() => this.hedge(sending));
    // Without the first attempt, nothing needs the hedge.
    this.awaited = { sending, cancel: ports.sleep(afterMs, send, { unref: true }) };
  }

  private hedge(first: WatchedSending): void {
    const { hedged, tail } = this;
    this.awaited = undefined;
    const attempt = hedged.awaitsOnly(first) ? tail.hedge() : undefined;
    if (attempt === undefined) return;
    const pair = new Pair(hedged, tail, first, (to) => new WatchedSending(to, this, attempt, true));
    this.pair = pair;
    hedged.goOnWithTwo(pair);
    this.startAttempt(pair.hedge);
    send(hedged, pair.hedge, attemptHeaderOf(hedged.session.settings.attemptHeader, attempt - 1));
  }

  onConnection(sending: WatchedSending): void {
    this.pair?.onConnection(sending);
  }

  override stopAttempt(sending: Sending): void {
    super.stopAttempt(sending);
    if (this.awaited?.sending === sending) this.stopHedge();
    if (sending instanceof WatchedSending) forgetConnection(sending);
  }

  override stop(): void {
    super.stop();
    this.stopHedge();
  }

  private stopHedge(): void {
    this.awaited?.cancel();
    this.awaited = undefined;
  }
}
