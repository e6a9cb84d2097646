/** Calls to the hooks that the caller has given. */

import type { ClientOutcome, RetryContext, RetryIf } from '../core/events.js';
import { toldRequest } from '../core/told.js';
import type { Retry, ToldRequest } from '../core/types.js';
import type { Session } from '../kernel/session.js';
import { toldOutcome } from './told-outcome.js';

/** Hooks get the same object for all attempts of a request, so they can keep something about the request by it. */
const told: WeakMap<Session, ToldRequest> = new WeakMap();

function requestOf(session: Session): ToldRequest {
  const known = told.get(session);
  if (known !== undefined) return known;
  const request = toldRequest(session.request);
  told.set(session, request);
  return request;
}

/** The verdict of `retryIf`, or a promise of it. */
export function verdictOn(session: Session, outcome: ClientOutcome): ReturnType<RetryIf> {
  const { retryIf } = session.settings;
  return retryIf?.(toldOutcome(outcome, session.settings.failures), requestOf(session));
}

/** What `beforeRetry` gets: the URL and the headers of the next attempt, which it may change. */
export function contextFor(
  session: Session,
  decision: Retry,
  { url, headers }: Pick<RetryContext, 'url' | 'headers'>,
): RetryContext {
  return { request: requestOf(session), decision, history: session.history, url, headers };
}
