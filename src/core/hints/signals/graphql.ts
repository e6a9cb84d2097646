/** Shopify and Linear: GraphQL errors. */

import type { Hint } from '../../types.js';
import type { Answer } from '../answer.js';
import { listAt, property, textAt } from '../content.js';
import { longestDelayMs } from '../decimal.js';
import { isExhausted } from '../fields.js';
import { again } from './again.js';

/** A throttled query gets a 200. The bucket's numbers say when there will be enough for this query. */
export function shopifyCost(answer: Answer): Hint | undefined {
  const content = answer.content();
  const throttled = listAt(content, 'errors').some(
    (error) => textAt(error, 'extensions', 'code') === 'THROTTLED',
  );
  if (!throttled) return undefined;
  const cost = property(content, 'extensions', 'cost');
  const missing =
    numberAt(cost, 'requestedQueryCost') - numberAt(cost, 'throttleStatus', 'currentlyAvailable');
  const waitMs = Math.ceil((missing / numberAt(cost, 'throttleStatus', 'restoreRate')) * 1000);
  return waitMs >= 0 ? again('graphql-cost', Math.min(waitMs, longestDelayMs)) : again('graphql-throttled');
}

/** The number at a path, or NaN, which fails every comparison. */
function numberAt(value: unknown, ...path: readonly string[]): number {
  const found = property(value, ...path);
  return typeof found === 'number' ? found : Number.NaN;
}

/** A 400 that means "rate limited". If the body was not read, the quota's headers have to say so. */
export function linearLimit(answer: Answer): Hint | undefined {
  const limited = again('linear-ratelimited');
  if (answer.content() !== undefined) {
    const codes = listAt(answer.content(), 'errors').map((error) => textAt(error, 'extensions', 'code'));
    return codes.includes('RATELIMITED') ? limited : undefined;
  }
  const exhausted = ['requests', 'complexity'].some((quota) =>
    isExhausted(answer, `x-ratelimit-${quota}-remaining`),
  );
  return answer.status === 400 && exhausted ? limited : undefined;
}
