/** Begins a request. A plain one is sent at once, and if it succeeds, the loop is never made. */

import { asPromise } from '../../core/returned.js';
import type { Session } from '../../kernel/session.js';
import { rememberOutermost } from '../outermost.js';
import type { Ending, PromiseExchange } from './exchange.js';
import { Loop } from './loop.js';
import { isStatus } from './status.js';

export function begin<Answer>(exchange: PromiseExchange<Answer>): Promise<Answer> {
  if (!isPlain(exchange)) return new Loop(exchange, undefined).run();
  try {
    const sent = exchange.send();
    // An adapter of the caller's may return an object with a `then` of its own, or nothing at all.
    return (sent instanceof Promise ? sent : asPromise<Answer>(sent)).then(
      (response) => {
        if (!exchange.accepts(response)) return recover(exchange, { kind: 'response', response });
        rememberOutermost(response, exchange.session);
        return response;
      },
      (error: unknown) => recover(exchange, { kind: 'error', error }),
    );
  } catch (error) {
    return recover(exchange, { kind: 'error', error });
  }
}

function recover<Answer>(exchange: PromiseExchange<Answer>, first: Ending<Answer>): Promise<Answer> {
  return new Loop(exchange, first).run();
}

/** Whether the request is plain: before it is sent, there is nothing to prepare, to time or to ask for. */
function isPlain({ body, session }: PromiseExchange<unknown>): boolean {
  const { settings } = session;
  return (
    body === undefined &&
    settings.deadlineMs === undefined &&
    settings.attemptTimeoutMs === undefined &&
    settings.tail === undefined &&
    !settings.needsAdmission &&
    !session.awaitsBody &&
    settings.idempotencyKey === false &&
    settings.credentials === false
  );
}

/** Accepts a response by its status. A response without a status goes to the caller as it is. */
export function acceptsStatus(session: Session, status: number | undefined): boolean {
  if (isStatus(status)) return session.acceptAtOnce(status);
  session.abandon(0);
  return true;
}
