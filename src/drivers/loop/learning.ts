/** Sends an attempt that others learn from. It may be hedged, and its time limit may be adaptive. */

import type { Limit, Outgoing, PromiseExchange } from './exchange.js';
import { HedgedAttempt } from './hedging.js';
import { learntLimit } from './learnt-limit.js';
import { type Over, sendAlone } from './sending.js';
import type { TimeLimits } from './times.js';

export async function sendLearning<Answer>(
  exchange: PromiseExchange<Answer>,
  outgoing: Outgoing<Answer>,
  times: TimeLimits,
  given: Limit | undefined,
): Promise<Over<Answer>> {
  const { body, isSendableTwice, session } = exchange;
  const { tail } = session;
  if (tail === undefined) return sendAlone(exchange, outgoing, times, given);
  tail.sent(session.attempt);
  const hedgeAfterMs = tail.hedgeAfterMs(isSendableTwice);
  const limit = learntLimit(times, tail, given, isSendableTwice || body?.isMade === true);
  if (hedgeAfterMs === undefined) return sendAlone(exchange, outgoing, times, limit);
  return new HedgedAttempt(exchange, outgoing, tail, times).run(hedgeAfterMs, limit);
}
