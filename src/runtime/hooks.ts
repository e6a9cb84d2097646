/** Calls to the hooks that the caller has given. */

import type { LiveOutcome, RetryContext, RetryIf } from '../core/events.js';
import { factsOf } from '../core/facts.js';
import type { Retry } from '../core/types.js';
import type { Session } from './session.js';

/** The verdict of `retryIf`, or a promise of it. */
export function verdictOn({ settings, request }: Session, outcome: LiveOutcome): ReturnType<RetryIf> {
  return settings.retryIf?.(outcome, factsOf(request));
}

/** What `beforeRetry` gets: the URL and the headers of the next attempt, which it may change. */
export function contextFor(
  { request, history }: Session,
  decision: Retry,
  { url, headers }: Pick<RetryContext, 'url' | 'headers'>,
): RetryContext {
  return { request: factsOf(request), decision, history, url, headers };
}
