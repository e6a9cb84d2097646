/** Anthropic and OpenAI. */

import type { Hint } from '../../types.js';
import type { Answer } from '../answer.js';
import { property, textAt } from '../content.js';
import { longQuota } from './again.js';

/** The monthly limit of a tier has no Retry-After. A 529 is the API's overload, whoever calls it. */
export function anthropicLimit(answer: Answer): Hint | undefined {
  const error = property(answer.content(), 'error');
  if (textAt(error, 'details', 'error_code') === 'enforced_spend_limit_reached') return longQuota;
  const overloaded = answer.status === 529 || textAt(error, 'type') === 'overloaded_error';
  return overloaded ? { delayMs: null, reason: 'anthropic-overloaded' } : undefined;
}

/** Somebody has to pay first. */
export function openaiQuota(answer: Answer): Hint | undefined {
  const error = property(answer.content(), 'error');
  const exhausted = [textAt(error, 'code'), textAt(error, 'type')].includes('insufficient_quota');
  return exhausted ? longQuota : undefined;
}
