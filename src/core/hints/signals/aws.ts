/** AWS: error codes in JSON, in XML and in a header. */

import type { Hint } from '../../types.js';
import type { Answer } from '../answer.js';
import { elementText, textAt } from '../content.js';
import { linesOf, trimmed } from '../values.js';
import { again } from './again.js';

const awsThrottling: ReadonlySet<string> = new Set([
  'BandwidthLimitExceeded',
  'EC2ThrottledException',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionInProgressException',
]);
const awsTransient: ReadonlySet<string> = new Set([
  'RequestTimeout',
  'RequestTimeoutException',
  'TimeoutError',
]);
const awsClockSkew: ReadonlySet<string> = new Set([
  'RequestExpired',
  'RequestInTheFuture',
  'RequestTimeTooSkewed',
]);

/** Many services throttle with a 400, which only the code tells apart. Any other code on a 400 or 403 is final. */
export function awsCode(answer: Answer): Hint | undefined {
  const code = awsCodeOf(answer);
  if (code === '') return undefined;
  if (awsThrottling.has(code)) return again('aws-throttling-code');
  if (awsTransient.has(code)) return again('aws-transient-code');
  if (awsClockSkew.has(code)) return again('aws-clock-skew');
  const final = answer.status === 400 || answer.status === 403;
  return final ? { delayMs: null, retry: false, reason: 'not-retryable-status' } : undefined;
}

/**
 * The code stands in a header (`Code:http://...`), in a JSON body (`com.amazonaws.dynamodb#Code`) or in an element of
 * XML.
 */
function awsCodeOf(answer: Answer): string {
  const [line = ''] = linesOf(answer.field('x-amzn-errortype') ?? []);
  const content = answer.content();
  const named =
    line ||
    textAt(content, '__type') ||
    textAt(content, 'code') ||
    textAt(content, 'Code') ||
    textAt(content, 'Error', 'Code') ||
    elementText(answer.body, 'Code');
  const [code = ''] = named.slice(named.indexOf('#') + 1).split(':', 1);
  return trimmed(code);
}
