/** An attempt that tells when it is on the wire: it may be hedged, may be a hedge, or has an adaptive timeout. */

import type { Alarm, JustSent } from '../../kernel/alarms.js';
import { askForConnection, forgetConnection, type OnConnection } from './connections.js';
import type { Controller } from './handlers.js';
import type { Ending } from './outcome.js';
import { type Receiver, Sending } from './sending.js';

/** Is told when the attempt is on the wire. */
export interface Watch {
  onWire(sending: WatchedSending): void;
  /** It has no answer at the end of the turn in which it was sent. */
  begins(sending: WatchedSending, sentAt: number, now: number): void;
  /** The attempt is on this HTTP/1.1 connection. */
  onConnection(sending: WatchedSending): void;
  /** There is still no answer, so a hedge may be sent. */
  isSlow(sending: WatchedSending): void;
}

export class WatchedSending extends Sending implements Alarm, JustSent, OnConnection {
  /** Its number among the attempts of the request. */
  readonly attempt: number;
  /** Only if its timeout is adaptive: when undici was given it, if it was not on the wire at once. */
  dispatchedAt: number | undefined = undefined;
  /** The HTTP/1.1 connection that it is on, if undici says so. */
  connection: object | undefined = undefined;
  dueAt: number | undefined = undefined;
  isJustSent = false;
  earlier: WatchedSending | undefined = undefined;
  later: WatchedSending | undefined = undefined;
  /** How it ended, while that is judged and the other attempt may still be out. */
  ending: Ending | undefined = undefined;
  /** Undefined once the attempt was given up. */
  private watch: Watch | undefined;
  /** A hedge says nothing to the caller until it has won. */
  private isQuiet: boolean;
  private hasBegunAnswer = false;
  /** The context that a layer underneath gave to a hedge. */
  private given: object | undefined = undefined;

  constructor(receiver: Receiver, watch: Watch, attempt: number, isHedge: boolean) {
    super(receiver);
    this.watch = watch;
    this.attempt = attempt;
    this.isQuiet = isHedge;
  }

  /** Whether it waits for a hedge. */
  get isSet(): boolean {
    return this.dueAt !== undefined;
  }

  begins(sentAt: number, now: number): void {
    this.watch?.begins(this, sentAt, now);
  }

  ring(): void {
    this.watch?.isSlow(this);
  }

  get isOnWire(): boolean {
    return this.starts > 0;
  }

  override onRequestStart(controller: Controller, context: unknown): void {
    const { starts, watch } = this;
    super.onRequestStart(controller, context);
    if (this.starts > starts && this.isLive) watch?.onWire(this);
  }

  /** Or the other attempt has ended. */
  protected override get isGivenUp(): boolean {
    return this.watch === undefined || super.isGivenUp;
  }

  /** Asks undici for the connection, in onRequestStart. */
  askForConnection(): void {
    askForConnection(this);
  }

  gotConnection(connection: object): void {
    this.connection = connection;
    this.watch?.onConnection(this);
  }

  override onBodySent(...sent: unknown[]): void {
    if (!this.isQuiet) super.onBodySent(...sent);
  }

  override onRequestSent(): void {
    if (!this.isQuiet) super.onRequestSent();
  }

  protected override answerBegins(): void {
    if (this.isQuiet) this.hasBegunAnswer = true;
    else super.answerBegins();
  }

  protected override adopt(context: object): void {
    if (this.isQuiet) this.given = context;
    else super.adopt(context);
  }

  protected override get layersContext(): object {
    return this.isQuiet ? (this.given ?? {}) : super.layersContext;
  }

  /** The hedge has won, or is all that is left: from now on it speaks to the caller. */
  speak(): void {
    if (!this.isQuiet) return;
    this.isQuiet = false;
    if (this.given !== undefined) super.adopt(this.given);
    this.given = undefined;
    if (this.hasBegunAnswer) this.tellBeginning();
  }

  /** The request goes on without this attempt, which keeps nothing of it. */
  leaveTo(receiver: Receiver): void {
    this.watch = undefined;
    this.given = undefined;
    this.isQuiet = true;
    this.reportTo(receiver);
    forgetConnection(this);
  }
}
