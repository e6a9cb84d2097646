/** GitHub: two limits, in REST and in GraphQL. */

import type { Hint } from '../../types.js';
import type { Answer } from '../answer.js';
import { listAt, textAt } from '../content.js';
import { isExhausted } from '../fields.js';
import { isWait } from '../reading.js';
import { readRetryAfter } from '../retry-after.js';
import { again } from './again.js';

/** The shortest wait after a limit that does not say how long. */
const unsaidMs = 60_000;

/**
 * The primary limit: nothing remains. The secondary limit: Retry-After, or only a message that says so. GraphQL reports
 * either in a 200.
 */
export function githubLimit(answer: Answer): Hint | undefined {
  const { status } = answer;
  const isGraphql = status === 200;
  if (!isGraphql && status !== 403 && status !== 429) return undefined;
  const content = answer.content();
  const errors = listAt(content, 'errors');
  const saysPrimary = isGraphql && errors.some(isRateLimit);
  const saysSecondary = [content, ...errors].some(isSecondaryLimit);
  const says = saysPrimary || saysSecondary;
  // On a 200 of GraphQL, an error must say so: the last success of the hour leaves nothing, too.
  if ((says || !isGraphql) && isExhausted(answer, 'x-ratelimit-remaining')) {
    return again('github-primary-limit');
  }
  const told = readRetryAfter(answer);
  if (says) {
    const isTold = isWait(told) && told.delayMs > 0;
    return again(saysPrimary ? 'github-primary-limit' : 'github-secondary-limit', isTold ? null : unsaidMs);
  }
  // A 429 with Retry-After needs no signal. A 403 means a secondary limit if it has Retry-After, and missing rights
  // otherwise.
  return status === 403 && isWait(told) ? again('github-secondary-limit') : undefined;
}

function isSecondaryLimit(error: unknown): boolean {
  return textAt(error, 'message').toLowerCase().includes('secondary rate limit');
}

/** GraphQL's error types: the documented one, and the one that is sent since 2025. */
function isRateLimit(error: unknown): boolean {
  const type = textAt(error, 'type');
  return type === 'RATE_LIMITED' || type === 'RATE_LIMIT';
}
