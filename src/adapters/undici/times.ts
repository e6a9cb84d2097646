/** The times of one request that has some: until its deadline, and of the attempt under way. */

import { AttemptTimeoutError } from '../../core/errors.js';
import type { Cancel } from '../../runtime/sleep.js';
import type { Attempt } from './attempt.js';
import type { Exchange } from './exchange.js';

export class Times {
  private readonly exchange: Exchange;
  private cancelDeadline: Cancel | undefined = undefined;
  private cancelAttempt: Cancel | undefined = undefined;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
  }

  /** Runs over waits, too. Again for the rest of a body, which has no more time than the request had. */
  startDeadline(): void {
    const { exchange } = this;
    const { session, ports } = exchange;
    const { deadlineMs } = session.settings;
    if (deadlineMs === undefined || this.cancelDeadline !== undefined) return;
    const expire = (): void => exchange.inScope(exchange, exchange.expire, deadlineMs);
    this.cancelDeadline = ports.sleep(session.deadlineAt - ports.now(), expire, { unref: true });
  }

  startAttempt(attempt: Attempt): void {
    const { exchange } = this;
    const { attemptTimeoutMs } = exchange.session.settings;
    if (attemptTimeoutMs === undefined) return;
    const expire = (): void => {
      const error = new AttemptTimeoutError(attemptTimeoutMs);
      attempt.cut(error);
      exchange.failed(attempt, error);
    };
    this.cancelAttempt = exchange.ports.sleep(attemptTimeoutMs, expire, { unref: true });
  }

  stopAttempt(): void {
    this.cancelAttempt?.();
    this.cancelAttempt = undefined;
  }

  /** Its head is there. */
  stopAtHead(): void {
    if (this.exchange.session.settings.deadlineCovers === 'head') this.stop();
  }

  stop(): void {
    this.stopAttempt();
    this.cancelDeadline?.();
    this.cancelDeadline = undefined;
  }
}
