/**
 * Two attempts of a request that are out at the same time: the first, and its hedge. Both report here until the session
 * has ruled which of them counts; then the request goes on with that one alone (diagram: `phase.ts`).
 */

import type { Duplex } from 'node:stream';
import type { ClientOutcome } from '../../core/events.js';
import type { Decision } from '../../core/types.js';
import { causeOf } from '../../drivers/cause.js';
import type { Ports } from '../../kernel/ports.js';
import type { Prospects, Ruling, Session, SessionTail } from '../../kernel/session.js';
import { type Cancel, judging } from '../../kernel/timers.js';
import type { HeldEnding } from './aside.js';
import { type ConnectionPool, poolOf } from './connection-pool.js';
import type { RequestContext } from './context.js';
import { ShortResponseError } from './errors.js';
import type { Dispatch, Head, ResponseHeaders } from './handlers.js';
import { discard, Loser } from './loser.js';
import type { Ending } from './outcome.js';
import type { EndedAttempt, TwoOut } from './phase.js';
import type { Receiver, Sending, SendingCallback } from './sending.js';

/** The exchange whose attempts are out. */
export interface PairedExchange
  extends Omit<Receiver, 'expectsBody' | 'received' | 'ended' | 'acceptsWhole' | 'deliver'> {
  readonly session: Session;
  readonly dispatch: Dispatch;
  /** The last real outcome, as the `cause` of an error of our own. */
  cause: ErrorOptions;
  /** Runs the caller's code in the context in which the request was made. */
  asCaller(work: () => void): void;
  judge(sending: Sending, ending: Ending, pair: TwoOut): void;
  /** Whether an answer waits for its body before it is judged. */
  waitsForBody(sending: Sending, head: Head): boolean;
  follow(sending: Sending, ending: Ending, decision: Decision, outcome: ClientOutcome): void;
  goOnWith(sending: Sending): void;
  stopTimers(sending: Sending): void;
}

/** One of the two. */
export interface PairedSending extends Sending {
  readonly isOnWire: boolean;
  /** The HTTP/1.1 connection that it is on, if undici says so. */
  readonly connection: object | undefined;
  /** The caller gets what it brings. */
  speak(): void;
  /** The request goes on without it. */
  leaveTo(receiver: Receiver): void;
}

/** One of the two has ended. */
interface EndedOfPair<One extends PairedSending> extends EndedAttempt {
  readonly sending: One;
}

export class Pair<One extends PairedSending> implements Receiver, TwoOut {
  readonly kind = 'hedged';
  readonly first: One;
  readonly hedge: One;
  /** The number of the hedge among the attempts of the request. */
  readonly attempt: number;
  readonly expectsBody = false;
  readonly watchesBody = false;
  private readonly exchange: PairedExchange;
  private readonly tail: SessionTail;
  /** How they ended, while that is judged and the other may still be out. */
  private readonly endings: Map<Sending, Ending> = new Map();
  /** The ending of one, kept while the other is still out. */
  private kept: EndedOfPair<One> | undefined = undefined;
  private readonly keepMs: number;
  private cancelKeeping: Cancel = () => undefined;
  /** The attempt whose ending was kept for too long. */
  private released: One | undefined = undefined;

  constructor(
    exchange: PairedExchange,
    tail: SessionTail,
    first: One,
    attempt: number,
    keepMs: number,
    makeHedge: (pair: Pair<One>) => One,
  ) {
    this.exchange = exchange;
    this.tail = tail;
    this.attempt = attempt;
    this.keepMs = keepMs;
    this.first = first;
    this.hedge = makeHedge(this);
    first.reportTo(this);
  }

  /** The attempt that stands for the request while there are two. */
  get current(): One {
    return this.first.isLive || !this.hedge.isLive || !this.hedge.isOnWire ? this.first : this.hedge;
  }

  get held(): One | undefined {
    return [this.first, this.hedge].find(({ heldHead }) => heldHead !== undefined);
  }

  get context(): RequestContext {
    return this.exchange.context;
  }

  get ports(): Ports {
    return this.exchange.ports;
  }

  get paused(): boolean {
    return this.exchange.paused;
  }

  private get pool(): ConnectionPool {
    return poolOf(this.exchange.dispatch, this.exchange.session.scope);
  }

  // -------------------------------------------------------------- what the attempts bring

  told(callback: SendingCallback, given: unknown[]): void {
    this.exchange.told(callback, given);
  }

  headed(sending: One, status: number, statusText: string | undefined): void {
    if (status >= 200) {
      const head = { status, headers: sending.headers, statusText };
      if (!this.exchange.waitsForBody(sending, head)) this.over(sending, { kind: 'head', head });
      // The caller would see the interim responses of the hedge as more of the same.
    } else if (sending === this.first) this.exchange.headed(sending, status, statusText);
  }

  /** The session rules on two that are out. */
  acceptsWhole(): boolean {
    return false;
  }

  deliver(): void {}

  gathered(sending: One, ending: HeldEnding): void {
    this.over(sending, ending);
  }

  failed(sending: One, error: unknown): void {
    this.over(sending, { kind: 'error', error });
  }

  /** Before its head, so it is too short. */
  ended(sending: One): void {
    this.failed(sending, new ShortResponseError());
  }

  upgraded(sending: One, status: number, headers: ResponseHeaders, socket: Duplex): void {
    this.breakUp(sending);
    this.exchange.upgraded(sending, status, headers, socket);
  }

  received(): void {}
  tellData(): void {}

  endWith(sending: One, error: unknown): void {
    this.exchange.endWith(sending, error);
  }

  /** Over HTTP/1.1 with pipelining, the hedge follows the first on the same connection, and cannot overtake it. */
  hedgeGotConnection(): void {
    const { first, hedge, endings } = this;
    if (first.connection !== hedge.connection) return;
    // The first has been answered, and undici has moved the hedge to the connection that is free since then.
    if (endings.has(first) || first.heldHead !== undefined) return;
    this.pool.wasPipelined(this.ports.now());
    this.withdraw();
  }

  // -------------------------------------------------------------- when one of them has ended

  private over(sending: One, ending: Ending): void {
    const { exchange, hedge } = this;
    exchange.stopTimers(sending);
    this.endings.set(sending, ending);
    if (!hedge.isOnWire) {
      this.withdrawUnsent(sending, ending);
      return;
    }
    exchange.asCaller(() => exchange.judge(sending, ending, this));
  }

  attemptOf(sending: One): number {
    return sending === this.hedge ? this.attempt : this.attempt - 1;
  }

  /** The session's ruling on an attempt that has ended. */
  rule(sending: One, outcome: ClientOutcome, prospects: Prospects): Ruling {
    return this.tail.ended(this.attemptOf(sending), outcome, prospects);
  }

  /** The hedge never left: the first goes on, or ends, as if there had been no hedge. */
  private withdrawUnsent(sending: One, ending: Ending): void {
    const { exchange, first } = this;
    this.pool.waited(this.ports.now());
    this.withdraw();
    if (sending !== first) return;
    if (ending.kind === 'error') exchange.failed(first, ending.error);
    else if (ending.isHeld === true) exchange.gathered(first, ending);
    else exchange.headed(first, ending.head.status, ending.head.statusText);
  }

  private withdraw(): void {
    const { exchange, tail, first, hedge } = this;
    tail.withdraw();
    exchange.stopTimers(hedge);
    exchange.goOnWith(first);
    hedge.leaveTo(this.loser());
    // One that is on the wire shares its connection with the first, and to cut it would cut the first, too.
    if (!hedge.isOnWire) hedge.cut();
  }

  obey(ruling: Ruling, ended: EndedOfPair<One>): void {
    if (ruling.kind === 'pending') {
      this.kept = ended;
      this.exchange.cause = causeOf(ended.outcome);
      if (ended.ending.kind === 'head') this.keep(ended.sending, ended.ending.head);
      return;
    }
    const { kept } = this;
    const chosen = kept !== undefined && ruling.attempt === this.attemptOf(kept.sending) ? kept : ended;
    const { sending, ending, outcome } = chosen;
    this.goOnWith(sending);
    // Nothing of an attempt that is retried reaches the caller.
    if (ruling.decision.action === 'stop' && !this.letSpeak(sending)) return;
    this.exchange.follow(sending, ending, ruling.decision, outcome);
  }

  /**
   * An answer whose body has not ended occupies its connection, which may be the very one that the other attempt waits
   * for: after a redirect, it needs another one. So it is kept only for as long as a hedge waits. If both have failed in
   * the end, the caller gets the later ending.
   */
  private keep(sending: One, head: Head): void {
    const { ports, session } = this.exchange;
    sending.setAside();
    const release = (): void => {
      if (sending.isComplete) return;
      this.kept = undefined;
      this.released = sending;
      sending.leaveTo(this.loser());
      discard(sending, session.request.method, head.headers);
    };
    this.cancelKeeping = ports.sleep(this.keepMs, release, judging('awake', true));
  }

  /** False: the caller's handler threw. Undici passes that on only to the attempt that it is calling now. */
  private letSpeak(sending: One): boolean {
    try {
      sending.speak();
      return true;
    } catch (error) {
      if (!sending.isAside) throw error;
      this.exchange.endWith(sending, error);
      return false;
    }
  }

  // -------------------------------------------------------------- when one of them is left

  private goOnWith(sending: One): void {
    const other = sending === this.first ? this.hedge : this.first;
    this.exchange.stopTimers(other);
    this.exchange.goOnWith(sending);
    this.leave(other);
  }

  /** Gives up an attempt: an answer is discarded, and one that is still out is cut, or may go on until its head. */
  private leave(sending: One): void {
    const { tail } = this;
    const attempt = this.attemptOf(sending);
    this.cancelKeeping();
    if (sending === this.released) {
      tail.loserGone(attempt, false);
      return;
    }
    const loser = this.loser();
    sending.leaveTo(loser);
    const { heldHead } = sending;
    const ending = this.endings.get(sending);
    if (ending !== undefined || heldHead !== undefined) {
      // It may still be judged, so what became of it is not known.
      tail.loserGone(attempt, false);
      const head = ending?.kind === 'head' ? ending.head : heldHead;
      if (head !== undefined) discard(sending, this.exchange.session.request.method, head.headers);
      return;
    }
    if (sending.connection === undefined) {
      // Over HTTP/2, cutting an attempt costs no more than its stream.
      tail.loserGone(attempt, false);
      sending.cut();
      return;
    }
    const ms = tail.leaveLoser(attempt);
    if (ms === 0) sending.cut();
    else loser.letGoOn(sending, tail, attempt, ms);
  }

  private loser(): Loser {
    return new Loser(this.ports, this.exchange.session.request.method);
  }

  /** The request ends, or leaves our hands: both attempts are given up, except this one. */
  breakUp(kept: One): void {
    const { exchange, tail, first, hedge } = this;
    this.cancelKeeping();
    if (!hedge.isOnWire) tail.withdraw();
    const other = kept === first ? hedge : first;
    exchange.stopTimers(other);
    exchange.goOnWith(kept);
    other.leaveTo(this.loser());
    other.cut();
  }
}
