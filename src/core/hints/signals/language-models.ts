/** Anthropic and OpenAI. */

import type { Hint } from '../../types.js';
import type { Answer } from '../answer.js';
import { property, textAt } from '../content.js';
import { longQuota } from './again.js';

/** The monthly spend limit has no Retry-After. A 529 means that the whole API is overloaded. */
export function anthropicLimit(answer: Answer): Hint | undefined {
  const error = property(answer.content(), 'error');
  if (textAt(error, 'details', 'error_code') === 'enforced_spend_limit_reached') return longQuota;
  const overloaded = answer.status === 529 || textAt(error, 'type') === 'overloaded_error';
  return overloaded ? { delayMs: null, reason: 'anthropic-overloaded' } : undefined;
}

/** `insufficient_quota`: no request succeeds before the account has credit again. */
export function openaiQuota(answer: Answer): Hint | undefined {
  const error = property(answer.content(), 'error');
  const exhausted = [textAt(error, 'code'), textAt(error, 'type')].includes('insufficient_quota');
  return exhausted ? longQuota : undefined;
}
