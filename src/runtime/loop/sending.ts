/** Sends one attempt, with or without a time limit. */

import type { Sleep, SleepOptions } from '../sleep.js';
import type { Ending, Limit, Outgoing, PromiseExchange } from './exchange.js';

/** The client's function may also throw, or return something other than a promise. */
export async function endingOf<Answer>(
  exchange: PromiseExchange<Answer>,
  signal?: AbortSignal,
): Promise<Ending<Answer>> {
  try {
    return { kind: 'response', response: await exchange.send(signal) };
  } catch (error) {
    return { kind: 'error', error };
  }
}

/**
 * Sends with the signal `ours`, which also follows the caller's signal for as long as an abort has something to end.
 */
export function endingWithin<Answer>(
  limit: Limit,
  exchange: PromiseExchange<Answer>,
  outgoing: Outgoing<Answer>,
  ours: AbortController,
  sleep: Sleep,
  options: SleepOptions | undefined,
): Promise<Ending<Answer>> {
  return new Promise((resolve) => {
    /**
     * Undefined once the attempt is over: this function holds on to the answer, and the listener of the caller's
     * signal, which stays until the body is read, must not.
     */
    let settle: typeof resolve | undefined = resolve;
    const end = (ending: Ending<Answer>): void => {
      cancel();
      outgoing.ended();
      settle?.(ending);
      settle = undefined;
    };
    const giveUp = (error: unknown): void => {
      end({ kind: 'error', error });
      unfollow();
      exchange.breakOff(() => ours.abort(error));
    };
    const unfollow = exchange.onAbort((reason) => {
      // The caller may still abort the body of an answer that it already has.
      if (settle === undefined) ours.abort(reason);
      else giveUp(reason);
    });
    const cancel = sleep(limit.ms, () => giveUp(limit.error()), options);
    void endingOf(exchange, ours.signal).then((ending) => {
      if (settle === undefined) {
        // The answer came too late: the attempt was given up.
        exchange.release(ending);
        return;
      }
      end(ending);
      if (ending.kind === 'error') unfollow();
      else exchange.whenRead(ending.response, ours.signal, unfollow);
    });
  });
}
