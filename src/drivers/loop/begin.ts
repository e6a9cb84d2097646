/** Begins a request. A plain one that no limit keeps back is sent at once, and if it succeeds, the loop is never made. */

import { go } from '../../core/limits/all.js';
import type { acceptRetry, LiveSession } from '../../kernel/live-session.js';
import { rememberOutermost } from '../outermost.js';
import type { Ending, PromiseExchange } from './exchange.js';
import { Loop, tellBodyEnd } from './loop.js';
import { AbortableAttempt, answered, failed, sentBy } from './sending.js';
import { isStatus } from './status.js';
import { TimeLimits } from './times.js';

export function begin<Answer>(exchange: PromiseExchange<Answer>): Promise<Answer> {
  if (!isPlain(exchange)) return new Loop(exchange).run();
  const { settings } = exchange.session;
  const admission = exchange.session.admit();
  if (admission.kind !== 'go') return new Loop(exchange, undefined, admission).run();
  const isTimed = settings.deadlineMs !== undefined || settings.attemptTimeoutMs !== undefined;
  return isTimed ? sendTimed(exchange) : sendUntimed(exchange);
}

function sendUntimed<Answer>(exchange: PromiseExchange<Answer>): Promise<Answer> {
  const { needsAdmission } = exchange.session.settings;
  return sentBy(exchange).then(
    (response) =>
      isHandedOver(exchange, response, needsAdmission && exchange.isAborted)
        ? response
        : recover(exchange, answered(response)),
    (error: unknown) => recover(exchange, failed(error)),
  );
}

function sendTimed<Answer>(exchange: PromiseExchange<Answer>): Promise<Answer> {
  const times = new TimeLimits(exchange);
  const limit = times.limit();
  // Opening the session took all the time, or a function of the caller's has aborted.
  if (limit === undefined || limit.ms <= 0 || exchange.isAborted) return recover(exchange, undefined);
  return new AbortableAttempt(exchange, times).run(limit).then((ending) => {
    const isGiven = ending.kind === 'response' && isHandedOver(exchange, ending.response, exchange.isAborted);
    return isGiven ? ending.response : recover(exchange, ending);
  });
}

function isHandedOver<Answer>(
  exchange: PromiseExchange<Answer>,
  response: Answer,
  isAborted: boolean,
): boolean {
  const isAccepted = !isAborted && exchange.accepts(response);
  if (!isAccepted) return false;
  const { session } = exchange;
  if (session.awaitsBody) tellBodyEnd(exchange, answered(response));
  rememberOutermost(response, session);
  return true;
}

/** The first attempt may be sent, or it was, and this is its end. */
function recover<Answer>(
  exchange: PromiseExchange<Answer>,
  first: Ending<Answer> | undefined,
): Promise<Answer> {
  return new Loop(exchange, first, go).run();
}

/** Whether the request is plain: before it is sent, there is nothing to prepare, and its answer is handed over as it is. */
function isPlain({ body, session }: PromiseExchange<unknown>): boolean {
  const { settings } = session;
  return (
    body === undefined &&
    settings.tail === undefined &&
    settings.deadlineCovers === 'head' &&
    settings.idempotencyKey === false &&
    settings.credentials === false
  );
}

/**
 * Accepts a response by its status. A response without a status goes to the caller as it is. `part`: accepts that of a
 * retry with less work than `next`, which is enough where few requests are retried.
 */
export function acceptsStatus(
  session: LiveSession,
  status: number | undefined,
  part: { readonly acceptRetry: typeof acceptRetry } | undefined,
): boolean {
  if (isStatus(status)) return session.acceptAtOnce(status) || part?.acceptRetry(session, status) === true;
  session.abandon(0);
  return true;
}
