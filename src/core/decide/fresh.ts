/**
 * What an answer means that refuses the credentials of a request: one attempt more, once there are fresh ones. That
 * attempt is outside of `maxRetries`, waits and budget, and inside the deadline. A second such answer is the caller's.
 */

import type { Settings } from '../policy/settings.js';
import type { Attempt, Finding, History, Retry, World } from '../types.js';
import { whyUnsafe } from './safety.js';

/** What has to be known of the world. */
type Seen = Parameters<typeof whyUnsafe>[2] & Pick<World, 'suppressed' | 'startedAt' | 'now'>;

/** Whether the answer says that the credentials were refused. */
function refusesCredentials({ credentials }: Settings, finding: Finding): boolean {
  return (
    credentials !== false && finding.kind === 'response' && credentials.statuses.includes(finding.status)
  );
}

/** Whether the request may be sent once more when there are fresh credentials. */
export function mayGoAgain(settings: Settings, history: History, finding: Finding, world: Seen): boolean {
  const { deadlineMs = Infinity } = settings;
  const { startedAt = world.now, now } = world;
  return (
    refusesCredentials(settings, finding) &&
    // `retryIf` says that it is not about the credentials, or another layer sends the request again.
    world.verdict !== false &&
    world.suppressed !== true &&
    !hasGoneAgain(history) &&
    whyUnsafe(settings, finding, world) === undefined &&
    startedAt + deadlineMs > now
  );
}

export function hasGoneAgain(history: History): boolean {
  return history.some(isFresh);
}

/** How many retries followed that count as such. */
export function retriesIn(history: History): number {
  let count = 0;
  for (const attempt of history) if (isRetried(attempt)) count += 1;
  return count;
}

/** Whether a retry followed that counts as one. */
export function isRetried(attempt: Attempt): boolean {
  return attempt.decision.action === 'retry' && !isFresh(attempt);
}

function isFresh({ decision }: Attempt): boolean {
  return decision.action === 'retry' && decision.reason === 'fresh-credentials';
}

export function freshAttempt(attempt: number, finding: Finding): Retry {
  return {
    action: 'retry',
    reason: 'fresh-credentials',
    attempt,
    finding,
    delayMs: 0,
    waitFrom: 'none',
    cost: 0,
  };
}
