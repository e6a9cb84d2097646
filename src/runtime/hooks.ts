/** The caller's own functions, and what each adapter asks them. */

import type { LiveOutcome, RetryContext, RetryIf } from '../core/events.js';
import { factsOf } from '../core/facts.js';
import type { Retry } from '../core/types.js';
import type { Session } from './session.js';

/** What `retryIf` says, or will say. */
export function verdictOn({ settings, request }: Session, outcome: LiveOutcome): ReturnType<RetryIf> {
  return settings.retryIf?.(outcome, factsOf(request));
}

/** For `beforeRetry`: where the next attempt goes and with what headers, to be changed. */
export function contextFor(
  { request, history }: Session,
  decision: Retry,
  { url, headers }: Pick<RetryContext, 'url' | 'headers'>,
): RetryContext {
  return { request: factsOf(request), decision, history, url, headers };
}
