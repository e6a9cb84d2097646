/** Sends one attempt: as it is, or so that it can be given up. */

import type { Cancel, Sleep, SleepOptions } from '../sleep.js';
import type { Ending, Limit, PromiseExchange } from './exchange.js';

/** The client's function may also throw, or return something other than a promise. */
export async function endingOf<Answer>(send: () => Promise<Answer>): Promise<Ending<Answer>> {
  try {
    return { kind: 'response', response: await send() };
  } catch (error) {
    return { kind: 'error', error };
  }
}

/** Where an attempt's timers come from. */
export interface Timers {
  readonly sleep: Sleep;
  /** Options of the timers that only enforce limits. */
  readonly keeping: SleepOptions | undefined;
}

/**
 * An attempt with a signal of its own, which also follows the caller's signal for as long as an abort has something to
 * end.
 */
export class Sending<Answer> {
  private readonly exchange: PromiseExchange<Answer>;
  private readonly timers: Timers;
  private readonly ours: AbortController = new AbortController();
  /**
   * Undefined once the attempt is over: it leads to the answer, and the listener of the caller's signal, which stays
   * until the body is read, must not.
   */
  private ended: ((ending: Ending<Answer>) => void) | undefined;
  /** Hears that the attempt is gone after it was left. */
  private gone: ((late?: Ending<Answer>) => void) | undefined = undefined;
  private cancel: Cancel | undefined = undefined;
  private unfollow: Cancel = () => undefined;

  constructor(exchange: PromiseExchange<Answer>, timers: Timers, ended: (ending: Ending<Answer>) => void) {
    this.exchange = exchange;
    this.timers = timers;
    this.ended = ended;
  }

  /** The caller may abort while the client is being called, so the attempt may end before this returns. */
  start(send: (signal: AbortSignal) => Promise<Answer>, limit: Limit | undefined): void {
    this.unfollow = this.exchange.onAbort((reason) => {
      // The caller may still abort the body of an answer that it already has.
      if (this.ended === undefined) this.abort(reason);
      else this.giveUp(reason);
    });
    if (limit !== undefined) this.endWithin(limit);
    void endingOf(() => send(this.ours.signal)).then((ending) => this.came(ending));
  }

  private endWithin({ ms, error, next }: Limit): void {
    const { sleep, keeping } = this.timers;
    const expire = (): void => {
      const later = next?.();
      if (later === undefined) this.giveUp(error());
      else this.endWithin(later);
    };
    this.cancel = sleep(ms, expire, keeping);
  }

  /** Ends what is left of the attempt, such as a body that is being read. */
  abort(reason?: unknown): void {
    this.ours.abort(reason);
  }

  /**
   * Nobody waits for the attempt any more. It may run on for `ms`, so that its connection can be used again; then it is
   * cut. `gone` hears the ending that came late.
   */
  leave(ms: number, gone: (late?: Ending<Answer>) => void): void {
    this.cancel?.();
    this.ended = undefined;
    this.unfollow();
    this.gone = gone;
    if (ms <= 0) this.cut();
    else this.cancel = this.timers.sleep(ms, () => this.cut(), { unref: true });
  }

  private cut(): void {
    this.exchange.breakOff(() => this.abort());
    this.isGone();
  }

  private isGone(late?: Ending<Answer>): void {
    const { gone } = this;
    this.gone = undefined;
    gone?.(late);
  }

  private giveUp(error: unknown): void {
    this.end({ kind: 'error', error });
    this.unfollow();
    this.exchange.breakOff(() => this.abort(error));
  }

  private came(ending: Ending<Answer>): void {
    const { exchange } = this;
    if (this.ended === undefined) {
      // The answer came too late: the attempt was given up, or left.
      this.cancel?.();
      exchange.release(ending);
      this.isGone(ending);
      return;
    }
    this.end(ending);
    if (ending.kind === 'error') this.unfollow();
    else exchange.whenRead(ending.response, this.ours.signal, this.unfollow);
  }

  private end(ending: Ending<Answer>): void {
    const { ended } = this;
    this.cancel?.();
    this.ended = undefined;
    ended?.(ending);
  }
}
