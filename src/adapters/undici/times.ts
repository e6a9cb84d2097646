/** The times of one request that has some: until its deadline, and of each attempt under way. */

import type { Ports } from '../../runtime/ports.js';
import type { Session } from '../../runtime/session.js';
import type { Cancel, SleepOptions } from '../../runtime/sleep.js';
import type { Sending } from './sending.js';

/** What ends when a time is up. */
export interface Timed {
  readonly session: Session;
  readonly ports: Ports;
  inScope(work: () => void): void;
  expire(deadlineMs: number): void;
  timeOut(sending: Sending, attemptTimeoutMs: number): void;
}

const unrefed: SleepOptions = { unref: true };

export class Times {
  private readonly exchange: Timed;
  private cancelDeadline: Cancel | undefined = undefined;
  private readonly attempts: Map<Sending, Cancel> = new Map();

  constructor(exchange: Timed) {
    this.exchange = exchange;
  }

  /** Runs over waits, too. If it ended with the head, again for the rest of a body. */
  startDeadline(): void {
    const { exchange } = this;
    const { session, ports } = exchange;
    const { deadlineMs } = session.settings;
    if (deadlineMs === undefined || this.cancelDeadline !== undefined) return;
    const expire = (): void => exchange.inScope(() => exchange.expire(deadlineMs));
    this.cancelDeadline = ports.sleep(session.deadlineAt - ports.now(), expire, this.keeping);
  }

  /** No attempt begins after it, though its timer is late: a hook, a body or a busy process took longer than there was time. */
  enforceDeadline(): void {
    const { session, ports } = this.exchange;
    const { deadlineMs } = session.settings;
    if (deadlineMs !== undefined && session.deadlineAt <= ports.now()) this.exchange.expire(deadlineMs);
  }

  startAttempt(sending: Sending): void {
    const { exchange } = this;
    const { attemptTimeoutMs } = exchange.session.settings;
    if (attemptTimeoutMs === undefined) return;
    const expire = (): void => exchange.timeOut(sending, attemptTimeoutMs);
    this.attempts.set(sending, exchange.ports.sleep(attemptTimeoutMs, expire, this.keeping));
  }

  /** Where a hook or a body of the caller's hangs, nothing else may keep the process alive until the request fails. */
  private get keeping(): SleepOptions | undefined {
    return this.exchange.session.settings.unref ? unrefed : undefined;
  }

  stopAttempt(sending: Sending): void {
    this.attempts.get(sending)?.();
    this.attempts.delete(sending);
  }

  /** Its head is there. */
  stopAtHead(): void {
    if (this.exchange.session.settings.deadlineCovers === 'head') this.stop();
  }

  stop(): void {
    for (const sending of this.attempts.keys()) this.stopAttempt(sending);
    this.cancelDeadline?.();
    this.cancelDeadline = undefined;
  }
}
