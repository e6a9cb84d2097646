/** HubSpot, Microsoft Graph and Salesforce. */

import type { Hint } from '../../types.js';
import type { Answer } from '../answer.js';
import { listAt, property, textAt } from '../content.js';
import { again, longQuota } from './again.js';

/** HubSpot's daily quota resets at midnight in the account's own time zone. */
export function hubspotPolicy(answer: Answer): Hint | undefined {
  return textAt(answer.content(), 'policyName') === 'DAILY' ? longQuota : undefined;
}

/**
 * 507 means that the storage is full. 509, or a code on any status, means that the app, the user or the tenant is
 * throttled.
 */
export function graphLimit(answer: Answer): Hint | undefined {
  if (answer.status === 507) return longQuota;
  const error = property(answer.content(), 'error');
  const codes = [error, property(error, 'innerError'), property(error, 'innererror')].map((at) =>
    textAt(at, 'code'),
  );
  if (codes.includes('quotaLimitReached')) return longQuota;
  const throttled = codes.includes('activityLimitReached') || codes.includes('throttledRequest');
  return throttled || answer.status === 509 ? { delayMs: null, reason: 'graph-throttled' } : undefined;
}

/**
 * REQUEST_LIMIT_EXCEEDED means that the daily total is used up, which the message says, or that too many requests came
 * at once.
 */
export function salesforceLimit(answer: Answer): Hint | undefined {
  const error = listAt(answer.content()).find(
    (member) => textAt(member, 'errorCode') === 'REQUEST_LIMIT_EXCEEDED',
  );
  if (error === undefined) return undefined;
  return textAt(error, 'message').includes('TotalRequests') ? longQuota : again('salesforce-request-limit');
}
