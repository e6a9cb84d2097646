/** The times of one request that has some: until its deadline, and of the attempt under way. */

import { AttemptTimeoutError } from '../../core/errors.js';
import type { Cancel, SleepOptions } from '../../runtime/sleep.js';
import type { Attempt } from './attempt.js';
import type { Exchange } from './exchange.js';

const unrefed: SleepOptions = { unref: true };

export class Times {
  private readonly exchange: Exchange;
  private cancelDeadline: Cancel | undefined = undefined;
  private cancelAttempt: Cancel | undefined = undefined;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
  }

  /** Runs over waits, too. If it ended with the head, again for the rest of a body. */
  startDeadline(): void {
    const { exchange } = this;
    const { session, ports } = exchange;
    const { deadlineMs } = session.settings;
    if (deadlineMs === undefined || this.cancelDeadline !== undefined) return;
    const expire = (): void => exchange.inScope(exchange, exchange.expire, deadlineMs);
    this.cancelDeadline = ports.sleep(session.deadlineAt - ports.now(), expire, this.keeping);
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
    this.cancelAttempt = exchange.ports.sleep(attemptTimeoutMs, expire, this.keeping);
  }

  /** Where a hook or a body of the caller's hangs, nothing else may keep the process alive until the request fails. */
  private get keeping(): SleepOptions | undefined {
    return this.exchange.session.settings.unref ? unrefed : undefined;
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
