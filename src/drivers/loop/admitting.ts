/** Waits until the limits let an attempt through. */

import type { Admission, RefusalReason } from '../../core/types.js';
import type { Sleep } from '../../kernel/timers.js';
import type { PromiseExchange } from './exchange.js';
import type { TimeLimits } from './times.js';

/** Throws if one of them refuses it. `wait`: for a time, which `sleep` may end earlier. */
export async function admittedAfter(
  first: Admission,
  exchange: PromiseExchange<unknown>,
  times: TimeLimits,
  wait: (sleep: Sleep, delayMs: number) => Promise<void>,
): Promise<void> {
  const { session } = exchange;
  for (let admission = first; admission.kind !== 'go'; admission = session.admit()) {
    if (admission.kind === 'refuse') throw refusal(admission.reason, exchange, times);
    await wait(admission.isCalled ? untilTurn(exchange, times) : times.sleep, admission.delayMs);
  }
}

/** Until it is this request's turn, or until it has to ask whether it is. */
function untilTurn({ session }: PromiseExchange<unknown>, times: TimeLimits): Sleep {
  return (ms, wake, options) => {
    const cancel = times.sleep(ms, wake, options);
    session.onTurn(() => {
      cancel();
      wake();
    });
    return cancel;
  };
}

/** If it has waited until its deadline, that is why the request fails. */
function refusal(reason: RefusalReason, exchange: PromiseExchange<unknown>, times: TimeLimits): Error {
  const deadline = times.deadline();
  if (deadline !== undefined && deadline.ms <= 0) return deadline.error();
  return exchange.ownError(exchange.session.limits.refusal(reason, times.cause));
}
