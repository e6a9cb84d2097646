/** One sending of a request: how it ended, or where it has a time, that its time was up. */

import type { Sleep, SleepOptions } from '../sleep.js';
import type { Ending, Limit, Outgoing, PromiseExchange } from './exchange.js';

/** What is called may also throw, or give no promise. */
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

/** The client's signal is `ours`, which also follows the caller's: as long as there is something to end. */
export function endingWithin<Answer>(
  limit: Limit,
  exchange: PromiseExchange<Answer>,
  outgoing: Outgoing<Answer>,
  ours: AbortController,
  sleep: Sleep,
  options: SleepOptions | undefined,
): Promise<Ending<Answer>> {
  return new Promise((resolve) => {
    /** Undefined once it is over: it leads to the answer, and who follows the caller until that is read must not. */
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
      // The caller may still want to end the body of an answer that it has.
      if (settle === undefined) ours.abort(reason);
      else giveUp(reason);
    });
    const cancel = sleep(limit.ms, () => giveUp(limit.error()), options);
    void endingOf(exchange, ours.signal).then((ending) => {
      if (settle === undefined) {
        // Too late: the attempt was given up.
        exchange.release(ending);
        return;
      }
      end(ending);
      if (ending.kind === 'error') unfollow();
      else exchange.whenRead(ending.response, ours.signal, unfollow);
    });
  });
}
