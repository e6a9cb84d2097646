/** Sends one attempt: as it is, or so that it can be given up. */

import type { ClientOutcome } from '../../core/events.js';
import { asPromise } from '../../core/returned.js';
import type { Decision } from '../../core/types.js';
import type { Cancel } from '../../kernel/timers.js';
import type { Abortable, Ending, Limit, PromiseExchange } from './exchange.js';

/** What sends attempts: a client, or one of two that send at the same time. */
interface Sender<Answer> {
  send(signal?: AbortSignal): Promise<Answer>;
}

/** An adapter of the caller's may throw, or return an object with a `then` of its own, or nothing at all. */
export function sentBy<Answer>(sender: Sender<Answer>, signal?: AbortSignal): Promise<Answer> {
  try {
    const sent = sender.send(signal);
    return sent instanceof Promise ? sent : asPromise<Answer>(sent);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** The ending of an attempt that is sent as it is. */
export function endingOf<Answer>(sender: Sender<Answer>): Promise<Ending<Answer>> {
  return sentBy(sender).then(answered, failed);
}

export function answered<Answer>(response: Answer): Ending<Answer> {
  return { kind: 'response', response };
}

export function failed(error: unknown): Ending<never> {
  return { kind: 'error', error };
}

/** Two attempts were out at the same time, and this ending counts. */
export interface Ruled<Answer> {
  readonly kind: 'ruled';
  readonly ending: Ending<Answer>;
  readonly outcome: ClientOutcome | undefined;
  /** Undefined: the answer cannot be judged, so it needs no decision. */
  readonly decision: Decision | undefined;
}

/** Where an attempt's timers come from. */
export interface Timers {
  /** Calls `over` when the time is up. */
  start(limit: Limit, over: (stalledMs?: number) => void): Cancel;
}

/**
 * An attempt with a signal of its own, which also follows the caller's signal for as long as an abort has something to
 * end.
 */
export class AbortableAttempt<Answer> implements Abortable {
  private readonly exchange: PromiseExchange<Answer>;
  private readonly timers: Timers;
  private readonly ours: AbortController = new AbortController();
  /**
   * Undefined once the attempt is over: it leads to the answer, and the listener of the caller's signal, which stays
   * until the body is read, must not.
   */
  protected ended: ((ending: Ending<Answer>) => void) | undefined = undefined;
  protected cancel: Cancel | undefined = undefined;
  protected unfollow: Cancel = nothing;

  constructor(exchange: PromiseExchange<Answer>, timers: Timers) {
    this.exchange = exchange;
    this.timers = timers;
  }

  get signal(): AbortSignal {
    return this.ours.signal;
  }

  /** Sends the only attempt that is out. */
  run(limit: Limit): Promise<Ending<Answer>> {
    const { exchange } = this;
    return new Promise((resolve) => {
      this.start(exchange, limit, (ending) => {
        exchange.attemptEnded?.();
        resolve(ending);
      });
    });
  }

  /** The caller may abort while the client is being called, so the attempt may end before this returns. */
  start(sender: Sender<Answer>, limit: Limit | undefined, ended: (ending: Ending<Answer>) => void): void {
    this.ended = ended;
    this.unfollow = this.follow();
    if (limit !== undefined) this.endWithin(limit);
    sentBy(sender, this.signal).then(
      (response) => this.came(answered(response)),
      (error: unknown) => this.came(failed(error)),
    );
  }

  /**
   * A function of its own, because all closures that a function makes share its variables: the listener may outlive the
   * attempt, and the sender leads to the answer. An answer that cannot be collected keeps its connection for ever.
   */
  private follow(): Cancel {
    return this.exchange.onAbort((reason) => {
      // The caller may still abort the body of an answer that it already has.
      if (this.ended === undefined) this.abort(reason);
      else this.giveUp(reason);
    });
  }

  private endWithin(limit: Limit): void {
    this.cancel = this.timers.start(limit, (stalledMs) => this.expire(limit, stalledMs));
  }

  private expire(limit: Limit, stalledMs: number | undefined): void {
    const { judges, error, next } = limit;
    const { exchange } = this;
    // A slow body is no failure.
    if (exchange.letGo?.(this) === true) return;
    // Nor is it at the deadline: the other attempt has an answer that goes to the caller first.
    if (judges === 'elapsed' && exchange.letGo?.(undefined) === true) {
      this.endWithin({ ...limit, ms: 1 });
      return;
    }
    const later = next?.();
    if (later === undefined) this.giveUp(error(stalledMs));
    else this.endWithin(later);
  }

  /** Ends what is left of the attempt, such as a body that is being read. */
  abort(reason?: unknown): void {
    const abort = (): void => this.ours.abort(reason);
    if (this.exchange.aborts?.(this, reason, abort) !== true) abort();
  }

  private giveUp(error: unknown): void {
    this.end(failed(error));
    this.unfollow();
    this.exchange.breakOff(() => this.abort(error));
  }

  protected came(ending: Ending<Answer>): void {
    const { exchange } = this;
    if (this.ended === undefined) {
      // The answer came too late: the attempt was given up, or left.
      exchange.release(ending);
      return;
    }
    this.end(ending);
    if (ending.kind === 'error') this.unfollow();
    else exchange.whenRead(ending.response, this, this.unfollow);
  }

  private end(ending: Ending<Answer>): void {
    const { ended } = this;
    this.cancel?.();
    this.ended = undefined;
    ended?.(ending);
  }
}

export function nothing(): void {
  // There is nothing to take back: no signal is followed.
}
