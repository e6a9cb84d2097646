/** The adaptive time limit of an attempt, which counts from the sending. */

import type { SessionTail } from '../../kernel/session.js';
import type { Limit } from './exchange.js';
import type { TimeLimits } from './times.js';

/** `limit` applies if it is sooner, and if the attempt must not end when the learnt time is up. */
export function learntLimit(
  times: TimeLimits,
  tail: SessionTail,
  limit: Limit | undefined,
  isSendable: boolean,
): Limit | undefined {
  const learntMs = tail.timeoutMs(isSendable);
  if (limit === undefined || learntMs === undefined || learntMs >= limit.ms) return limit;
  const next = (): Limit | undefined => {
    if (tail.mayTimeOut()) return undefined;
    const rest = { ...limit, ms: limit.ms - learntMs };
    const deadline = times.deadline();
    return deadline !== undefined && deadline.ms <= rest.ms ? deadline : rest;
  };
  return { ...times.timeout(learntMs), next };
}
